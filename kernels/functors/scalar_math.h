// Elementary functions on one number, for host and device: branchless polynomials of our own,
// because g++ vectorises them. NaN and infinities give what IEEE 754 and C say. The errors stated
// are tested.
#pragma once

#include "kernels/functors/element.h"

namespace garboard::functors {

template <Real T>
inline constexpr T infinity = T(__builtin_huge_val());
template <Real T>
inline constexpr T not_a_number = T(__builtin_nan(""));

/// Whether x / y is a number that in double is off by less than one; of such a division the
/// remainder, exactly, with the sign of x.
GARBOARD_HD bool has_small_quotient(float x, float y);
GARBOARD_HD float rest_of_small(float x, float y);
/// Likewise in double, off by one at most; never where no product is subtracted without rounding.
GARBOARD_HD bool has_small_quotient(double x, double y);
GARBOARD_HD double rest_of_small(double x, double y);

/// Both halves of a product.
struct WideProduct {
  std::uint32_t high, low;

  GARBOARD_HD WideProduct(std::uint32_t a, std::uint32_t b);
};

#ifdef __CUDA_ARCH__
// One multiplication, of which the compiler makes two unless told.
GARBOARD_HD WideProduct::WideProduct(std::uint32_t a, std::uint32_t b) {
  std::uint64_t both;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(both) : "r"(a), "r"(b));
  high = static_cast<std::uint32_t>(both >> 32);
  low = static_cast<std::uint32_t>(both);
}
/// 1 / x and sqrt(x), which may be 0, where the exponent of x is not far from 0: as these, without
/// their other way.
GARBOARD_HD float usual_inverse(float x) {
  float near;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(x));
  return ::fmaf(near, ::fmaf(-x, near, 1.0f), near);
}
GARBOARD_HD float usual_root(float x) {
  float inverse;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  const float near = x * inverse;
  const float root = ::fmaf(::fmaf(-near, near, x), 0.5f * inverse, near);
  return x == 0 ? x : root;
}
GARBOARD_HD double usual_root(double x) { return ::sqrt(x); }
GARBOARD_HD float abs(float x) { return ::fabsf(x); }
GARBOARD_HD double abs(double x) { return ::fabs(x); }
GARBOARD_HD float floor(float x) { return ::floorf(x); }
GARBOARD_HD double floor(double x) { return ::floor(x); }
GARBOARD_HD float ceil(float x) { return ::ceilf(x); }
GARBOARD_HD double ceil(double x) { return ::ceil(x); }
GARBOARD_HD float round_to_even(float x) { return ::rintf(x); }
GARBOARD_HD double round_to_even(double x) { return ::rint(x); }
GARBOARD_HD float sqrt(float x) { return ::sqrtf(x); }
GARBOARD_HD double sqrt(double x) { return ::sqrt(x); }
GARBOARD_HD float copy_sign(float x, float sign) { return ::copysignf(x, sign); }
GARBOARD_HD double copy_sign(double x, double sign) { return ::copysign(x, sign); }
GARBOARD_HD double fused(double a, double b, double c) { return ::fma(a, b, c); }
GARBOARD_HD float fmod(float x, float y) { return ::fmodf(x, y); }
GARBOARD_HD double fmod(double x, double y) { return ::fmod(x, y); }
GARBOARD_HD float sin(float x) { return ::sinf(x); }
GARBOARD_HD double sin(double x) { return ::sin(x); }
GARBOARD_HD float cos(float x) { return ::cosf(x); }
GARBOARD_HD double cos(double x) { return ::cos(x); }
#else
// The lower half is apart from the upper one, because that is how g++ vectorises it.
GARBOARD_HD WideProduct::WideProduct(std::uint32_t a, std::uint32_t b)
    : high(static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32)), low(a * b) {}
