// The least and the most of a slice of integers, and how far apart they are.
#pragma once

#include "kernels/cpu/order/slices.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How far apart two integers are.
template <class T>
std::uint64_t distance(T from, T to) {
  return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

template <class T>
struct IntegerExtent {
  T least, most;
  /// Whether 32 bits tell how far each of them is from either end.
  bool is_narrow() const { return distance(least, most) <= UINT32_MAX; }
  /// How far from what is the first in order.
  std::uint64_t from_first(T x, bool descending) const {
    return descending ? distance(x, most) : distance(least, x);
  }
  T at_distance(std::uint64_t from_first, bool descending) const {
    return static_cast<T>(descending ? static_cast<std::uint64_t>(most) - from_first
                                     : static_cast<std::uint64_t>(least) + from_first);
  }
};

template <class T>
IntegerExtent<T> extent_of(StridedSlice<const T> x) {
  IntegerExtent<T> found{x[0], x[0]};
  for (const auto [first, last] : Pieces<>(x.count)) {
    for (std::int64_t i = first; i < last; ++i) {
      found.least = x[i] < found.least ? x[i] : found.least;
      found.most = x[i] > found.most ? x[i] : found.most;
    }
  }
  return found;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
