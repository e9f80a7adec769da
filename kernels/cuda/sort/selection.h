// The entry of a rank without sorting: entries are counted by the digits of one number, the key
// above the place, from the top, and each time those go on that share the digits of the one that
// is looked for. No two entries are equal, so this ends, and ties need no rule of their own.
#pragma once

#include <bit>

#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/sort/digit_ranks.h"
#include "kernels/cuda/sort/sorted_slices.h"
#include "kernels/order_arguments.h"

namespace garboard::kernels::cuda {

/// A key and behind it a place.
template <class Bits>
using WordOf = std::conditional_t<sizeof(Bits) <= 4, std::uint64_t, unsigned __int128>;

inline constexpr int select_bits = 11, select_digits = 1 << select_bits;
inline constexpr int select_counters = select_digits + 1;  // and one for NaN

/// What is looked for in each slice.
struct SelectionGoal {
  std::int64_t rank;
  NaNs nans;
  bool takes_earlier;    // those of lower rank, too
  int place_bits;        // of a place in a slice
  std::uint32_t enough;  // entries may be left, which are sorted then

  /// The rank in a slice, so many elements of which are NaN.
  GARBOARD_HD std::uint32_t rank_in(std::uint32_t size, std::uint32_t count_of_nan) const {
    const std::uint32_t numbers = size - count_of_nan;
    if (count_of_nan > 0 && (nans == NaNs::win || numbers == 0)) return numbers;
    return nans == NaNs::passed_over ? (numbers - 1) / 2 : static_cast<std::uint32_t>(rank);
  }
};

/// The one of `rank`, alone.
inline SelectionGoal goal_of(std::int64_t size, std::int64_t rank, NaNs nans) {
  const auto place_bits = std::bit_width(static_cast<std::uint64_t>(size - 1));
  return {rank, nans, false, static_cast<int>(place_bits), sort_tile};
}

/// The entries of a slice whose words begin with `prefix`, above `shift` bits: one of them has the
/// rank.
template <class Word>
struct Bucket {
  Word prefix;
  int shift;
  std::uint32_t rank, before, count;  // before it, and in it

  /// What of a word is compared. All bits of it may be below.
  GARBOARD_HD static Word above(Word word, int shift) {
    return shift < static_cast<int>(8 * sizeof(Word)) ? word >> shift : Word{0};
  }
  GARBOARD_HD bool holds(Word word) const { return above(word, shift) == prefix; }
  GARBOARD_HD bool is_wanted(Word word, bool takes_earlier) const {
    const Word mine = above(word, shift);
    return mine == prefix || (takes_earlier && mine < prefix);
  }
  GARBOARD_HD int next_shift() const { return shift > select_bits ? shift - select_bits : 0; }
  GARBOARD_HD int digit(Word word) const {
    return static_cast<int>(word >> next_shift()) & ((1 << (shift - next_shift())) - 1);
  }
  GARBOARD_HD std::uint32_t wanted(const SelectionGoal& goal) const {
    return goal.takes_earlier ? before + count : count;
  }
  GARBOARD_HD bool is_met(const SelectionGoal& goal) const {
    return shift == 0 || wanted(goal) <= goal.enough;
  }
};

template <class Bits>
GARBOARD_HD WordOf<Bits> word_of(Bits key, std::int64_t place, const SelectionGoal& goal) {
  return WordOf<Bits>{key} << goal.place_bits | static_cast<std::uint32_t>(place);
}

template <class Bits>
GARBOARD_HD Bucket<WordOf<Bits>> whole_slice(std::int64_t size, const SelectionGoal& goal) {
  return {0, static_cast<int>(8 * sizeof(Bits)) + goal.place_bits, 0, 0,
          static_cast<std::uint32_t>(size)};
}

/// The part of `bucket` that holds the rank, by the counts of its digits. `is_first`: it is the
/// whole slice. All threads of a block of `block_threads` are told.
template <int block_threads, class Word>
__device__ Bucket<Word> narrowed(const Bucket<Word>& bucket, const std::uint32_t* counts,
                                 bool is_first, const SelectionGoal& goal) {
  constexpr int each = select_digits / block_threads;
  __shared__ EntryCount sums[block_threads / warp_threads];
  __shared__ Bucket<Word> found;
  const int t = static_cast<int>(threadIdx.x);
  Bucket<Word> next = bucket;
  if (is_first) next.rank = goal.rank_in(bucket.count, counts[select_digits]);
  std::uint32_t mine[each], sum = 0;
#pragma unroll
  for (int j = 0; j < each; ++j) sum += mine[j] = counts[t * each + j];
  const Seat seat(t, 0, block_threads, false);
  next.before += scan_lanes(sums, EntryCount{sum}, seat, block_threads).value - sum;
#pragma unroll
  for (int j = 0; j < each; ++j) {
    next.count = mine[j];
    if (next.before <= next.rank && next.rank - next.before < mine[j]) {
      next.shift = bucket.next_shift();
      next.prefix = bucket.prefix << (bucket.shift - next.shift) | Word(t * each + j);
      found = next;
      next.shift = bucket.shift;
    }
    next.before += mine[j];
  }
  __syncthreads();
  next = found;
  __syncthreads();
  return next;
}

/// Calls `run(key, place)` for elements `first` + thread, and so on by `block_threads`, of a slice
/// up to `behind`. Several are fetched before the first is looked at.
template <int block_threads, class Bits, class Run>
__device__ void for_each_key(const SortedSlice<Bits>& slice, std::int64_t first,
                             std::int64_t behind, Run run) {
  constexpr int ahead = 8;
  for (std::int64_t i = first + threadIdx.x; i < behind; i += ahead * block_threads) {
    Bits keys[ahead];
#pragma unroll
    for (int j = 0; j < ahead; ++j) {
      const std::int64_t place = i + j * block_threads;
      keys[j] = place < behind ? slice.key(place) : 0;
    }
#pragma unroll
    for (int j = 0; j < ahead; ++j)
      if (i + j * block_threads < behind) run(keys[j], i + j * block_threads);
  }
}

/// Counts the next digit of what of `bucket` stands from `first` up to `behind`, and NaN where it
/// is the whole slice.
template <int block_threads, class Bits>
__device__ void count_bucket(std::uint32_t* counts, const SortedSlice<Bits>& slice,
                             const Bucket<WordOf<Bits>>& bucket, bool is_first,
                             const SelectionGoal& goal, std::int64_t first, std::int64_t behind) {
  for_each_key<block_threads>(slice, first, behind, [&](Bits key, std::int64_t place) {
    const WordOf<Bits> word = word_of(key, place, goal);
    if (!bucket.holds(word)) return;
    atomicAdd(&counts[bucket.digit(word)], 1u);
    if (is_first && slice.rule.is_nan(key)) atomicAdd(&counts[select_digits], 1u);
  });
}

}  // namespace garboard::kernels::cuda
