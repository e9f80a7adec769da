// Columns of numbers sorted side by side, one in each lane of a vector, by exchanges that do not
// depend on what is compared; or one column, in parts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace garboard::kernels::GARBOARD_ISA {
namespace {

// As many signed numbers of 64 bits as one instruction compares.
#if defined(__AVX512F__)
using WordLanes = std::int64_t __attribute__((vector_size(64)));
#elif defined(__AVX2__)
using WordLanes = std::int64_t __attribute__((vector_size(32)));
#else
using WordLanes = std::int64_t;
#endif
constexpr int word_lanes = sizeof(WordLanes) / sizeof(std::int64_t);

[[gnu::always_inline]] inline void put_in_order(WordLanes& a, WordLanes& b) {
  const WordLanes x = a, y = b;
  const auto swaps = y < x;
  a = swaps ? y : x;
  b = swaps ? x : y;
}

/// Sorts each lane of `x[0]` to `x[count - 1]`. By merge exchange: Knuth, The Art of Computer
/// Programming, volume 3, 5.2.2, algorithm M.
[[gnu::noinline]] inline void sort_columns(WordLanes* x, int count) {
  if (count < 2) return;
  const int top = static_cast<int>(std::bit_floor(static_cast<unsigned>(count - 1)));
  for (int p = top; p > 0; p /= 2) {
    int r = 0, d = p;
    for (int q = top;; q /= 2) {
      for (int start = r; start + d < count; start += 2 * p) {
        const int end = start + p < count - d ? start + p : count - d;
        for (int i = start; i < end; ++i) put_in_order(x[i], x[i + d]);
      }
      if (q == p) break;
      d = q - p;
      r = p;
    }
  }
}

/// Merges two sorted runs of `count` words that lie behind each other, from both ends at once.
inline void merge_halves(const std::int64_t* runs, std::int64_t count, std::int64_t* out) {
  const std::int64_t *a = runs, *b = runs + count, *a_last = b - 1, *b_last = b + count - 1;
  std::int64_t* last = out + 2 * count - 1;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t x = *a, y = *b, x_last = *a_last, y_last = *b_last;
    const bool takes_b = y < x, takes_a = y_last < x_last;
    *out++ = takes_b ? y : x;
    b += takes_b;
    a += !takes_b;
    *last-- = takes_a ? x_last : y_last;
    a_last -= takes_a;
    b_last -= !takes_a;
  }
}

/// Room for one column of up to `longest` words in so many lanes, and as much again.
template <int longest>
struct alignas(sizeof(WordLanes)) SplitColumn {
  std::int64_t words[longest + word_lanes], spare[longest + word_lanes];

  /// Sorts the first `count` words. Returns where the result is.
  std::int64_t* sort(std::int64_t count) {
    const std::int64_t rows = (count + word_lanes - 1) / word_lanes;
    std::fill(words + count, words + rows * word_lanes, INT64_MAX);
    sort_columns(reinterpret_cast<WordLanes*>(words), static_cast<int>(rows));
    if (word_lanes == 1) return words;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (int lane = 0; lane < word_lanes; ++lane)
        spare[lane * rows + i] = words[i * word_lanes + lane];
    }
    std::int64_t *from = spare, *to = words;
    for (int runs = word_lanes; runs > 1; runs /= 2) {
      const std::int64_t run = rows * word_lanes / runs;
      for (int k = 0; k < runs; k += 2) merge_halves(from + k * run, run, to + k * run);
      std::swap(from, to);
    }
    return from;
  }
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
