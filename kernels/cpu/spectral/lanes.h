// Numbers of many signals into the lanes of vectors, and back.
#pragma once

#include <cstdint>
#include <utility>

#include "kernels/cpu/spectral/butterflies.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// The numbers of `live` signals, `live` from 1 to the lanes of a vector. Each has `units` of one
/// number, or of a complex one's two, `step` numbers apart.
template <class T>
struct SignalGroup {
  T* at[WideVector<T>::lanes];  // where those of each begin; of more than there are, any
  int live;
  bool in_pairs;
  bool is_swapped;  // numbers 2 i and 2 i + 1 for each other, there and back: the other direction
  std::int64_t step;

  /// Those of one signal follow each other.
  bool are_rows() const { return step == (in_pairs ? 2 : 1); }
  /// Those of one place follow each other, and fill a vector.
  bool are_beside() const {
    if (live < WideVector<T>::lanes) return false;
    for (int l = 1; l < live; ++l)
      if (at[l] - at[0] != l * (in_pairs ? 2 : 1)) return false;
    return true;
  }
};

/// Lane j of vector i becomes lane i of vector j.
template <class T>
__attribute__((always_inline)) inline void turn_square(LaneVector<T> (&x)[WideVector<T>::lanes]) {
  constexpr int side = WideVector<T>::lanes;
  const auto zip = [&]<int... k>(std::integer_sequence<int, k...>) {
    LaneVector<T> y[side];
    for (int i = 0; i < side / 2; ++i) {
      const LaneVector<T> a = x[i], b = x[i + side / 2];
      y[2 * i] = __builtin_shufflevector(a, b, (k / 2 + k % 2 * side)...);
      y[2 * i + 1] = __builtin_shufflevector(a, b, (k / 2 + side / 2 + k % 2 * side)...);
    }
    for (int i = 0; i < side; ++i) x[i] = y[i];
  };
#pragma GCC unroll 4
  for (int half = 1; half < side; half *= 2) zip(std::make_integer_sequence<int, side>());
}

template <class T, int... k>
__attribute__((always_inline)) inline ComplexLanes<T> parted(const T* from,
                                                             std::integer_sequence<int, k...>) {
  const LaneVector<T> a = WideVector<T>::load(from), b = WideVector<T>::load(from + sizeof...(k));
  return {__builtin_shufflevector(a, b, (2 * k)...), __builtin_shufflevector(a, b, (2 * k + 1)...)};
}
template <class T, int... k>
__attribute__((always_inline)) inline void pair_up(T* to, const ComplexLanes<T>& x,
                                                   std::integer_sequence<int, k...>) {
  constexpr int n = sizeof...(k);
  WideVector<T>::store(to, __builtin_shufflevector(x.re, x.im, (k / 2 + k % 2 * n)...));
  WideVector<T>::store(to + n, __builtin_shufflevector(x.re, x.im, ((k + n) / 2 + k % 2 * n)...));
}

/// Number i of every signal into the lanes of to[i], `count` numbers (not pairs) in all.
template <class T>
void read_signals(LaneVector<T>* to, const SignalGroup<const T>& from, std::int64_t count) {
  constexpr int lanes = WideVector<T>::lanes;
  constexpr auto all = std::make_integer_sequence<int, lanes>();
  const std::int64_t swap = from.is_swapped;
  if (from.are_beside()) {
    if (!from.in_pairs) {
      for (std::int64_t i = 0; i < count; ++i)
        to[i ^ swap] = WideVector<T>::load(from.at[0] + i * from.step);
      return;
    }
    for (std::int64_t i = 0; i < count / 2; ++i) {
      const ComplexLanes<T> x = parted(from.at[0] + i * from.step, all);
      to[2 * i + swap] = x.re;
      to[2 * i + 1 - swap] = x.im;
    }
    return;
  }
  std::int64_t i = 0;
  if (from.are_rows()) {
    for (; i + lanes <= count; i += lanes) {
      LaneVector<T> x[lanes];
      for (int l = 0; l < lanes; ++l) x[l] = WideVector<T>::load(from.at[l] + i);
      turn_square<T>(x);
      for (int l = 0; l < lanes; ++l) to[(i + l) ^ swap] = x[l];
    }
  }
  for (; i < count; ++i) {
    const std::int64_t at = from.in_pairs ? i / 2 * from.step + i % 2 : i * from.step;
    LaneVector<T> x{};
    for (int l = 0; l < from.live; ++l) x[l] = from.at[l][at];
    to[i ^ swap] = x;
  }
}

/// The way back; nothing is written for lanes without a signal.
template <class T>
void write_signals(const SignalGroup<T>& to, const LaneVector<T>* from, std::int64_t count) {
  constexpr int lanes = WideVector<T>::lanes;
  constexpr auto all = std::make_integer_sequence<int, lanes>();
  const std::int64_t swap = to.is_swapped;
  if (to.are_beside()) {
    if (!to.in_pairs) {
      for (std::int64_t i = 0; i < count; ++i)
        WideVector<T>::store(to.at[0] + i * to.step, from[i ^ swap]);
      return;
    }
    for (std::int64_t i = 0; i < count / 2; ++i)
      pair_up<T>(to.at[0] + i * to.step, {from[2 * i + swap], from[2 * i + 1 - swap]}, all);
    return;
  }
  std::int64_t i = 0;
  if (to.are_rows()) {
    for (; i + lanes <= count; i += lanes) {
      LaneVector<T> x[lanes];
      for (int l = 0; l < lanes; ++l) x[l] = from[(i + l) ^ swap];
      turn_square<T>(x);
      for (int l = 0; l < to.live; ++l) WideVector<T>::store(to.at[l] + i, x[l]);
    }
  }
  for (; i < count; ++i) {
    const std::int64_t at = to.in_pairs ? i / 2 * to.step + i % 2 : i * to.step;
    for (int l = 0; l < to.live; ++l) to.at[l][at] = from[i ^ swap][l];
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
