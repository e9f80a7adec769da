// The error function and what is made of the normal distribution, without branches: e^(-x^2 / 2)
// times a factor that falls slowly, so that even the far tail has all its digits.
#pragma once

#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// The density of the normal distribution at x is this times e^(-x^2 / 2).
template <Real T>
inline constexpr T density_scale = T(0.3989422804014327);

/// e^(size^2 / 2) times the share of the normal distribution beyond `size` >= 0, within 3 ULP. It
/// falls like 1 / size; the other factor hardly changes.
GARBOARD_HD float tail_factor(float size) {
  const float inverse = usual_inverse(size + 3.0f);
  return inverse * polynomial((size - 3.0f) * inverse, 0.7290837f, -0.509332f, 0.2300177f,
                              -0.047262687f, -0.010462513f, 0.0069693113f, 0.0010247541f,
                              -0.0010325734f, -0.0002447302f, 0.00013133019f, 5.4489148e-05f);
}
GARBOARD_HD double tail_factor(double size) {
  const double inverse = 1.0 / (size + 4.0);
  return inverse * polynomial((size - 4.0) * inverse, 0.7552851304157515, -0.6078966419718921,
                              0.38713740074221475, -0.18652185795965726, 0.06039657489092324,
                              -0.007540188966734599, -0.0034796923670928665, 0.0016308184578487726,
                              0.00013334430894506013, -0.00023109493880758798,
                              -1.908235413805374e-06, 3.514471386170566e-05, 7.165721582403795e-07,
                              -5.920301947372596e-06, -6.294570987182111e-07, 1.021930000687571e-06,
                              2.7143773766871954e-07, -1.556640147411683e-07,
                              -8.511645883755602e-08, 1.4082878171740738e-08, 1.958332356330761e-08,
                              1.4005251700087192e-09, -2.633194621866639e-09,
                              -5.823783873096907e-10, 5.7887279882502064e-11);
}

/// From here on the tail of the distribution is 0.
template <Real T>
inline constexpr T end_of_tail = sizeof(T) == 4 ? T(15) : T(39);

/// factor * e^(-size^2 / 2). Half of the digits are squared without an error.
GARBOARD_HD float bell(float size, float factor) {
  const float head = bits_as<float>(bits_as<std::uint32_t>(size) & 0xfffff000);
  return exp_of_sum(-0.5f * head * head, -0.5f * (size - head) * (size + head), factor);
}
GARBOARD_HD double bell(double size, double factor) {
  const double head = bits_as<double>(bits_as<std::uint64_t>(size) & 0xfffffffff8000000);
  return exp_of_sum(-0.5 * head * head, -0.5 * (size - head) * (size + head), factor);
}

/// Within 2 ULP.
GARBOARD_HD float erf(float x) {
  const float size = abs(x) > 4.0f ? 4.0f : abs(x);  // from there on it is 1
  const float inside =
      size + size * polynomial(size * size, 0.12837917f, -0.37612626f, 0.112835854f, -0.026853815f,
                               0.0051883305f, -0.00080102024f, 7.85385e-05f);
  const float outside =
      1.0f - exp(polynomial(size, -0.00034157294f, -1.127089f, -0.6381452f, -0.10310641f,
                            0.021837892f, -0.0029476136f, 0.0001863745f));
  return copy_sign(size < 1.0f ? inside : outside, x);
}
GARBOARD_HD double erf(double x) {
  const double size = abs(x) > 6.0 ? 6.0 : abs(x);
  const double inside =
      size + size * polynomial(size * size, 0.1283791670955126, -0.3761263890318375,
                               0.11283791670954858, -0.02686617064507296, 0.00522397762478137,
                               -0.0008548326978765149, 0.00012055331037551108,
                               -1.4925593518728226e-05, 1.6460972954153765e-06,
                               -1.635002619207727e-07, 1.4657883530919653e-08,
                               -1.136567067182716e-09, 5.945255584223488e-11);
  const double outside = 1.0 - 2.0 * exp(-(size * size)) * tail_factor(size * 1.4142135623730951);
  return copy_sign(size < 1.0 ? inside : outside, x);
}

/// 1 - erf(x), within 4 ULP, in the far tail too.
template <Real T>
GARBOARD_HD T erfc(T x) {
  constexpr T end = sizeof(T) == 4 ? T(10.2) : T(27.3);  // from there on it is 0
  constexpr std::uint64_t heads = sizeof(T) == 4 ? 0xfffff000u : 0xfffffffff8000000u;
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const T size = abs(x) > end ? end : abs(x);
  const T head = bits_as<T>(static_cast<Bits>(bits_as<Bits>(size) & static_cast<Bits>(heads)));
  const T factor = T(2) * tail_factor(size * T(1.4142135623730951));
  const T beyond = exp_of_sum(-head * head, -(size - head) * (size + head), factor);
  const T inside = x < 0 ? T(2) - beyond : beyond;
  return x != x ? x : inside;
}

}  // namespace garboard::functors
