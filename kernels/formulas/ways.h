// Numbers of ways, weighed by their probabilities, as logarithms.
#pragma once

#include "kernels/functors/scalar_math.h"

namespace garboard::kernels {

template <functors::Real T>
inline constexpr T no_way = -functors::infinity<T>;

/// The logarithm of e^a + e^b + e^c.
template <functors::Real T>
GARBOARD_HD T log_sum(T a, T b, T c) {
  const T top = functors::max(functors::max(a, b), c);
  const T base = top == no_way<T> ? T(0) : top;
  return functors::log(functors::exp(a - base) + functors::exp(b - base) +
                       functors::exp(c - base)) +
         base;
}

}  // namespace garboard::kernels
