// Exponentials and logarithms of other bases, and those that keep their digits near 0 and 1; the
// hyperbolic functions and their inverses, which are made of them.
#pragma once

#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// e^x - 1, within 2 ULP.
GARBOARD_HD float expm1(float x) {
  const float above = x < -20.0f ? -20.0f : x;  // from there on it is -1
  const float inside = above > 89.0f ? 89.0f : above;
  const float shifted = inside * 1.44269504f + round_magic;
  const float n = shifted - round_magic;
  const float r = (inside - n * 0.693359375f) + n * 2.12194440e-4f;
  // Half of 2^n, which is infinite before the result is.
  const float half = bits_as<float>((bits_as<std::uint32_t>(shifted) << 23) + 0x3f000000);
  const float y = (expm1_of_rest(r) * half + (half - 0.5f)) * 2.0f;
  return x == 0 ? x : y;
}
/// Within 2 ULP.
GARBOARD_HD double expm1(double x) {
  const double above = x < -50.0 ? -50.0 : x;
  const double inside = above > 710.0 ? 710.0 : above;
  const double shifted = inside * 1.4426950408889634 + round_magic_double;
  const double n = shifted - round_magic_double;
  const double r = (inside - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  const double half = bits_as<double>((bits_as<std::uint64_t>(shifted) << 52) + 0x3fe0000000000000);
  const double y = (expm1_of_rest(r) * half + (half - 0.5)) * 2.0;
  return x == 0 ? x : y;
}

/// 2^x, within 1.5 ULP; exact for integers.
GARBOARD_HD float exp2(float x) {
  const float above = x < -151.0f ? -151.0f : x;
  const float inside = above > 129.0f ? 129.0f : above;
  const float shifted = inside + round_magic;
  const float r = (inside - (shifted - round_magic)) * 0.693147181f;
  return scaled(expm1_of_rest(r) + 1.0f, shifted);
}
GARBOARD_HD double exp2(double x) {
  const double above = x < -1076.0 ? -1076.0 : x;
  const double inside = above > 1025.0 ? 1025.0 : above;
  const double shifted = inside + round_magic_double;
  const double r = (inside - (shifted - round_magic_double)) * 0.69314718055994531;
  return scaled(expm1_of_rest(r) + 1.0, shifted);
}

/// ln(1 + x), within 2 ULP.
template <Real T>
GARBOARD_HD T log1p(T x) {
  const T sum = T(1) + x;
  const T lost = (x - (sum - T(1))) / sum;  // by rounding the sum
  const T whole = log(sum);
  const T y = (sum > 0) & (sum < infinity<T>) ? whole + lost : whole;
  return x == 0 ? x : y;
}

/// x = 2^exponent * (1 + fraction), the fraction around 0, for finite x > 0.
template <Real T>
struct PowerAndFraction {
  T exponent, fraction;
};
GARBOARD_HD PowerAndFraction<float> parts_of(float x) {
  constexpr std::uint32_t root = 0x3f3504f3;
  const bool is_subnormal = x < 1.17549435e-38f;
  const auto bits = bits_as<std::uint32_t>(is_subnormal ? x * 8388608.0f : x);
  const std::uint32_t offset = bits - (is_subnormal ? root + (23u << 23) : root);
  return {static_cast<float>(static_cast<std::int32_t>(offset) >> 23),
          bits_as<float>((offset & 0x7fffff) + root) - 1.0f};
}
GARBOARD_HD PowerAndFraction<double> parts_of(double x) {
  constexpr std::uint64_t root = 0x3fe6a09e667f3bcd;
  const bool is_subnormal = x < 2.2250738585072014e-308;
  const auto bits = bits_as<std::uint64_t>(is_subnormal ? x * 4503599627370496.0 : x);
  const std::uint64_t offset =
      bits - root + (std::uint64_t{is_subnormal ? 2000u - 52u : 2000u} << 52);
  return {bits_as<double>((offset >> 52) | 0x4330000000000000) - (4503599627370496.0 + 2000.0),
          bits_as<double>((offset & 0xfffffffffffff) + root) - 1.0};
}

/// What a logarithm of `inside` is for numbers that are not finite and above 0.
template <Real T>
GARBOARD_HD T logarithm_of(T x, T inside) {
  const T above = x < infinity<T> ? inside : x;
  const T whole = x == 0 ? -infinity<T> : above;
  return x < 0 ? not_a_number<T> : whole;
}

/// The logarithm of a base, whose powers of 2 lie `step` + `step_rest` apart; 1 / ln(base) is
/// `scale` + `scale_rest`. It is exact where the fraction is 0 and the steps are.
template <Real T>
GARBOARD_HD T logarithm(T x, T step, T step_rest, T scale, T scale_rest) {
  const PowerAndFraction<T> at = parts_of(x);
  const T natural = log_of_one_and(at.fraction);
  const T tail = natural * scale_rest + at.exponent * step_rest;
  return logarithm_of(x, at.exponent * step + (natural * scale + tail));
}
/// Within 2 ULP; exact for powers of 2.
template <Real T>
GARBOARD_HD T log2(T x) {
  constexpr T scale = T(1.4426950408889634074);
  return logarithm(x, T(1), T(0), scale, T(1.4426950408889634074L - scale));
}
/// Within 2 ULP.
template <Real T>
GARBOARD_HD T log10(T x) {
  constexpr T step = sizeof(T) == 4 ? T(0.30102539) : T(0.30102999566395);  // some bits fewer
  constexpr T scale = T(0.43429448190325182765);
  return logarithm(x, step, T(0.30102999566398119521L - step), scale,
                   T(0.43429448190325182765L - scale));
}

/// Half of e^size, for which no power overflows before the whole function does.
template <Real T>
GARBOARD_HD T half_of_power(T size) {
  const T most = sizeof(T) == 4 ? T(91) : T(712);
  return exp_of_sum(size > most ? most : size, T(0), T(0.5));
}
/// Within 2 ULP.
template <Real T>
GARBOARD_HD T cosh(T x) {
  const T power = half_of_power(abs(x));
  return power + T(0.25) / power;
}
/// (sinh(x) / x - 1) / x^2 of z = x^2 <= 1.
GARBOARD_HD float sinh_curve(float z) {
  return polynomial(z, 0.1666666665f, 0.008333339598f, 0.0001983812273f, 2.806141722e-6f);
}
GARBOARD_HD double sinh_curve(double z) {
  return polynomial(z, 0.166666666666666667, 0.00833333333333329994, 0.0001984126984132351432,
                    2.755731919167378513e-6, 2.505211763955473774e-8, 1.605768463616354782e-10,
                    7.746011426995291912e-13);
}
/// Within 2 ULP.
template <Real T>
GARBOARD_HD T sinh(T x) {
  const T size = abs(x);
  const T power = half_of_power(size);
  const T small = size + size * (size * size) * sinh_curve(size * size);
  return copy_sign(size < T(1) ? small : power - T(0.25) / power, x);
}

/// Within 4 ULP.
template <Real T>
GARBOARD_HD T asinh(T x) {
  constexpr T large = sizeof(T) == 4 ? T(8192) : T(268435456);  // 1 is nothing beside its square
  const T size = abs(x);
  const T inside = size > large ? T(1) : size;
  const T square = inside * inside;
  const T near = log1p(inside + square / (T(1) + sqrt(square + T(1))));
  const T y = size > large ? log(size) + T(0.69314718055994531) : near;
  return copy_sign(y, x);
}
/// Within 4 ULP; NaN below 1.
template <Real T>
GARBOARD_HD T acosh(T x) {
  constexpr T large = sizeof(T) == 4 ? T(8192) : T(268435456);
  const T beyond = x - T(1);
  const T near = log1p(beyond + sqrt(beyond * (beyond + T(2))));
  const T y = x > large ? log(x) + T(0.69314718055994531) : near;
  return x < T(1) ? not_a_number<T> : y;
}
/// Within 4 ULP; infinite at 1 and -1, NaN beyond.
template <Real T>
GARBOARD_HD T atanh(T x) {
  const T size = abs(x);
  return copy_sign(T(0.5) * log1p(T(2) * size / (T(1) - size)), x);
}

/// ln(1 + x) of x within [0, 1], within 2 ULP. Without the cases of others, on which g++ would
/// branch and then make no vectors.
template <Real T>
GARBOARD_HD T log1p_of_share(T x) {
  const T sum = T(1) + x;
  return log(sum) + (x - (sum - T(1))) / sum;
}

/// ln(e^a + e^b), within 3 ULP of the larger of it and 1.
template <Real T>
GARBOARD_HD T log_of_sum(T a, T b) {
  const T larger = a < b ? b : a;
  const T apart = a == b ? T(0) : abs(a - b);  // of two infinities, too
  return larger + log1p_of_share(exp(-apart));
}

/// sqrt(a^2 + b^2), within 2 ULP, scaled so that no square overflows or is lost; infinite where one
/// is, even beside NaN.
template <Real T>
GARBOARD_HD T hypot(T a, T b) {
  const T first = abs(a), second = abs(b);
  const T larger = first < second ? second : first;
  constexpr T large = sizeof(T) == 4 ? T(0x1p50) : T(0x1p500);
  constexpr T shift = sizeof(T) == 4 ? T(0x1p80) : T(0x1p600);
  const T up = larger < T(1) / large ? shift : T(1);
  const T down = larger > large ? T(1) / shift : up;
  const T x = first * down, y = second * down;
  const T root = sqrt(x * x + y * y) * (T(1) / down);
  return is_inf(a) | is_inf(b) ? infinity<T> : root;
}

}  // namespace garboard::functors
