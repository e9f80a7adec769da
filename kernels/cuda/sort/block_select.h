// Selection where each slice has a block: it counts until what is left fits its shared memory,
// sorts that and writes. Elements are read twice or three times where keys differ.
#pragma once

#include "kernels/cuda/sort/selection.h"
#include "kernels/cuda/sort/sort_entries.h"

namespace garboard::kernels::cuda {

/// More threads than elsewhere: fewer slices are at work at once, and stay in the second cache.
inline constexpr int select_threads = 1024;

/// Entries that a block keeps in shared memory.
template <class Bits>
inline constexpr int kept_by_block = sizeof(Bits) <= 4 ? 2048 : 1024;

template <class Bits>
__global__ void __launch_bounds__(select_threads)
    select_in_block(const __grid_constant__ SortedSlices<Bits> slices,
                    const __grid_constant__ SelectionGoal goal) {
  using Entry = EntryOf<Bits>;
  __shared__ std::uint32_t counts[select_counters];
  __shared__ Entry entries[kept_by_block<Bits>];
  __shared__ std::uint32_t taken;
  const int t = static_cast<int>(threadIdx.x);
  const SortedSlice<Bits> slice = slices.slice(blockIdx.x);
  auto bucket = whole_slice<Bits>(slices.size(), goal);
  bool is_first = true;
  do {
    for (int i = t; i < select_counters; i += select_threads) counts[i] = 0;
    if (t == 0) taken = 0;
    __syncthreads();
    count_bucket<select_threads>(counts, slice, bucket, is_first, goal, 0, slices.size());
    __syncthreads();
    bucket = narrowed<select_threads>(bucket, counts, is_first, goal);
    is_first = false;
  } while (!bucket.is_met(goal));

  const auto found = static_cast<int>(bucket.wanted(goal));
  int width = 2;
  while (width < found) width *= 2;
  for (int i = found + t; i < width; i += select_threads) entries[i] = last_entry<Entry>();
  for_each_key<select_threads>(slice, 0, slices.size(), [&](Bits key, std::int64_t place) {
    if (bucket.is_wanted(word_of(key, place, goal), goal.takes_earlier))
      entries[atomicAdd(&taken, 1u)] = Entry::of(key, place);
  });
  __syncthreads();
  order_shared<select_threads>(entries, width, width);
  const std::uint32_t first = goal.takes_earlier ? 0 : bucket.rank - bucket.before;
  for (int i = t; i < slices.wanted; i += select_threads) {
    const Entry entry = entries[first + i];
    slice.write(i, static_cast<Bits>(entry.key()), entry.place());
  }
}

/// Of each slice what `goal` says, which is at most `kept_by_block` entries. No scratch.
template <class Bits>
void select_by_blocks(const SortedSlices<Bits>& slices, SelectionGoal goal, Stream stream) {
  goal.enough = kept_by_block<Bits>;
  launch(select_in_block<Bits>, {slices.count(), stream, select_threads}, slices, goal);
}

}  // namespace garboard::kernels::cuda
