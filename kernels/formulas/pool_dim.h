// What the windows of a pool meet along one dim.
#pragma once

#include "csrc/core/host_device.h"
#include "kernels/windows.h"

namespace garboard::kernels {

/// Numbers from `first` on, and before `end`.
struct PoolRange {
  std::int64_t first, end;
};

struct PoolDim {
  std::int64_t size, places, taps, stride, padding, dilation;
  bool adapts;

  GARBOARD_HD static PoolDim of(const PoolWindow& window, int d, std::int64_t size,
                                std::int64_t places) {
    return {size,
            places,
            window.taps[d],
            window.stride[d],
            window.padding[d],
            window.dilation[d],
            window.adapts};
  }

  GARBOARD_HD std::int64_t first(std::int64_t place) const {
    return adapts ? place * size / places : place * stride - padding;
  }
  /// How many elements place meets from `first` on, inside or not.
  GARBOARD_HD std::int64_t count(std::int64_t place) const {
    return adapts ? rounded_up((place + 1) * size, places) - first(place) : taps;
  }
  GARBOARD_HD std::int64_t step() const { return adapts ? 1 : dilation; }
  /// Those that lie inside are of taps [first, last): a window may be far larger than what it
  /// meets.
  GARBOARD_HD std::int64_t first_tap(std::int64_t place) const {
    return larger_of(rounded_up(-first(place), step()), 0);
  }
  GARBOARD_HD std::int64_t last_tap(std::int64_t place) const {
    return smaller_of(rounded_up(size - first(place), step()), count(place));
  }
  /// Those of them that an average divides by: they lie inside, or in the padding.
  GARBOARD_HD std::int64_t divisor(std::int64_t place, bool counts_padding) const {
    const std::int64_t begin = first(place), end = begin + count(place);
    const std::int64_t around = counts_padding && !adapts ? padding : 0;
    return smaller_of(end, size + around) - larger_of(begin, -around);
  }

  /// The places of which some may meet element `at`; no other does.
  GARBOARD_HD PoolRange places_around(std::int64_t at) const {
    if (adapts) return {at * places / size, rounded_up((at + 1) * places, size)};
    const std::int64_t behind = at + padding - (taps - 1) * dilation;
    return {larger_of(rounded_up(behind, stride), 0),
            smaller_of((at + padding) / stride + 1, places)};
  }
  /// Whether one of them does.
  GARBOARD_HD bool meets(std::int64_t place, std::int64_t at) const {
    return (at - first(place)) % step() == 0;
  }

 private:
  // Of what is less than 0 no more is asked than that it does not come out above 0.
  GARBOARD_HD static std::int64_t rounded_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
  }
  GARBOARD_HD static std::int64_t smaller_of(std::int64_t a, std::int64_t b) {
    return a < b ? a : b;
  }
  GARBOARD_HD static std::int64_t larger_of(std::int64_t a, std::int64_t b) {
    return a > b ? a : b;
  }
};

}  // namespace garboard::kernels
