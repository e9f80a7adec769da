// The gamma function's logarithm and its slopes, the inverse of the error function; and functors of
// what fewer programs call.
#pragma once

#include "kernels/functors/angle.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/logarithm.h"
#include "kernels/functors/normal.h"

namespace garboard::functors {

inline constexpr double pi = 3.14159265358979323846;

/// x less the nearest integer, of which sin(pi x) and cos(pi x) tell but for a sign.
GARBOARD_HD double beside_integer(double x) { return x - round_to_even(x); }

/// ln(gamma(1.5 + t)) / ((0.5 + t) (t - 0.5)) for |t| <= 0.6.
GARBOARD_HD double lgamma_curve(double t) {
  return polynomial(t, 0.4831289505409809305, -0.1459598959143061086, 0.0629114010745373266,
                    -0.03130848750099327452, 0.01679709863424538404, -0.009425622450433037228,
                    0.005446457712783477578, -0.003212073992615891869, 0.001922919042128173658,
                    -0.001164416336680362822, 0.0007114851341773135687, -0.0004379712933875494395,
                    0.0002715714500584280802, -0.0001690832411446525767, 0.0001041381253094612298,
                    -0.00006536020669598121099, 0.00004652072161105144997,
                    -0.00002944370253363777918, 7.597987243303591226e-6, -4.768437849531776496e-6,
                    0.00001596798718964352219, -0.00001021756584872548529);
}

/// The same within 1e-9, for a result in float.
GARBOARD_HD double short_lgamma_curve(double t) {
  return polynomial(t, 0.48312895007245609, -0.14595989394868306, 0.062911493545561652,
                    -0.031308638230719035, 0.016794156511811845, -0.0094223381367940207,
                    0.0054803874319406932, -0.0032424528086805265, 0.0017491705350615347,
                    -0.001030394624547003, 0.001103521417293157, -0.00070842372910223427);
}

/// ln(gamma(x)) for x >= 0. Below 8 it is brought to [0.9, 2.1], around both of its zeros; from
/// there on it is Stirling's series.
template <bool in_float>
GARBOARD_HD double lgamma_of_positive(double x) {
  constexpr double large = 8.0;
  const bool is_small = x < 0.9, is_large = !(x < large);
  double y = is_small ? x + 1.0 : x, product = 1.0;
  for (int step = 0; step < 6; ++step) {
    const bool is_above = y > 2.1;
    y = is_above ? y - 1.0 : y;
    product = is_above ? product * y : product;
  }
  const double logarithm = log(is_small | is_large ? x : product), t = y - 1.5;
  const double curve = in_float ? short_lgamma_curve(t) : lgamma_curve(t);
  const double between = curve * ((y - 1.0) * (y - 2.0));
  const double near = is_small ? between - logarithm : between + logarithm;
  const double z = 1.0 / x, square = z * z;
  const double series =
      in_float
          ? polynomial(square, 0.083333333333333333, -0.0027777777777777778, 0.00079365079365079365)
          : polynomial(square, 0.083333333333333333, -0.0027777777777777778, 0.00079365079365079365,
                       -0.00059523809523809524, 0.00084175084175084175, -0.0019175269175269175,
                       0.0064102564102564103);
  const double far = (x - 0.5) * (logarithm - 1.0) + (0.41893853320467274178 + z * series);
  return is_large ? far : near;
}
template <bool in_float>
GARBOARD_HD double lgamma_of_any(double x) {
  const double size = abs(x);
  const double of_size = lgamma_of_positive<in_float>(size);
  const double sine = abs(sin_of_quarters(pi * beside_integer(x), 0));
  const double mirrored = log(pi / sine) - log(size) - of_size;
  const double finite = x < 0 ? mirrored : of_size;
  return size == infinity<double> ? size : finite;
}
/// ln(|gamma(x)|), within 4 ULP for x > 0; below, of the larger of it and 1.
GARBOARD_HD double lgamma(double x) { return lgamma_of_any<false>(x); }
/// Within 1 ULP.
GARBOARD_HD float lgamma(float x) {
  return static_cast<float>(lgamma_of_any<true>(static_cast<double>(x)));
}

/// The slope of lgamma; NaN at negative integers.
GARBOARD_HD double digamma(double x) {
  const bool is_mirrored = x < 0;
  double y = is_mirrored ? 1.0 - x : x, sum = 0;
  for (int step = 0; step < 10; ++step) {
    const bool is_below = y < 10.0;
    sum -= is_below ? 1.0 / y : 0.0;
    y = is_below ? y + 1.0 : y;
  }
  const double z = 1.0 / (y * y);
  const double series =
      z * polynomial(z, 0.083333333333333333, -0.0083333333333333333, 0.0039682539682539683,
                     -0.0041666666666666667, 0.0075757575757575758, -0.021092796092796093,
                     0.083333333333333333);
  const double above = log(y) - 0.5 / y - series;
  const double rest = beside_integer(x), angle = pi * rest;
  const double mirror = pi * sin_of_quarters(angle, 1) / sin_of_quarters(angle, 0);
  const double inside = rest == 0 ? not_a_number<double> : above + sum - mirror;
  return is_mirrored ? inside : above + sum;
}
GARBOARD_HD float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

/// The slope of digamma.
GARBOARD_HD double trigamma(double x) {
  const bool is_mirrored = x < 0;
  double y = is_mirrored ? 1.0 - x : x, sum = 0;
  for (int step = 0; step < 10; ++step) {
    const bool is_below = y < 10.0;
    sum += is_below ? 1.0 / (y * y) : 0.0;
    y = is_below ? y + 1.0 : y;
  }
  const double inverse = 1.0 / y, z = inverse * inverse;
  const double series = polynomial(z, 0.16666666666666667, -0.033333333333333333,
                                   0.023809523809523810, -0.033333333333333333,
                                   0.075757575757575758, -0.25311355311355311, 1.1666666666666667);
  const double whole = sum + (inverse + 0.5 * z + inverse * z * series);
  const double sine = sin_of_quarters(pi * beside_integer(x), 0);
  return is_mirrored ? pi * pi / (sine * sine) - whole : whole;
}
GARBOARD_HD float trigamma(float x) { return static_cast<float>(trigamma(static_cast<double>(x))); }

/// erfinv(size) / size within 3e-8, of w = -ln(1 - size^2); two curves, the second in sqrt(w).
template <Real T>
GARBOARD_HD T erfinv_near(T size) {
  const T w = -log((T(1) - size) * (T(1) + size));
  const T inside = polynomial(w - T(2.5), T(1.50140936045), T(0.246640279055), T(-0.0041773928752),
                              T(-0.00125272639177), T(0.00021834938624), T(-4.97241968945e-6),
                              T(-3.46398526763e-6), T(4.68131348055e-7), T(2.33359671957e-8),
                              T(-8.93192597024e-9));
  const T outside = polynomial(sqrt(w) - T(4.165), T(4.00638079542), T(1.00984338391),
                               T(0.000877617584568), T(-0.000684692896157), T(0.000240983234184),
                               T(-7.85655522797e-5), T(3.18185677459e-5), T(-1.34085536659e-5),
                               T(6.32210724561e-6), T(-5.74451448445e-6), T(3.39882732841e-6),
                               T(-3.50209781833e-7), T(-3.68958459921e-7), T(9.69026659676e-8));
  return size * (w < T(5) ? inside : outside);
}
/// The number whose error function is x, within 4 ULP; infinite at 1 and -1, NaN beyond.
GARBOARD_HD float erfinv(float x) {
  const float size = abs(x);
  return copy_sign(size == 1.0f ? infinity<float> : erfinv_near(size), x);
}
/// Nearer by a step of Halley's.
GARBOARD_HD double erfinv(double x) {
  const double size = abs(x);
  const double y = erfinv_near(size);
  const double off = size < 0.5 ? erf(y) - size : (1.0 - size) - erfc(y);
  const double step = off / (1.1283791670955126 * exp(-(y * y)));
  const double nearer = y - step / (1.0 + y * step);
  return copy_sign(size == 1.0 ? infinity<double> : nearer, x);
}

struct Digamma {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return digamma(x);
  }
};
struct ErfInv {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return erfinv(x);
  }
};
struct LogGamma {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return lgamma(x);
  }
  template <Real T>
  GARBOARD_HD static bool is_easy(T x) {
    return (x >= 0) & (x < infinity<T>);
  }
  template <Real T>
  GARBOARD_HD static T easy(T x) {
    return static_cast<T>(lgamma_of_positive<sizeof(T) == 4>(x));
  }
};
struct Trigamma {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return trigamma(x);
  }
};
/// Of -0 and of a NaN with a sign, too.
struct SignBit {
  template <Element T>
  GARBOARD_HD bool operator()(T x) const {
    if constexpr (Real<T>) return copy_sign(T(1), x) < 0;
    if constexpr (std::is_unsigned_v<T>) return false;  // bool too
    if constexpr (Integer<T> && std::is_signed_v<T>) return x < 0;
  }
};

