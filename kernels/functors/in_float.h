// Functors on half types: computed in float, and rounded once.
#pragma once

#include "kernels/functors/effort.h"
#include "kernels/functors/element.h"

namespace garboard::functors {

/// F, which knows no T, on elements of T; bools come and go as they are.
template <class F, Half T>
struct InFloat {
  static constexpr Effort effort = effort_of<F>;
  template <class... In>
  GARBOARD_HD auto operator()(In... x) const {
    const auto y = F{}(widened(x)...);
    if constexpr (std::is_same_v<decltype(y), const float>)
      return static_cast<T>(y);
    else
      return y;
  }
};

namespace detail {

template <class F, class T>
struct OnElements {
  using Type = F;
};
template <class F, Half T>
struct OnElements<F, T> {
  using Type = InFloat<F, T>;
};

}  // namespace detail

/// F as it can be called with elements of T, if it can be with what they are widened to.
template <class F, Stored T>
using On = typename detail::OnElements<F, T>::Type;

}  // namespace garboard::functors
