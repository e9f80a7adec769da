// Tangents and the inverse trigonometric functions, without branches.
#pragma once

#include "kernels/functors/sine.h"

namespace garboard::functors {

/// tan(x) for |x| <= sine_limit: within 4 ULP, in double within 3.
template <Real T>
GARBOARD_HD T tan_within(T x) {
  return x == 0 ? x : sin_of_quarters(x, 0) / sin_of_quarters(x, 1);
}

/// (atan(t) / t - 1) / t^2 of z = t^2 for |t| <= tan(pi / 8).
GARBOARD_HD float atan_curve(float z) {
  return polynomial(z, -0.3333333172f, 0.1999952946f, -0.1426353915f, 0.1073897626f,
                    -0.06435566884f);
}
GARBOARD_HD double atan_curve(double z) {
  return polynomial(z, -0.3333333333333332991, 0.199999999999951903, -0.1428571428459609142,
                    0.1111111100949221643, -0.09090904340747297482, 0.07692177617248543354,
                    -0.06664432272209729242, 0.05857456504330027559, -0.05081807295907803454,
                    0.03912600036801119086, -0.01904709056472017964);
}

/// The angle in [0, pi / 2] whose tangent is `up` / `along`, both at least 0 and finite; one of
/// them may be infinite. It is an eighth of a turn apart from one of which the curve tells.
template <Real T>
GARBOARD_HD T angle_of(T up, T along) {
  constexpr T tan_of_eighth = T(0.41421356237309503);
  const T small = up < along ? up : along, large = up < along ? along : up;
  const bool is_far = small > tan_of_eighth * large;
  const T over = is_far ? small - large : small, under = is_far ? small + large : large;
  const T t = under == 0 ? T(0) : over / under;
  constexpr T quarter = T(0.78539816339744830962);
  constexpr T quarter_rest = T(0.78539816339744830962L - quarter);
  const T near = t + t * (t * t) * atan_curve(t * t);
  const T below = is_far ? quarter + (near + quarter_rest) : near;
  const T from_above = T(2) * quarter - (below - T(2) * quarter_rest);
  return up > along ? from_above : below;
}

/// Within 3 ULP.
template <Real T>
GARBOARD_HD T atan(T x) {
  const T size = abs(x);
  const T bounded = size > T(1e18) ? T(1e18) : size;  // from there on it is pi / 2
  return copy_sign(angle_of(bounded, T(1)), x);
}
/// The angle of the point (x, y), within 4 ULP.
template <Real T>
GARBOARD_HD T atan2(T y, T x) {
  // Two infinities are as good as two ones, and beside one infinity all else is nothing. Scaled, no
  // quotient of subnormal or huge numbers loses digits.
  T up = abs(y), along = abs(x);
  const bool any_inf = (up == infinity<T>) | (along == infinity<T>);
  const T up_of_inf = up == infinity<T> ? T(1) : T(0);
  const T along_of_inf = along == infinity<T> ? T(1) : T(0);
  const T largest = up < along ? along : up;
  const T down = largest > T(1) ? T(0x1p-64) : T(0x1p64);
  const bool is_nan = (y != y) | (x != x);
  up = any_inf ? up_of_inf : up * down;
  along = any_inf ? along_of_inf : along * down;
  const T first = angle_of(up, along);
  constexpr T half = T(3.14159265358979323846);
  constexpr T half_rest = T(3.14159265358979323846L - half);
  const bool is_behind = x < 0 || (x == 0 && y == 0 && copy_sign(T(1), x) < 0);
  const T angle = is_behind ? half - (first - half_rest) : first;
  return is_nan ? x + y : copy_sign(angle, y);
}

/// (asin(s) / s - 1) / s^2 of z = s^2 <= 1 / 4.
GARBOARD_HD float asin_curve(float z) {
  return polynomial(z, 0.1666666631f, 0.07500099635f, 0.04459768679f, 0.03112075166f,
                    0.01705358334f, 0.0338497609f);
}
GARBOARD_HD double asin_curve(double z) {
  return polynomial(z, 0.1666666666666666795, 0.0749999999999829071, 0.0446428571466354114,
                    0.03038194411698886555, 0.02237217379698145083, 0.01735237273729451006,
                    0.01397150873044766915, 0.01147629933345640239, 0.01034147860066705608,
                    0.005377634399634047252, 0.0176174644608248034, -0.01518902109136870964,
                    0.02898729128580281101);
}
/// asin(s) for s^2 = z <= 1 / 4.
template <Real T>
GARBOARD_HD T asin_within(T s, T z) {
  return s + s * z * asin_curve(z);
}

inline constexpr double half_pi = 1.57079632679489661923;
inline constexpr double half_pi_rest = 6.123233995736766e-17;
inline constexpr float half_pi_float = 1.57079637f, half_pi_rest_float = -4.37113900e-8f;

/// Within 3 ULP; NaN beyond [-1, 1].
template <Real T>
GARBOARD_HD T asin(T x) {
  constexpr T most = sizeof(T) == 4 ? T(half_pi_float) : T(half_pi);
  constexpr T rest = sizeof(T) == 4 ? T(half_pi_rest_float) : T(half_pi_rest);
  const T size = abs(x);
  const bool is_far = size > T(0.5);
  const T z = is_far ? (T(1) - size) * T(0.5) : size * size;
  const T s = is_far ? sqrt(z) : size;
  const T inner = asin_within(s, z);
  return copy_sign(is_far ? most - (T(2) * inner - rest) : inner, x);
}
/// Within 2 ULP; NaN beyond [-1, 1].
template <Real T>
GARBOARD_HD T acos(T x) {
  constexpr T most = sizeof(T) == 4 ? T(half_pi_float) : T(half_pi);
  constexpr T rest = sizeof(T) == 4 ? T(half_pi_rest_float) : T(half_pi_rest);
  const T size = abs(x);
  const bool is_far = size > T(0.5);
  const T z = is_far ? (T(1) - size) * T(0.5) : size * size;
  const T s = is_far ? sqrt(z) : x;
  const T inner = asin_within(s, z);
  const T from_end = x < 0 ? T(2) * (most - (inner - rest)) : T(2) * inner;
  return is_far ? from_end : most - (inner - rest);
}

}  // namespace garboard::functors
