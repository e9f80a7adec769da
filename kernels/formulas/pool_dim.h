// What the windows of a pool meet along one dim.
#pragma once

#include "csrc/core/host_device.h"
#include "kernels/functors/element.h"
#include "kernels/windows.h"

namespace garboard::kernels {

/// a + b; of integers it wraps.
template <functors::Number T>
GARBOARD_HD T pool_sum(T a, T b) {
  if constexpr (functors::Integer<T>)
    return static_cast<T>(static_cast<functors::Unsigned<T>>(a) +
                          static_cast<functors::Unsigned<T>>(b));
  else
    return a + b;
}

/// sum / by; of integers `by` is a whole number, and the result cut off towards 0.
template <functors::Number T>
GARBOARD_HD T pool_mean(T sum, double by) {
  if constexpr (functors::Integer<T>) {
    if (by >= 0x1p62 || by <= -0x1p62) return static_cast<T>(static_cast<double>(sum) / by);
    const T whole = static_cast<T>(by);
    if (whole == -1) return static_cast<T>(-static_cast<functors::Unsigned<T>>(sum));  // wraps
    return whole == 0 ? T(0) : static_cast<T>(sum / whole);
  } else {
    return sum / static_cast<T>(by);
  }
}

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
