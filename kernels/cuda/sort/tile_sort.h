// Slices that one block sorts whole, by all digits of their keys, the last first: each is read once
// and written once.
#pragma once

#include "kernels/cuda/sort/digit_ranks.h"
#include "kernels/cuda/sort/sort_plan.h"
#include "kernels/cuda/sort/sorted_slices.h"

namespace garboard::kernels::cuda {

template <class Bits, int each>
__global__ void __launch_bounds__(threads, 3)
    sort_tile_of_slice(const __grid_constant__ SortedSlices<Bits> slices) {
  constexpr int tile = each * threads;
  __shared__ DigitCounts counts;
  __shared__ Bits shared_keys[tile];
  __shared__ std::uint16_t shared_places[tile];
  const int t = static_cast<int>(threadIdx.x), size = static_cast<int>(slices.size());
  const SortedSlice<Bits> slice = slices.slice(blockIdx.x);
  Bits keys[each];
  int ranks[each];
#pragma unroll
  for (int j = 0; j < each; ++j) {
    const int place = place_in_tile<each>(j);
    // What is behind the slice comes after all of it: it has no smaller key, and no earlier place.
    keys[j] = place < size ? slice.key(place) : slice.rule.all;
    shared_places[place] = static_cast<std::uint16_t>(place);
  }
  for (int shift = 0; shift < static_cast<int>(8 * sizeof(Bits)); shift += digit_bits) {
    if (shift > 0) {
#pragma unroll
      for (int j = 0; j < each; ++j) keys[j] = shared_keys[place_in_tile<each>(j)];
    }
    rank_by_digit(counts, keys, shift, ranks);
#pragma unroll
    for (int j = 0; j < each; ++j) shared_keys[ranks[j]] = keys[j];
    std::uint16_t places[each];  // not held meanwhile: registers are scarce
#pragma unroll
    for (int j = 0; j < each; ++j) places[j] = shared_places[place_in_tile<each>(j)];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < each; ++j) shared_places[ranks[j]] = places[j];
    __syncthreads();
  }
  for (int i = t; i < slices.wanted && i < size; i += threads)
    slice.write(i, shared_keys[i], shared_places[i]);
}

/// Sorts slices of at most `longest_of_tile` elements. No scratch.
template <class Bits>
void sort_tiles(const SortedSlices<Bits>& slices, Stream stream) {
  const Grid grid{slices.count(), stream};
  if (slices.size() <= 2 * threads)
    launch(sort_tile_of_slice<Bits, 2>, grid, slices);
  else if (slices.size() <= 4 * threads)
    launch(sort_tile_of_slice<Bits, 4>, grid, slices);
  else if (slices.size() <= 8 * threads)
    launch(sort_tile_of_slice<Bits, 8>, grid, slices);
  else
    launch(sort_tile_of_slice<Bits, longest_of_tile / threads>, grid, slices);
}

}  // namespace garboard::kernels::cuda
