// x^y. Floats go by way of double, with as many terms as they need; for doubles the logarithm is
// kept in two parts, because y may magnify its error a thousandfold.
#pragma once

#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// x without its last 27 bits: the product of two such numbers is exact.
GARBOARD_HD double leading_half(double x) {
  return bits_as<double>(bits_as<std::uint64_t>(x) & 0xfffffffff8000000);
}

/// x^y for finite x > 0 and any y, within 1.1 ULP.
GARBOARD_HD double power_of_positive(double x, double y) {
  // x = 2^e * (1 + f), as in log.
  constexpr std::uint64_t root = 0x3fe6a09e667f3bcd;
  const bool is_subnormal = x < 2.2250738585072014e-308;
  const auto bits = bits_as<std::uint64_t>(is_subnormal ? x * 4503599627370496.0 : x);
  const std::uint64_t offset =
      bits - root + (std::uint64_t{is_subnormal ? 2000u - 52u : 2000u} << 52);
  const double e =
      bits_as<double>((offset >> 52) | 0x4330000000000000) - (4503599627370496.0 + 2000.0);
  const double f = bits_as<double>((offset & 0xfffffffffffff) + root) - 1.0;

  // ln(1 + f) = 2 atanh s with s = f / (2 + f) = 2 (s + s w), w = z / 3 + z^2 (1 / 5 + ...) and
  // z = s^2. Of s, w and the sum a leading half stands apart from the rest.
  const double inverse = 1.0 / (2.0 + f);
  const double divisor = leading_half(2.0 + f), divisor_rest = f - (divisor - 2.0);
  const double s = leading_half(f * inverse);
  const double s_rest = ((f - s * divisor) - s * divisor_rest) * inverse;
  const double z = s * s, z_rest = s_rest * (2.0 * s + s_rest);
  const double third = 0.33333333333333333;
  const double w = leading_half(z * third);
  const double square = z + z_rest;
  const double tail = square * square *
                      polynomial(square, 0.1999999999999999, 0.1428571428572261,
                                 0.11111111108755571, 0.09090909436716124, 0.07692278328815146,
                                 0.06668162826136491, 0.0583732545591905, 0.05995206303644234);
  const double w_rest = ((z - 3.0 * w) + z_rest) * third + tail;
  const double product = s * w;
  const double atanh = s + product;
  const double atanh_rest =
      ((s - atanh) + product) + (s_rest + (s_rest * w + (s + s_rest) * w_rest));
  const double whole = e * 6.93147180369123816490e-01;
  const double sum = whole + 2.0 * atanh;
  const double sum_rest =
      ((whole - sum) + 2.0 * atanh) + (2.0 * atanh_rest + e * 1.90821492927058770002e-10);
  const double log = sum + sum_rest, log_rest = (sum - log) + sum_rest;

  // Beyond these exponents the power is 0, 1 or infinity, and below no product overflows.
  constexpr double most = 1e19;
  y = y > most ? most : y;
  y = y < -most ? -most : y;
  const double y_head = leading_half(y), log_head = leading_half(log);
  const double rest = (y - y_head) * log_head + y * ((log - log_head) + log_rest);
  const double exponent = y_head * log_head;
  const double above = exponent < -760.0 ? -760.0 : exponent;  // 0 and infinity anyway
  const double inside = above > 720.0 ? 720.0 : above;
  return exp_of_sum(inside, inside == exponent ? rest : 0.0, 1.0);
}

/// x^y for the range and the digits of float: its error in them is small beside that of rounding.
/// x is positive, finite and not subnormal.
GARBOARD_HD double short_power_of_positive(double x, double y) {
  constexpr std::uint64_t root = 0x3fe6a09e667f3bcd;
  const std::uint64_t offset = bits_as<std::uint64_t>(x) - root + (std::uint64_t{2000} << 52);
  const double e =
      bits_as<double>((offset >> 52) | 0x4330000000000000) - (4503599627370496.0 + 2000.0);
  const double f = bits_as<double>((offset & 0xfffffffffffff) + root) - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  const double tail = polynomial(z, 0.6666666564180986, 0.4000033614210215, 0.28537241176734374,
                                 0.2358354187999467);
  double exponent = y * (e * 0.69314718055994531 + s * (2.0 + z * tail));
  exponent = exponent < -150.0 ? -150.0 : exponent;  // 0 and infinity in float
  exponent = exponent > 100.0 ? 100.0 : exponent;
  const double shifted = exponent * 1.4426950408889634 + round_magic_double;
  const double r = exponent - (shifted - round_magic_double) * 0.69314718055994531;
  const double power =
      polynomial(r, 1.0000000005546343, 1.000000036342505, 0.4999999207428687, 0.1666642007497154,
                 0.04166822624682401, 0.00837482400080861, 0.0013836836679156147);
  return power * bits_as<double>((bits_as<std::uint64_t>(shifted) << 52) + 0x3ff0000000000000);
}

/// x^y as C has it, from the power of |x|.
template <Real T>
GARBOARD_HD T power_with_sign(T x, T y, T power) {
  const bool is_whole = floor(y) == y;
  const bool is_odd = is_whole & (floor(y * T(0.5)) != y * T(0.5));
  const bool is_one = (x == 1) | (y == 0) | ((abs(x) == 1) & is_inf(y));
  const bool is_undefined = (x < 0) & (x > -infinity<T>)&!is_whole;
  const T magnitude = is_one ? T(1) : power;
  const T real = is_odd ? copy_sign(magnitude, x) : magnitude;
  return (is_undefined & !is_one) ? not_a_number<T> : real;
}

/// What x^y is where x is 0, infinite or NaN.
template <Real T>
GARBOARD_HD T power_of_extreme(T size, T y) {
  const T limit = (y < 0) == (size == 0) ? infinity<T> : T(0);
  const T known = size != size ? size : limit;
  return y != y ? y : known;
}

/// x^y, within 1 ULP; in double within 1.1.
GARBOARD_HD float pow(float x, float y) {
  const float size = abs(x);
  const float finite = static_cast<float>(short_power_of_positive(size, y));
  const float power = size > 0.0f ? finite : power_of_extreme(size, y);
  return power_with_sign(x, y, size < infinity<float> ? power : power_of_extreme(size, y));
}
GARBOARD_HD double pow(double x, double y) {
  const double size = abs(x);
  const double finite = power_of_positive(size, y);
  const double power = size > 0.0 ? finite : power_of_extreme(size, y);
  return power_with_sign(x, y, size < infinity<double> ? power : power_of_extreme(size, y));
}

/// x^y by squaring, wrapping; 0 for a negative y unless x is 1 or -1.
template <Integer T>
GARBOARD_HD T pow(T x, T y) {
  using Wide = std::uint64_t;
  if constexpr (std::is_signed_v<T>) {
    if (y < 0) return x == 1 ? T(1) : x == -1 ? (y & 1 ? T(-1) : T(1)) : T(0);
  }
  Wide result = 1, square = static_cast<Wide>(x);
  for (auto left = static_cast<Wide>(y); left; left >>= 1) {
    if (left & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

}  // namespace garboard::functors