/// a ln(b), and 0 where a is, unless b is NaN.
struct TimesLog {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T b) const {
    const T product = a * log(b);
    return (a == 0) & (b == b) ? T(0) : product;
  }
};
/// log2(2^a + 2^b), within 3 ULP of the larger of it and 1.
struct LogAddExp2 {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T b) const {
    const T larger = a < b ? b : a;
    const T apart = a == b ? T(0) : abs(a - b);  // of two infinities, too
    const T share = exp(apart * T(-0.69314718055994531));
    return larger + log1p_of_share(share) * T(1.4426950408889634074);
  }
};
/// The larger; the other one where one is NaN.
struct LargerNumber {
  static constexpr bool gives_bool = false;
  template <Element T>
  GARBOARD_HD T operator()(T a, T b) const {
    const T larger = a < b ? b : a;
    return a != a ? b : larger;
  }
};
/// The smaller; the other one where one is NaN.
struct SmallerNumber {
  static constexpr bool gives_bool = false;
  template <Element T>
  GARBOARD_HD T operator()(T a, T b) const {
    const T smaller = b < a ? b : a;
    return a != a ? b : smaller;
  }
};
/// 0 below zero, b at zero, 1 above; 0 of NaN.
struct Heaviside {
  static constexpr bool gives_bool = false;
  template <Element T>
  GARBOARD_HD T operator()(T a, T b) const {
    return a == T(0) ? b : T(a > T(0));
  }
};
/// The greatest common divisor, at least 0; the smallest integer's size wraps to itself.
struct CommonDivisor {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Integer T>
  GARBOARD_HD T operator()(T a, T b) const {
    auto x = size_of(a), y = size_of(b);
    while (y != 0) {
      const auto rest = x % y;
      x = y;
      y = rest;
    }
    return T(x);
  }

 private:
  template <Integer T>
  GARBOARD_HD static Unsigned<T> size_of(T x) {
    return x < T(0) ? Unsigned<T>(0) - Unsigned<T>(x) : Unsigned<T>(x);
  }
};
/// a 2^b, wrapping; 0 where b is negative or not below the number of bits.
struct ShiftLeft {
  static constexpr bool gives_bool = false;
  template <Integer T>
  GARBOARD_HD T operator()(T a, T b) const {
    constexpr T bits = sizeof(T) * 8;
    const bool is_inside = (b >= T(0)) & (b < bits);
    return is_inside ? T(Unsigned<T>(a) << (is_inside ? b : T(0))) : T(0);
  }
};
/// a / 2^b, rounded down; the sign alone is left where b is negative or not below the bits.
struct ShiftRight {
  static constexpr bool gives_bool = false;
  template <Integer T>
  GARBOARD_HD T operator()(T a, T b) const {
    constexpr T bits = sizeof(T) * 8;
    const bool is_inside = (b >= T(0)) & (b < bits);
    const T shifted = T(a >> (is_inside ? b : T(bits - 1)));
    return is_inside | std::is_signed_v<T> ? shifted : T(0);
  }
};

}  // namespace garboard::functors
