// Long slices by the digits of their keys, the last digit first. For each digit the tiles of a
// slice are counted, the counts added up digit by digit and tile by tile, and each tile goes where
// its digits begin. The first pass reads the slices, the last one writes what is wanted; between
// them keys and places lie apart, as wide as they are. Each pass reads the keys twice, and reads
// and writes the entries once.
#pragma once

#include "kernels/cuda/sort/digit_ranks.h"
#include "kernels/cuda/sort/sorted_slices.h"

namespace garboard::kernels::cuda {

/// Entries of a thread: as many as its block can share.
template <class Bits>
inline constexpr int radix_each = sizeof(Bits) <= 4 ? 16 : 8;
template <class Bits>
inline constexpr std::int64_t radix_tile = std::int64_t{radix_each<Bits>} * threads;

inline constexpr int scan_threads = 1024;  // a warp's lanes take neighbouring digits
inline constexpr int scan_parts = scan_threads / warp_threads;

/// Keys and their places, slice behind slice.
template <class Bits>
struct KeysAndPlaces {
  Bits* keys;  // null: those of the slices themselves
  std::uint32_t* places;
};

template <class Bits>
struct RadixPass {
  KeysAndPlaces<Bits> from, to;
  std::uint32_t* counts;  // of each digit of each tile of each slice; then how many come before
  std::uint32_t* totals;  // of each digit of each slice
  std::int64_t tiles;     // of a slice
  int shift;
};

/// Key i of slice number `number`.
template <class Bits>
GARBOARD_HD Bits key_in(const RadixPass<Bits>& pass, const SortedSlice<Bits>& slice,
                        std::int64_t first_of_slice, std::int64_t i) {
  return pass.from.keys ? pass.from.keys[first_of_slice + i] : slice.key(i);
}

template <class Bits>
__global__ void count_digits(const __grid_constant__ SortedSlices<Bits> slices,
                             const __grid_constant__ RadixPass<Bits> pass) {
  constexpr int each = radix_each<Bits>;
  __shared__ std::uint32_t counts[digits];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t number = blockIdx.x / pass.tiles, size = slices.size();
  const std::int64_t first = blockIdx.x % pass.tiles * radix_tile<Bits> + t;
  const SortedSlice<Bits> slice = slices.slice(number);
  Bits keys[each];
#pragma unroll
  for (int j = 0; j < each; ++j) {
    const std::int64_t i = first + j * threads;
    keys[j] = i < size ? key_in(pass, slice, number * size, i) : 0;
  }
  counts[t] = 0;
  __syncthreads();
#pragma unroll
  for (int j = 0; j < each; ++j)
    if (first + j * threads < size) atomicAdd(&counts[digit_of(keys[j], pass.shift)], 1u);
  __syncthreads();
  pass.counts[std::int64_t{blockIdx.x} * digits + t] = counts[t];
}

/// Replaces each count by what the earlier tiles of its slice have of the digit.
template <class Bits>
__global__ void add_up_tiles(const __grid_constant__ RadixPass<Bits> pass) {
  constexpr int groups = digits / warp_threads;
  __shared__ std::uint32_t sums[scan_parts][warp_threads];
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  const int part = static_cast<int>(threadIdx.x) / warp_threads;
  const std::int64_t slice = blockIdx.x / groups;
  const std::int64_t digit = std::int64_t{blockIdx.x} % groups * warp_threads + lane;
  const std::int64_t portion = (pass.tiles + scan_parts - 1) / scan_parts;
  const std::int64_t first = part * portion, behind = first + portion;
  std::uint32_t* const mine = pass.counts + slice * pass.tiles * digits + digit;
  std::uint32_t sum = 0;
#pragma unroll 4
  for (std::int64_t tile = first; tile < behind && tile < pass.tiles; ++tile)
    sum += mine[tile * digits];
  sums[part][lane] = sum;
  __syncthreads();
  std::uint32_t before = 0;
  for (int earlier = 0; earlier < part; ++earlier) before += sums[earlier][lane];
  if (part == scan_parts - 1) pass.totals[slice * digits + digit] = before + sum;
#pragma unroll 4
  for (std::int64_t tile = first; tile < behind && tile < pass.tiles; ++tile) {
    const std::uint32_t count = mine[tile * digits];
    mine[tile * digits] = before;
    before += count;
  }
}

template <class Bits>
__global__ void __launch_bounds__(threads, 3)
    scatter_tiles(const __grid_constant__ SortedSlices<Bits> slices,
                  const __grid_constant__ RadixPass<Bits> pass) {
  constexpr int each = radix_each<Bits>;
  __shared__ DigitCounts counts;
  __shared__ std::uint32_t ahead[digits];  // from a place in the sorted tile to one in the slice
  __shared__ Bits shared_keys[radix_tile<Bits>];
  __shared__ std::uint32_t shared_places[radix_tile<Bits>];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t number = blockIdx.x / pass.tiles, size = slices.size();
  const std::int64_t first = blockIdx.x % pass.tiles * radix_tile<Bits>;
  const std::int64_t first_of_slice = number * size;
  const SortedSlice<Bits> slice = slices.slice(number);
  Bits keys[each];
  int ranks[each];
#pragma unroll
  for (int j = 0; j < each; ++j) {
    const std::int64_t i = first + place_in_tile<each>(j);
    // What is behind the slice comes last: it has no smaller digit, and no earlier place.
    keys[j] = i < size ? key_in(pass, slice, first_of_slice, i) : slice.rule.all;
  }
  const std::uint32_t start = sum_before(counts.sums, pass.totals[number * digits + t]) +
                              pass.counts[std::int64_t{blockIdx.x} * digits + t];
  rank_by_digit(counts, keys, pass.shift, ranks);
  ahead[t] = start - counts.starts[t];
#pragma unroll
  for (int j = 0; j < each; ++j) shared_keys[ranks[j]] = keys[j];
#pragma unroll
  for (int j = 0; j < each; ++j) {  // fetched late: registers are scarce
    const std::int64_t i = first + place_in_tile<each>(j);
    shared_places[ranks[j]] = pass.from.keys && i < size ? pass.from.places[first_of_slice + i]
                                                         : static_cast<std::uint32_t>(i);
  }
  __syncthreads();
#pragma unroll 4
  for (int j = 0; j < each; ++j) {
    const int i = j * threads + t;
    if (first + i >= size) break;
    const Bits key = shared_keys[i];
    const std::uint32_t to = ahead[digit_of(key, pass.shift)] + static_cast<std::uint32_t>(i);
    if (pass.to.keys) {
      pass.to.keys[first_of_slice + to] = key;
      pass.to.places[first_of_slice + to] = shared_places[i];
    } else if (to < slices.wanted) {
      slice.write(to, key, shared_places[i]);
    }
  }
}

/// Sorts each slice. Scratch: for keys of 4 and 8 bytes twice what keys and places of 4 bytes take,
/// for those of 2 bytes once, and 1 KiB for each slice and each tile.
template <class Bits>
void sort_by_digits(const SortedSlices<Bits>& slices, Stream stream) {
  constexpr int passes = sizeof(Bits);
  constexpr std::int64_t buffers = passes < 3 ? passes - 1 : 2;
  const std::int64_t count = slices.count() * slices.size();
  const std::int64_t tiles = divided_up(slices.size(), radix_tile<Bits>);
  const std::int64_t blocks = slices.count() * tiles;
  const Scratch keys(buffers * count * sizeof(Bits), stream);
  const Scratch places(buffers * count * sizeof(std::uint32_t), stream);
  const Scratch counts((blocks + slices.count()) * digits * sizeof(std::uint32_t), stream);
  RadixPass<Bits> pass{{nullptr, nullptr},
                       {nullptr, nullptr},
                       counts.as<std::uint32_t>(),
                       counts.as<std::uint32_t>() + blocks * digits,
                       tiles,
                       0};
  for (int i = 0; i < passes; ++i) {
    pass.shift = i * digit_bits;
    pass.to = {nullptr, nullptr};
    if (const std::int64_t at = i % 2 * count; i < passes - 1)
      pass.to = {keys.as<Bits>() + at, places.as<std::uint32_t>() + at};
    launch(count_digits<Bits>, {blocks, stream}, slices, pass);
    launch(add_up_tiles<Bits>, {slices.count() * (digits / warp_threads), stream, scan_threads},
           pass);
    launch(scatter_tiles<Bits>, {blocks, stream}, slices, pass);
    pass.from = pass.to;
  }
}

}  // namespace garboard::kernels::cuda
