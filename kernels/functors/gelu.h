// x times the share of the normal distribution below x (Hendrycks and Gimpel, "Gaussian error
// linear units", arXiv:1606.08415), exactly and by its approximation with tanh. Both end at -0 for
// minus infinity, which is their limit.
#pragma once

#include "kernels/functors/normal.h"

namespace garboard::functors {

/// Within 5 ULP.
template <Real T>
GARBOARD_HD T gelu(T x) {
  const T size = abs(x) > end_of_tail<T> ? end_of_tail<T> : abs(x);
  const T beyond = bell(size, size * tail_factor(size));
  return x < 0 ? -beyond : x - beyond;
}

/// The slope of gelu, within 4 ULP of the larger of it and 1.
template <Real T>
GARBOARD_HD T gelu_slope(T x) {
  const T size = abs(x) > end_of_tail<T> ? end_of_tail<T> : abs(x);
  const T beyond = bell(size, tail_factor(size) - size * density_scale<T>);
  return x < 0 ? beyond : T(1) - beyond;
}

// 1 + tanh(u) is twice the sigmoid of 2 u, which keeps its digits where tanh is near -1.
inline constexpr double twice_root = 1.5957691216057308;  // 2 sqrt(2 / pi)
inline constexpr double cubic = 0.044715;

/// From here on e^(-|2 u|) is 0.
template <Real T>
inline constexpr T end_of_power = sizeof(T) == 4 ? T(11) : T(21.7);

/// factor * e^(-2 u) for u = sqrt(2 / pi) (size + 0.044715 size^3).
GARBOARD_HD float tanh_power(float size, float factor) {
  const double wide = size;
  const double exponent = -(twice_root * wide) * (1.0 + cubic * (wide * wide));
  const float head = static_cast<float>(exponent);
  return exp_of_sum(head, static_cast<float>(exponent - head), factor);
}
GARBOARD_HD double tanh_power(double size, double factor) {
  return exp_of_sum(-(twice_root * size) * (1.0 + cubic * (size * size)), 0.0, factor);
}

/// Within 4 ULP; in double twice |u| more for x < 0.
template <Real T>
GARBOARD_HD T gelu_tanh(T x) {
  const T size = abs(x) > end_of_power<T> ? end_of_power<T> : abs(x);
  const T beyond = tanh_power(size, size) / (T(1) + tanh_power(size, T(1)));
  return x < 0 ? -beyond : x - beyond;
}

/// The slope of gelu_tanh, within 8 ULP of the larger of it and 1.
template <Real T>
GARBOARD_HD T gelu_tanh_slope(T x) {
  const T size = abs(x) > end_of_power<T> ? end_of_power<T> : abs(x);
  const T power = tanh_power(size, T(1));
  const T inverse = T(1) / (T(1) + power);
  const T slope = T(twice_root) * (T(1) + T(3 * cubic) * (size * size));  // of 2 u
  const T beyond = power * inverse * (T(1) - size * slope * inverse);
  return x < 0 ? beyond : T(1) - beyond;
}

}  // namespace garboard::functors
