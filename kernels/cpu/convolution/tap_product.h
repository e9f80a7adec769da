// What convolutions and their gradients for the input are made of, said once for all ways to it.
#pragma once

#include <cstdint>

#include "kernels/cpu/convolution/tap_factors.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/taps/moved.h"
#include "kernels/cpu/taps/planes.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Where places of a convolution go: each to start + place * step along its dim.
template <class T>
struct Target {
  T* data;
  std::int64_t sample_stride;
  std::int64_t sizes[space_dims];
  std::int64_t step[space_dims], start[space_dims];

  /// Whether places lie as they are counted.
  bool is_dense(const std::int64_t (&places)[space_dims]) const {
    bool is = true;
    for (int d = 0; d < space_dims; ++d)
      is &= step[d] == 1 && start[d] == 0 && places[d] == sizes[d];
    return is;
  }

  /// Brings `count` places of a sample, from place `first` on, to the channel at `to`.
  void store(T* to, const T* from, const std::int64_t (&places)[space_dims], std::int64_t first,
             std::int64_t count) const {
    std::int64_t w = first % places[2], line = first / places[2];
    for (; count > 0; ++line, w = 0) {
      const std::int64_t some = smaller(places[2] - w, count);
      const std::int64_t y = line % places[1] * step[1] + start[1];
      const std::int64_t z = line / places[1] * step[0] + start[0];
      T* const at = to + (z * sizes[1] + y) * sizes[2] + start[2];
      const std::int64_t by = step[2];
      for (std::int64_t i = 0; i < some; ++i) at[(w + i) * by] = from[i];
      from += some;
      count -= some;
    }
  }
};

/// factors @ what the taps meet, + bias, for each group, to the target.
template <class T>
struct TapProduct {
  std::int64_t samples, groups, rows, channels;  // of a group each
  const TapFactors<T>& factors;
  Moved<T> moved;  // of the first group
  Target<T> target;
  const std::int64_t (&places)[space_dims];
  const T* bias = nullptr;

  std::int64_t taps() const { return product(moved.taps); }
  std::int64_t depth() const { return channels * taps(); }
  /// The number of a box's first place.
  std::int64_t first_place(const Box& box) const {
    return (box.first[0] * moved.places[1] + box.first[1]) * moved.places[2] + box.first[2];
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
