// The incomplete gamma functions, Hurwitz's zeta function, and the error function's tail without
// its power of e. In double, also of floats.
#pragma once

#include "kernels/functors/logarithm.h"
#include "kernels/functors/power.h"
#include "kernels/functors/special.h"

namespace garboard::functors {

/// mu - ln(x / a) for mu = (x - a) / a.
GARBOARD_HD double gap_of_logarithm(double a, double x) {
  const double mu = (x - a) / a;
  const double near = mu * mu *
                      polynomial(mu, 1.0 / 2, -1.0 / 3, 1.0 / 4, -1.0 / 5, 1.0 / 6, -1.0 / 7,
                                 1.0 / 8, -1.0 / 9, 1.0 / 10, -1.0 / 11, 1.0 / 12, -1.0 / 13);
  return abs(mu) < 0.05 ? near : mu - log(x / a);
}

/// x^a e^-x / gamma(a + 1) for a, x > 0. From 10 on by Stirling's series, in which the large powers
/// have met already.
GARBOARD_HD double gamma_peak(double a, double x) {
  if (a < 10.0) return exp(a * log(x) - x - lgamma(a + 1.0));
  const double z = 1.0 / a;
  const double rest = z * polynomial(z * z, 1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680,
                                     1.0 / 1188, -691.0 / 360360);
  return exp(-a * gap_of_logarithm(a, x) - rest) / sqrt(2.0 * pi * a);
}

/// The lower share of gamma(a) for x < a + 1, a sum of positive terms.
GARBOARD_HD double gamma_share_series(double a, double x) {
  double term = 1.0, sum = 1.0;
  for (int k = 1; k < 20000; ++k) {
    term *= x / (a + k);
    sum += term;
    if (!(term > sum * 1e-17)) break;
  }
  return gamma_peak(a, x) * sum;
}
/// The upper share for x >= a + 1, a continued fraction, by its denominators (Lentz).
GARBOARD_HD double gamma_rest_fraction(double a, double x) {
  double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, product = d;
  for (int k = 1; k < 20000; ++k) {
    const double numerator = k * (a - k);
    b += 2.0;
    d = 1.0 / (b + numerator * d);
    c = b + numerator / c;
    const double factor = c * d;
    product *= factor;
    if (!(abs(factor - 1.0) > 1e-16)) break;
  }
  return gamma_peak(a, x) * a * product;
}
/// The upper share for small x, whose digits 1 minus the lower one would lose where a is small.
GARBOARD_HD double gamma_rest_series(double a, double x) {
  double term = 1.0, sum = 0.0;
  for (int k = 1; k < 40; ++k) {
    term *= -x / k;
    sum += term / (a + k);
  }
  const double grown = expm1(a * log(x) - lgamma(a + 1.0));
  return -(grown + (1.0 + grown) * a * sum);
}
/// The upper share for a > 1e6, by the normal distribution and two corrections (Temme, "The
/// asymptotic expansion of the incomplete gamma functions", 1979).
GARBOARD_HD double gamma_rest_of_large(double a, double x) {
  const double mu = (x - a) / a;
  const double eta = copy_sign(sqrt(2.0 * gap_of_logarithm(a, x)), mu);
  const double inside = eta > 0.06 ? 0.06 : eta < -0.06 ? -0.06 : eta;  // 0 and 1 beyond
  const double first = polynomial(inside, -1.0 / 3, 1.0 / 12, -2.0 / 135, 1.0 / 864, 1.0 / 2835);
  const double second = polynomial(inside, -1.0 / 540, -1.0 / 288, 1.0 / 378);
  const double bell = exp(-0.5 * a * eta * eta) / sqrt(2.0 * pi * a);
  return 0.5 * erfc(eta * sqrt(0.5 * a)) + bell * (first + second / a);
}

/// Which share of gamma(a) the integral of t^(a - 1) e^-t has from x on, or up to x.
GARBOARD_HD_CALLED double gamma_share(double a, double x, bool is_upper) {
  if (a != a || x != x || a < 0 || x < 0) return not_a_number<double>;
  const double upper = is_upper ? 1.0 : 0.0, lower = is_upper ? 0.0 : 1.0;
  if (a == 0) return x > 0 ? lower : not_a_number<double>;
  if (x == 0) return upper;
  if (is_inf(a)) return is_inf(x) ? not_a_number<double> : upper;
  if (is_inf(x)) return lower;
  if (a > 1e6) {
    const double rest = gamma_rest_of_large(a, x);
    return is_upper ? rest : 1.0 - rest;
  }
  if (is_upper && x <= 1.1 && x < a + 1.0) return gamma_rest_series(a, x);
  const double found = x < a + 1.0 ? gamma_share_series(a, x) : gamma_rest_fraction(a, x);
  return (x < a + 1.0) == is_upper ? 1.0 - found : found;
}

/// The sum of (q + k)^-s over k >= 0, for s > 1 and q > 0: some terms, and for the rest the formula
/// of Euler and Maclaurin.
GARBOARD_HD double zeta_of_positive(double s, double q) {
  double sum = 0, a = q;
  for (int k = 0; k < 12; ++k, a += 1.0) sum += pow(a, -s);
  for (; a < 12.0; a += 1.0) sum += pow(a, -s);
  const double last = pow(a, -s);
  if (last == 0 || is_inf(sum)) return sum;
  const double z = 1.0 / (a * a);
  double product = s / a, corrections = product / 12;
  constexpr double factors[] = {-1.0 / 720,
                                1.0 / 30240,
                                -1.0 / 1209600,
                                1.0 / 47900160,
                                -691.0 / 1307674368000.0,
                                1.0 / 74724249600.0,
                                -3617.0 / 10670622842880000.0,
                                43867.0 / 5109094217170944000.0};
  double next = s + 1.0;
  for (const double factor : factors) {
    product *= next * (next + 1.0) * z;
    corrections += product * factor;
    next += 2.0;
  }
  return sum + last * (a / (s - 1.0) + 0.5 + corrections);
}
/// Hurwitz's zeta function, which of a q below 0 has a value where s is an integer.
GARBOARD_HD_CALLED double zeta(double s, double q) {
  if (s != s || q != q) return not_a_number<double>;
  if (s == 1) return infinity<double>;
  if (s < 1) return not_a_number<double>;
  if (q > 0) return is_inf(q) ? 0.0 : zeta_of_positive(s, q);
  if (floor(q) == q) return infinity<double>;
  if (floor(s) != s) return not_a_number<double>;
  // The terms below 0 are those of two sums above it, but for a sign.
  const double up = q - floor(q);
  const double below = zeta_of_positive(s, 1.0 - up) - zeta_of_positive(s, 1.0 - q);
  const bool is_odd = floor(s * 0.5) * 2.0 != s;
  return zeta_of_positive(s, up) + (is_odd ? -below : below);
}

/// e^(x^2) erfc(x), within 4 ULP.
GARBOARD_HD double erfcx(double x) {
  const double size = abs(x);
  const double inside = size > 20.0 ? 20.0 : size;
  const double near = 2.0 * tail_factor(inside * 1.4142135623730951);
  const double inverse = 1.0 / size, z = 0.5 * inverse * inverse;
  const double far = 0.56418958354775628695 * inverse *
                     polynomial(z, 1.0, -1.0, 3.0, -15.0, 105.0, -945.0, 10395.0);
  const double right = size > 20.0 ? far : near;
  const double below = size > 27.0 ? 27.0 : size;  // infinite beyond
  const double head = leading_half(below);
  const double power = exp_of_sum(head * head, (below - head) * (below + head), 2.0);
  return x != x ? x : x < 0 ? power - right : right;
}

struct Erfcx {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(erfcx(static_cast<double>(x)));
  }
};
/// The lower share of gamma(a).
struct GammaLower {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T x) const {
    return static_cast<T>(gamma_share(static_cast<double>(a), static_cast<double>(x), false));
  }
};
/// The upper one.
struct GammaUpper {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T a, T x) const {
    return static_cast<T>(gamma_share(static_cast<double>(a), static_cast<double>(x), true));
  }
};
struct Zeta {
  static constexpr Effort effort = Effort::many;
  static constexpr bool gives_bool = false;
  template <Real T>
  GARBOARD_HD T operator()(T s, T q) const {
    return static_cast<T>(zeta(static_cast<double>(s), static_cast<double>(q)));
  }
};

}  // namespace garboard::functors
