// Where the entries of a tile stand when it is sorted by one digit of their keys and equal digits
// keep their order. Each warp counts its own entries as it comes to them; then the warps' counts
// are added up digit by digit (Merrill and Grimshaw, "High performance and scalable radix sorting",
// 2011).
#pragma once

#include "kernels/cuda/launch/lanes.h"
#include "kernels/cuda/sort/warp_counts.h"

namespace garboard::kernels::cuda {

inline constexpr int digit_bits = 8, digits = 1 << digit_bits;
inline constexpr int warps_of_block = threads / warp_threads;
static_assert(digits == threads);  // a thread adds up the counts of a digit

template <class Bits>
GARBOARD_HD std::uint32_t digit_of(Bits key, int shift) {
  return static_cast<std::uint32_t>(key >> shift) % digits;
}

/// How many there are.
struct EntryCount {
  std::uint32_t value;

  GARBOARD_HD void merge(const EntryCount& other) { value += other.value; }
};

/// What a block shares to rank a tile of at most 2^15 entries.
struct DigitCounts {
  std::uint16_t of_warp[warps_of_block][digits];
  std::uint32_t starts[digits];  // where in the sorted tile each digit begins
  EntryCount sums[warps_of_block];
};

/// Of the `each` entries of a thread, which place in the tile number j has: a warp's entries stand
/// together, and its lanes take neighbours.
template <int each>
__device__ int place_in_tile(int j) {
  const int t = static_cast<int>(threadIdx.x);
  return t / warp_threads * (warp_threads * each) + j * warp_threads + t % warp_threads;
}

/// Of `mine` of each thread: how much the threads before it have.
__device__ inline std::uint32_t sum_before(EntryCount* sums, std::uint32_t mine) {
  const Seat seat(static_cast<int>(threadIdx.x), 0, threads, false);
  return scan_lanes(sums, EntryCount{mine}, seat, threads).value - mine;
}

/// Sets `ranks`, and `counts.starts` for all threads. Whatever was shared before has been read when
/// this returns. All threads of the block take part.
template <int each, class Bits>
__device__ void rank_by_digit(DigitCounts& counts, const Bits (&keys)[each], int shift,
                              int (&ranks)[each]) {
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int w = 0; w < warps_of_block; ++w) counts.of_warp[w][t] = 0;
  __syncthreads();
  std::uint16_t* const mine = counts.of_warp[t / warp_threads];
#pragma unroll
  for (int j = 0; j < each; ++j) {
    ranks[j] = static_cast<int>(counted(mine, digit_of(keys[j], shift)));
  }
  __syncthreads();
  std::uint32_t sum = 0;
#pragma unroll
  for (int w = 0; w < warps_of_block; ++w) {
    const std::uint16_t count = counts.of_warp[w][t];
    counts.of_warp[w][t] = static_cast<std::uint16_t>(sum);
    sum += count;
  }
  const std::uint32_t start = sum_before(counts.sums, sum);
  counts.starts[t] = start;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < each; ++j) {
    const std::uint32_t digit = digit_of(keys[j], shift);
    ranks[j] += static_cast<int>(counts.starts[digit] + mine[digit]);
  }
}

}  // namespace garboard::kernels::cuda
