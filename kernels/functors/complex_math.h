// Elementary functions on one complex number, on their principal branches. They are computed in
// double, whatever the type: then float loses no digits where parts cancel. Signed zeros decide the
// side of a branch cut, as in C. The inverse trigonometric ones are Kahan's (1987).
#pragma once

#include "kernels/functors/angle.h"
#include "kernels/functors/logarithm.h"

namespace garboard::functors {
namespace detail {

GARBOARD_HD double full_sin(double x) {
  if (x == 0) return x;
  return abs(x) <= sine_limit<double> ? sin_of_quarters(x, 0) : sin(x);
}
GARBOARD_HD double full_cos(double x) {
  return abs(x) <= sine_limit<double> ? sin_of_quarters(x, 1) : cos(x);
}

/// a * b, where a zero stays one beside infinity.
GARBOARD_HD double product_of_parts(double a, double b) {
  return b == 0 ? copy_sign(1.0, a) * b : a * b;
}

GARBOARD_HD Complex<double> turned_left(Complex<double> z) { return {-z.imaginary, z.real}; }
GARBOARD_HD Complex<double> turned_right(Complex<double> z) { return {z.imaginary, -z.real}; }

}  // namespace detail

/// The absolute value; no square overflows or is lost.
GARBOARD_HD float abs(Complex<float> x) {
  const double a = x.real, b = x.imaginary;
  return static_cast<float>(sqrt(a * a + b * b));
}
GARBOARD_HD double abs(Complex<double> x) { return hypot(x.real, x.imaginary); }

template <ComplexNumber T>
GARBOARD_HD_CALLED T exp(T x) {
  const Complex<double> z(x);
  if (z.imaginary == 0) return T(Complex<double>(exp(z.real), z.imaginary));
  if (z.real == -infinity<double>) return T(Complex<double>(0.0));
  const double half = exp(z.real * 0.5);  // e^x may be too large before cos and sin make it less
  return T(Complex<double>(half * detail::full_cos(z.imaginary) * half,
                           half * detail::full_sin(z.imaginary) * half));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T log(T x) {
  const Complex<double> z(x);
  const double across = abs(z.real), up = abs(z.imaginary);
  const double larger = across < up ? up : across, smaller = across < up ? across : up;
  const double size = hypot(larger, smaller);
  const bool is_near_one = size > 0.5 && size < 3;
  const bool is_beyond = size == infinity<double> && larger < infinity<double>;
  const double logarithm =
      is_near_one ? 0.5 * log1p((larger - 1) * (larger + 1) + smaller * smaller)
      : is_beyond ? log(hypot(larger * 0.5, smaller * 0.5)) + 0.69314718055994531
                  : log(size);
  return T(Complex<double>(logarithm, atan2(z.imaginary, z.real)));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T sqrt(T x) {
  const Complex<double> z(x);
  if (abs(z.imaginary) == infinity<double>)
    return T(Complex<double>(infinity<double>, z.imaginary));
  const double across = abs(z.real);
  // Large and small numbers are brought to where neither the sum nor a square leaves the range.
  const double largest = across < abs(z.imaginary) ? abs(z.imaginary) : across;
  const bool is_large = largest > 0x1p1000, is_small = largest < 0x1p-1000;
  const double down = is_large ? 0x1p-54 : is_small ? 0x1p108 : 1.0;
  const double back = is_large ? 0x1p27 : is_small ? 0x1p-54 : 1.0;
  const double size = hypot(across * down, z.imaginary * down);
  const double root = sqrt((across * down + size) * 0.5);
  if (root == 0) return T(Complex<double>(0.0, z.imaginary));
  const double other = abs(z.imaginary * down) / (2 * root);
  const bool is_behind = copy_sign(1.0, z.real) < 0;
  const double real = is_behind ? other : root, imaginary = is_behind ? root : other;
  return T(Complex<double>(real * back, copy_sign(imaginary * back, z.imaginary)));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T sinh(T x) {
  const Complex<double> z(x);
  return T(Complex<double>(detail::product_of_parts(detail::full_cos(z.imaginary), sinh(z.real)),
                           detail::product_of_parts(cosh(z.real), detail::full_sin(z.imaginary))));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T cosh(T x) {
  const Complex<double> z(x);
  const double up = detail::full_sin(z.imaginary), across = sinh(z.real);
  return T(Complex<double>(
      cosh(z.real) * detail::full_cos(z.imaginary),
      up == 0 ? detail::product_of_parts(across, up) : detail::product_of_parts(up, across)));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T tanh(T x) {
  const Complex<double> z(x);
  const double up = detail::full_sin(z.imaginary), along = detail::full_cos(z.imaginary);
  if (abs(z.real) > 20)
    return T(Complex<double>(copy_sign(1.0, z.real),
                             detail::product_of_parts(4 * exp(-2 * abs(z.real)), up * along)));
  const double across = sinh(z.real), divisor = along * along + across * across;
  return T(Complex<double>(across * cosh(z.real) / divisor, up * along / divisor));
}

template <ComplexNumber T>
GARBOARD_HD T sin(T x) {
  return T(detail::turned_right(sinh(detail::turned_left(Complex<double>(x)))));
}
template <ComplexNumber T>
GARBOARD_HD T cos(T x) {
  return T(cosh(detail::turned_left(Complex<double>(x))));
}
template <ComplexNumber T>
GARBOARD_HD T tan(T x) {
  return T(detail::turned_right(tanh(detail::turned_left(Complex<double>(x)))));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T asin(T x) {
  const Complex<double> z(x);
  const Complex<double> below = sqrt(Complex<double>(1 - z.real, -z.imaginary));
  const Complex<double> above = sqrt(Complex<double>(1 + z.real, z.imaginary));
  return T(Complex<double>(atan2(z.real, (below * above).real),
                           asinh(below.real * above.imaginary - below.imaginary * above.real)));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T acos(T x) {
  const Complex<double> z(x);
  const Complex<double> below = sqrt(Complex<double>(1 - z.real, -z.imaginary));
  const Complex<double> above = sqrt(Complex<double>(1 + z.real, z.imaginary));
  return T(Complex<double>(2 * atan2(below.real, above.real),
                           asinh(above.real * below.imaginary - above.imaginary * below.real)));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T acosh(T x) {
  const Complex<double> z(x);
  const Complex<double> below = sqrt(Complex<double>(z.real - 1, z.imaginary));
  const Complex<double> above = sqrt(Complex<double>(z.real + 1, z.imaginary));
  return T(Complex<double>(asinh(below.real * above.real + below.imaginary * above.imaginary),
                           2 * atan2(below.imaginary, above.real)));
}

template <ComplexNumber T>
GARBOARD_HD_CALLED T atanh(T x) {
  const Complex<double> z(x);
  const double across = abs(z.real), size = hypot(z.real, z.imaginary);
  constexpr double quarter_turn = 1.57079632679489661923;
  if (size > 0x1p500)
    return T(Complex<double>(z.real / size / size, copy_sign(quarter_turn, z.imaginary)));
  const double apart = (1 - across) * (1 - across) + z.imaginary * z.imaginary;
  return T(Complex<double>(
      copy_sign(0.25 * log1p(4 * across / apart), z.real),
      0.5 * atan2(2 * z.imaginary, (1 - across) * (1 + across) - z.imaginary * z.imaginary)));
}

template <ComplexNumber T>
GARBOARD_HD T asinh(T x) {
  return T(detail::turned_right(asin(detail::turned_left(Complex<double>(x)))));
}
template <ComplexNumber T>
GARBOARD_HD T atan(T x) {
  return T(detail::turned_right(atanh(detail::turned_left(Complex<double>(x)))));
}

/// ln(1 + z).
template <ComplexNumber T>
GARBOARD_HD_CALLED T log1p(T x) {
  const Complex<double> z(x);
  if (abs(z) > 0.5) return T(log(Complex<double>(1 + z.real, z.imaginary)));
  const double beyond = z.real * (2 + z.real) + z.imaginary * z.imaginary;
  return T(Complex<double>(0.5 * log1p(beyond), atan2(z.imaginary, 1 + z.real)));
}

/// e^z - 1.
template <ComplexNumber T>
GARBOARD_HD_CALLED T expm1(T x) {
  const Complex<double> z(x);
  const double half = detail::full_sin(0.5 * z.imaginary);
  return T(Complex<double>(expm1(z.real) * detail::full_cos(z.imaginary) - 2 * half * half,
                           detail::product_of_parts(exp(z.real), detail::full_sin(z.imaginary))));
}

template <ComplexNumber T>
GARBOARD_HD T log2(T x) {
  const Complex<double> y = log(Complex<double>(x));
  return T(Complex<double>(y.real * 1.4426950408889634, y.imaginary * 1.4426950408889634));
}
template <ComplexNumber T>
GARBOARD_HD T log10(T x) {
  const Complex<double> y = log(Complex<double>(x));
  return T(Complex<double>(y.real * 0.43429448190325183, y.imaginary * 0.43429448190325183));
}
template <ComplexNumber T>
GARBOARD_HD T exp2(T x) {
  const Complex<double> z(x);
  return T(exp(Complex<double>(z.real * 0.69314718055994531, z.imaginary * 0.69314718055994531)));
}

/// 1 / (1 + e^-z).
template <ComplexNumber T>
GARBOARD_HD T sigmoid(T x) {
  const Complex<double> power = exp(-Complex<double>(x));
  return T(Complex<double>(1.0) / Complex<double>(1 + power.real, power.imaginary));
}

/// x^y. Of the exponents in everyday use exactly what products, quotients and roots give.
template <ComplexNumber T>
GARBOARD_HD_CALLED T pow(T x, T y) {
  const Complex<double> z(x), w(y);
  if (w == Complex<double>(0.0)) return T(Complex<double>(1.0));
  if (z == Complex<double>(0.0)) {
    const double limit = w.real > 0 ? 0.0 : not_a_number<double>;
    return T(Complex<double>(limit, limit));
  }
  if (w.imaginary == 0) {
    if (w.real == 1) return x;
    if (w.real == 2) return T(z * z);
    if (w.real == 3) return T(z * z * z);
    if (w.real == -1) return T(Complex<double>(1.0) / z);
    if (w.real == 0.5) return T(sqrt(z));
  }
  return T(exp(w * log(z)));
}

}  // namespace garboard::functors
