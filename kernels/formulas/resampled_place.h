// Sampling along one dim: what a place is made of.
#pragma once

#include "csrc/core/host_device.h"
#include "kernels/functors/element.h"
#include "kernels/windows.h"

namespace garboard::kernels {

inline constexpr int most_resampled = 4;  // elements

/// Elements of x, and what they are multiplied by.
template <functors::Real T>
struct ResampledPlace {
  std::int64_t at[most_resampled];
  T factor[most_resampled];
};

/// How places along one dim are made.
template <functors::Real T>
struct Resampling {
  Sampling sampling;
  bool aligns_corners;
  double scale;
  std::int64_t size;  // of x

  GARBOARD_HD static Resampling of(const Resample& given, std::int64_t size) {
    return {given.sampling, given.aligns_corners, given.scale, size};
  }

  /// How many elements a place is made of.
  GARBOARD_HD int taps() const {
    return sampling == Sampling::cubic ? 4 : sampling == Sampling::linear ? 2 : 1;
  }

  /// Place `i`; `at[k]` grows with `k` and with `i`, or stays. Positions with the digits that
  /// PyTorch gives them, single ones for the nearest: with more, some places would fall on another
  /// element.
  GARBOARD_HD ResampledPlace<T> place(std::int64_t i) const {
    if (sampling == Sampling::nearest || sampling == Sampling::nearest_exact) {
      const auto step = static_cast<float>(scale), number = static_cast<float>(i);
      const float from = sampling == Sampling::nearest ? number : number + 0.5f;
      return {{inside(floor_of(static_cast<double>(from * step)))}, {T(1)}};
    }
    const auto step = static_cast<T>(scale), number = static_cast<T>(i);
    T from = aligns_corners ? number * step : (number + T(0.5)) * step - T(0.5);
    if (sampling == Sampling::linear) {
      if (from < 0) from = 0;
      const std::int64_t first = inside(floor_of(static_cast<double>(from)));
      T rest = from - static_cast<T>(first);
      rest = rest < 0 ? T(0) : rest > 1 ? T(1) : rest;
      return {{first, inside(first + 1)}, {1 - rest, rest}};
    }
    const std::int64_t first = floor_of(static_cast<double>(from));
    const T rest = from - static_cast<T>(first);
    return {{inside(first - 1), inside(first), inside(first + 1), inside(first + 2)},
            {cubic(rest + 1), cubic(rest), cubic(1 - rest), cubic(2 - rest)}};
  }

 private:
  /// At most 2^62, where steps are out of all proportion.
  GARBOARD_HD static std::int64_t floor_of(double x) {
    const auto cut = static_cast<std::int64_t>(x < 0x1p62 ? x : 0x1p62);
    return static_cast<double>(cut) > x ? cut - 1 : cut;
  }
  GARBOARD_HD std::int64_t inside(std::int64_t at) const {
    const std::int64_t below = at < size - 1 ? at : size - 1;
    return below > 0 ? below : 0;
  }
  /// Cubic convolution with a = -0.75 at distance x from 0 to 2 (Keys, "Cubic convolution
  /// interpolation for digital image processing", 1981).
  GARBOARD_HD static T cubic(T x) {
    constexpr T a = T(-0.75);
    return x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  }
};

}  // namespace garboard::kernels