GARBOARD_HD float usual_inverse(float x) { return 1.0f / x; }
GARBOARD_HD float usual_root(float x) { return __builtin_sqrtf(x); }
GARBOARD_HD double usual_root(double x) { return __builtin_sqrt(x); }
GARBOARD_HD float abs(float x) { return __builtin_fabsf(x); }
GARBOARD_HD double abs(double x) { return __builtin_fabs(x); }
GARBOARD_HD float floor(float x) { return __builtin_floorf(x); }
GARBOARD_HD double floor(double x) { return __builtin_floor(x); }
GARBOARD_HD float ceil(float x) { return __builtin_ceilf(x); }
GARBOARD_HD double ceil(double x) { return __builtin_ceil(x); }
GARBOARD_HD float round_to_even(float x) { return __builtin_rintf(x); }
GARBOARD_HD double round_to_even(double x) { return __builtin_rint(x); }
GARBOARD_HD float sqrt(float x) { return __builtin_sqrtf(x); }
GARBOARD_HD double sqrt(double x) { return __builtin_sqrt(x); }
GARBOARD_HD float copy_sign(float x, float sign) { return __builtin_copysignf(x, sign); }
GARBOARD_HD double copy_sign(double x, double sign) { return __builtin_copysign(x, sign); }
/// a b + c, rounded once.
GARBOARD_HD double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
/// Exactly. The library's goes bit by bit.
GARBOARD_HD float fmod(float x, float y) {
  return has_small_quotient(x, y) ? rest_of_small(x, y) : __builtin_fmodf(x, y);
}
GARBOARD_HD double fmod(double x, double y) {
  return has_small_quotient(x, y) ? rest_of_small(x, y) : __builtin_fmod(x, y);
}
GARBOARD_HD float sin(float x) { return __builtin_sinf(x); }
GARBOARD_HD double sin(double x) { return __builtin_sin(x); }
GARBOARD_HD float cos(float x) { return __builtin_cosf(x); }
GARBOARD_HD double cos(double x) { return __builtin_cos(x); }
#endif

GARBOARD_HD bool has_small_quotient(float x, float y) {
  const double size = abs(double{y});
  return (abs(double{x}) / size < 0x1p29) & (size <= 0x1p128 - 0x1p104);
}
GARBOARD_HD float rest_of_small(float x, float y) {
  const double a = abs(double{x}), b = abs(double{y});
  const double ratio = a / b;
  const double whole =
      ratio < 0x1p30 ? ratio : 0;  // others are asked for, and what comes is dropped
  const double rest = a - static_cast<double>(static_cast<std::int32_t>(whole)) * b;
  return copy_sign(static_cast<float>(rest < 0 ? rest + b : rest), x);
}
#ifdef __FMA__
GARBOARD_HD bool has_small_quotient(double x, double y) {
  return (abs(x) / abs(y) < 0x1p52) & (abs(y) < infinity<double>);
}
#else
GARBOARD_HD bool has_small_quotient(double, double) { return false; }
#endif
GARBOARD_HD double rest_of_small(double x, double y) {
  const double a = abs(x), b = abs(y);
  const double rest = fused(-floor(a / b), b, a);  // a multiple of the last digit of b
  return copy_sign(rest < 0 ? rest + b : rest, x);
}
/// The quotient of such a division, toward minus infinity: where it is no integer, it is farther
/// from one than rounding in double can move it, for both numbers have 24 digits.
GARBOARD_HD float floor_of_small(float x, float y) {
  return static_cast<float>(floor(double{x} / double{y}));
}
GARBOARD_HD double floor_of_small(double x, double y) {
  const double a = abs(x), b = abs(y);
  const double whole = floor(a / b), rest = fused(-whole, b, a);
  const double below = rest < 0 ? whole - 1 : whole;
  const bool is_negative = (x < 0) != (y < 0);
  return is_negative ? -(below + ((rest != 0) ? 1.0 : 0.0)) : below;
}

template <Real T>
GARBOARD_HD bool is_nan(T x) {
  return x != x;
}
template <Real T>
GARBOARD_HD bool is_inf(T x) {
  return abs(x) == infinity<T>;
}

/// The smaller, the larger; NaN if either is.
template <Element T>
GARBOARD_HD T min(T a, T b) {
  const T smaller = b < a ? b : a;  // a where it is NaN
  return b != b ? b : smaller;
}
template <Element T>
GARBOARD_HD T max(T a, T b) {
  const T larger = a < b ? b : a;
  return b != b ? b : larger;
}

// A float of about 1.5 * 2^23 has no bits left for a fraction: adding it rounds to an integer,
// which then stands in the low bits of the sum. No conversion, so NaN and huge numbers do no harm.
inline constexpr float round_magic = 12582912.0f;
inline constexpr double round_magic_double = 6755399441055744.0;

