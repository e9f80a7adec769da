// One element type to another, as C++ converts; to bool it is `x != 0`.
#pragma once

#include "kernels/functors/effort.h"
#include "kernels/functors/element.h"

namespace garboard::functors {

template <Element To>
struct Convert {
  static constexpr Effort effort = Effort::least;
  template <Element T>
  GARBOARD_HD To operator()(T x) const {
    if constexpr (Boolean<To>) return x != T(0);
    // C++ leaves -1.0 to uint8 open; by way of int32 it is 255 on every machine.
    if constexpr (std::is_same_v<To, std::uint8_t> && Real<T>)
      return static_cast<To>(static_cast<std::int32_t>(x));
    if constexpr (!Boolean<To>) return static_cast<To>(x);
  }
};

}  // namespace garboard::functors
