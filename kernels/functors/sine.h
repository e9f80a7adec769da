// Sine and cosine: the angle is brought within pi / 4 of a multiple of pi / 2, without branches. An
// angle beyond `sine_limit` goes to the C library on the host and to CUDA's own on the device.
#pragma once

#include "kernels/functors/scalar_math.h"

namespace garboard::functors {

/// Up to here `sin_of_quarters` holds: beyond, the multiple of pi / 2 is no longer exact.
template <Real T>
inline constexpr T sine_limit = T(1048576);

/// sin(x + quarters * pi / 2) for |x| <= sine_limit, within 2 ULP.
GARBOARD_HD float sin_of_quarters(float x, std::uint32_t quarters) {
  // In double, by a pi / 2 in two parts, of which the first has 33 bits: n times it is exact.
  const double wide = x;
  const double shifted = wide * 0.63661977236758134 + round_magic_double;
  const double n = shifted - round_magic_double;
  const float r =
      static_cast<float>((wide - n * 1.57079632673412561417) - n * 6.07710050650619225e-11);
  const float z = r * r;
  const float sine =
      r + r * (z * polynomial(z, -0.1666665465f, 0.008332157826f, -0.0001951437844f));
  const float cosine =
      1.0f + z * (z * polynomial(z, 0.04166664652f, -0.001388734748f, 2.443586716e-5f) - 0.5f);
  const std::uint32_t quadrant =
      static_cast<std::uint32_t>(bits_as<std::uint64_t>(shifted)) + quarters;
  const float chosen = quadrant & 1 ? cosine : sine;
  return quadrant & 2 ? -chosen : chosen;
}

/// The same within 1 ULP.
GARBOARD_HD double sin_of_quarters(double x, std::uint32_t quarters) {
  // pi / 2 in three parts, of which the first two have 33 bits. What is left after them, `r`, may
  // have lost all but a few digits of x, so what rounding takes from it is kept in `lost`.
  const double shifted = x * 0.63661977236758134 + round_magic_double;
  const double n = shifted - round_magic_double;
  const double near = x - n * 1.57079632673412561417;
  const double part = n * 6.077100506303966e-11;
  const double most = near - part;
  const double rest = ((near - most) - part) - n * 2.0222662487959506e-21;
  const double r = most + rest;
  const double lost = (most - r) + rest;
  const double z = r * r;
  const double half = 0.5 * z;
  const double sine =
      r + (r * z *
               polynomial(z, -0.16666666666666632, 0.00833333333332237, -0.00019841269829771514,
                          2.755731367876691e-06, -2.505075597414067e-08, 1.5896667081298702e-10) +
           (lost - half * lost));
  const double most_of_cosine = 1.0 - half;
  const double cosine =
      most_of_cosine +
      (((1.0 - most_of_cosine) - half) +
       (z * z *
            polynomial(z, 0.0416666666666666, -0.0013888888888874068, 2.48015872894445e-05,
                       -2.755731434080569e-07, 2.0875721629416898e-09, -1.135955909138704e-11) -
        r * lost));
  const std::uint64_t quadrant = bits_as<std::uint64_t>(shifted) + quarters;
  const double chosen = quadrant & 1 ? cosine : sine;
  return quadrant & 2 ? -chosen : chosen;
}

}  // namespace garboard::functors
