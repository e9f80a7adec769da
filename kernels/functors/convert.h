// One element type to another, as C++ converts; to bool it is `x != 0`. Half types are met by way
// of float, as in PyTorch; of a complex number a real type takes the real part.
#pragma once

#include "kernels/functors/effort.h"
#include "kernels/functors/element.h"

namespace garboard::functors {

template <Stored To>
struct Convert {
  static constexpr Effort effort = Effort::least;
  template <Stored T>
  GARBOARD_HD To operator()(T x) const {
    if constexpr (Half<T>)
      return Convert<To>{}(widened(x));
    else if constexpr (Boolean<To>)
      return x != T(0);
    else if constexpr (ComplexNumber<T> && !ComplexNumber<To>)
      return Convert<To>{}(x.real);
    else if constexpr (Half<To>)
      return static_cast<To>(static_cast<float>(x));
    else if constexpr (Integer<To> && sizeof(To) < sizeof(std::int32_t) && Real<T>)
      // C++ leaves -1.0 to uint8 open; by way of int32 it is 255 on every machine.
      return static_cast<To>(static_cast<std::int32_t>(x));
    else
      return static_cast<To>(x);
  }
};

}  // namespace garboard::functors