/// c + rest[0] x + rest[1] x^2 + ...
template <Real T>
GARBOARD_HD T polynomial(T, T c) {
  return c;
}
template <Real T, class... Rest>
GARBOARD_HD T polynomial(T x, T c, Rest... rest) {
  return c + x * polynomial(x, rest...);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln(2) / 2.
GARBOARD_HD float exp_curve(float r) {
  return polynomial(r, 0.4999999305f, 0.1666651479f, 0.04166845647f, 0.008369418717f,
                    0.001381316045f);
}
GARBOARD_HD double exp_curve(double r) {
  return polynomial(r, 0.50000000000000116745, 0.1666666666666638459, 0.041666666666519309788,
                    0.0083333333335085870825, 0.0013888888946890822023, 0.00019841269489484473357,
                    2.4801489373985931482e-5, 2.7557598450973658598e-6, 2.7631681724720637686e-7,
                    2.4998647381859980919e-8);
}
/// e^r - 1.
template <Real T>
GARBOARD_HD T expm1_of_rest(T r) {
  return exp_curve(r) * (r * r) + r;
}

/// x * 2^n, where `shifted` is n + round_magic. By two factors: one would leave the range of float
/// where the result is subnormal.
GARBOARD_HD float scaled(float x, float shifted) {
  const std::uint32_t biased =
      bits_as<std::uint32_t>(shifted) - bits_as<std::uint32_t>(round_magic) + 254;
  const std::uint32_t half = biased >> 1;
  return x * bits_as<float>(half << 23) * bits_as<float>((biased - half) << 23);
}
GARBOARD_HD double scaled(double x, double shifted) {
  const std::uint64_t biased =
      bits_as<std::uint64_t>(shifted) - bits_as<std::uint64_t>(round_magic_double) + 2046;
  const std::uint64_t half = biased >> 1;
  return x * bits_as<double>(half << 52) * bits_as<double>((biased - half) << 52);
}

/// e^x, within 1 ULP.
GARBOARD_HD float exp(float x) {
  x = x < -104.0f ? -104.0f : x;  // beyond these it is 0 and infinity anyway
  x = x > 89.0f ? 89.0f : x;
  const float shifted = x * 1.44269504f + round_magic;
  const float n = shifted - round_magic;
  const float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
  return scaled(expm1_of_rest(r) + 1.0f, shifted);
}

/// e^x, within 1.1 ULP.
GARBOARD_HD double exp(double x) {
  x = x < -746.0 ? -746.0 : x;
  x = x > 710.0 ? 710.0 : x;
  const double shifted = x * 1.4426950408889634 + round_magic_double;
  const double n = shifted - round_magic_double;
  const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  return scaled(expm1_of_rest(r) + 1.0, shifted);
}

/// factor * e^(x + rest), where `rest` is what rounding took from x, for -115 <= x <= 88; in double
/// for -770 <= x <= 720. The factor comes in before the result may be subnormal.
GARBOARD_HD float exp_of_sum(float x, float rest, float factor) {
  const float shifted = x * 1.44269504f + round_magic;
  const float n = shifted - round_magic;
  const float r = (x - n * 0.693359375f) + (n * 2.12194440e-4f + rest);
  return scaled((expm1_of_rest(r) + 1.0f) * factor, shifted);
}
/// Its error is little more than that of rounding the result.
GARBOARD_HD double exp_of_sum(double x, double rest, double factor) {
  const double shifted = x * 1.4426950408889634 + round_magic_double;
  const double n = shifted - round_magic_double;
  const double most = x - n * 6.93147180369123816490e-01;
  const double less = rest - n * 1.90821492927058770002e-10;
  const double r = most + less;
  const double power = 1.0 + (r + (exp_curve(r) * (r * r) + ((most - r) + less)));
  return scaled(power * factor, shifted);
}

/// ln(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)).
GARBOARD_HD float log_of_one_and(float f) {
  float q = -0.07634547292f;
  q = q * f + 0.127616211f;
  q = q * f - 0.1316018352f;
  q = q * f + 0.1420175162f;
  q = q * f - 0.1662335653f;
  q = q * f + 0.200012271f;
  q = q * f - 0.2500082106f;
  q = q * f + 0.3333333171f;
  q = q * f - 0.5f;
  return q * (f * f) + f;
}
/// What is left of f to its ln(1 + f), less `rest`, which is small.
GARBOARD_HD double log_tail(double f, double rest) {
  // ln(1 + f) = 2 atanh s.
  const double s = f / (2.0 + f);
  const double z = s * s;
  double q = 0.13243254914336197605;
  q = q * z + 0.13251522067508663259;
  q = q * z + 0.15386999968295715537;
  q = q * z + 0.18181778576127727376;
  q = q * z + 0.22222222596642853971;
  q = q * z + 0.28571428569545353224;
  q = q * z + 0.40000000000004229125;
  q = q * z + 0.66666666666666664085;
  const double half_square = 0.5 * f * f;
  return half_square - (s * (half_square + q * z) + rest);
}
GARBOARD_HD double log_of_one_and(double f) { return f - log_tail(f, 0.0); }

/// ln x, within 1.1 ULP; -infinity at 0, NaN below.
GARBOARD_HD float log(float x) {
  // x = 2^e * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)); a subnormal x is 2^23 times larger first.
  constexpr std::uint32_t root = 0x3f3504f3;
  const bool is_subnormal = x < 1.17549435e-38f;
  const auto bits = bits_as<std::uint32_t>(is_subnormal ? x * 8388608.0f : x);
  const std::uint32_t offset = bits - (is_subnormal ? root + (23u << 23) : root);
  const float e = static_cast<float>(static_cast<std::int32_t>(offset) >> 23);
  const float f = bits_as<float>((offset & 0x7fffff) + root) - 1.0f;
  const float finite = e * 0.693147181f + log_of_one_and(f);
  const float above = x < infinity<float> ? finite : x;
  const float whole = x == 0 ? -infinity<float> : above;
  return x < 0 ? not_a_number<float> : whole;
}

/// ln x, within 1 ULP; -infinity at 0, NaN below.
GARBOARD_HD double log(double x) {
  constexpr std::uint64_t root = 0x3fe6a09e667f3bcd;
  const bool is_subnormal = x < 2.2250738585072014e-308;
  const auto bits = bits_as<std::uint64_t>(is_subnormal ? x * 4503599627370496.0 : x);
  // The exponent goes to double by its bits: AVX2 has neither the shift nor the conversion.
  const std::uint64_t offset =
      bits - root + (std::uint64_t{is_subnormal ? 2000u - 52u : 2000u} << 52);
  const double e =
      bits_as<double>((offset >> 52) | 0x4330000000000000) - (4503599627370496.0 + 2000.0);
  const double f = bits_as<double>((offset & 0xfffffffffffff) + root) - 1.0;
  const double tail = log_tail(f, e * 1.90821492927058770002e-10);
  const double finite = e * 6.93147180369123816490e-01 - (tail - f);
  const double above = x < infinity<double> ? finite : x;
  const double whole = x == 0 ? -infinity<double> : above;
  return x < 0 ? not_a_number<double> : whole;
}

/// Within 3 ULP.
GARBOARD_HD float tanh(float x) {
  const float size = abs(x) > 9.1f ? 9.1f : abs(x);  // from there on it is 1
  // With y = e^(2 |x|) - 1 it is y / (y + 2), and y keeps its digits near 0. Few powers of 2 occur,
  // so ln 2 needs no second part.
  const float shifted = size * 2.88539008f + round_magic;
  const float n = shifted - round_magic;
  const float r = 2.0f * size - n * 0.693147181f;
  const float power = expm1_of_rest(r);
  const float scale = bits_as<float>((bits_as<std::uint32_t>(shifted) << 23) + 0x3f800000);
  const float y = power * scale + (scale - 1.0f);
  return copy_sign(y / (y + 2.0f), x);
}

/// Within 3 ULP.
GARBOARD_HD double tanh(double x) {
  const double size = abs(x) > 20.0 ? 20.0 : abs(x);
  const double shifted = size * 2.8853900817779268 + round_magic_double;
  const double n = shifted - round_magic_double;
  const double r = (2.0 * size - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  const double power = expm1_of_rest(r);
  const double scale =
      bits_as<double>((bits_as<std::uint64_t>(shifted) << 52) + 0x3ff0000000000000);
  const double y = power * scale + (scale - 1.0);
  return copy_sign(y / (y + 2.0), x);
}

/// 1 / (1 + e^-x), within 3 ULP: no power of e overflows on the way, so tiny results stay exact.
template <Real T>
GARBOARD_HD T sigmoid(T x) {
  const T power = exp(-abs(x));
  return (x < 0 ? power : T(1)) / (T(1) + power);
}

}  // namespace garboard::functors
