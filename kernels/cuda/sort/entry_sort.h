// Slices by entries of key and place: short ones in a block's shared memory, several at once, and
// what is too long for that and too little to be worth passes over digits by merging.
#pragma once

#include "kernels/cuda/sort/sort_entries.h"
#include "kernels/cuda/sort/sorted_slices.h"

namespace garboard::kernels::cuda {

template <class Bits>
__global__ void sort_short_slices(const __grid_constant__ SortedSlices<Bits> slices, int width) {
  using Entry = EntryOf<Bits>;
  __shared__ Entry shared[sort_tile];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t first_slice = std::int64_t{blockIdx.x} * (sort_tile / width);
  for (int i = t; i < sort_tile; i += threads) {
    const std::int64_t number = first_slice + i / width, place = i % width;
    shared[i] = number < slices.count() && place < slices.size()
                    ? Entry::of(slices.slice(number).key(place), place)
                    : last_entry<Entry>();
  }
  __syncthreads();
  order_shared<threads>(shared, sort_tile, width);
  for (int i = t; i < sort_tile; i += threads) {
    const std::int64_t number = first_slice + i / width, at = i % width;
    if (number < slices.count() && at < slices.wanted)
      slices.slice(number).write(at, static_cast<Bits>(shared[i].key()), shared[i].place());
  }
}

template <class Bits>
__global__ void make_entries(const __grid_constant__ SortedSlices<Bits> slices,
                             EntryOf<Bits>* entries, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t place = i % slices.size();
  entries[i] = EntryOf<Bits>::of(slices.slice(i / slices.size()).key(place), place);
}

/// Writes what is wanted of each slice, whose entries begin `apart` behind those of the one before.
template <class Bits>
__global__ void write_sorted(const __grid_constant__ SortedSlices<Bits> slices,
                             const EntryOf<Bits>* sorted, std::int64_t apart, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const std::int64_t number = i / slices.wanted, at = i % slices.wanted;
  const EntryOf<Bits> entry = sorted[number * apart + at];
  slices.slice(number).write(at, static_cast<Bits>(entry.key()), entry.place());
}

/// Sorts slices of at most `sort_tile` elements. No scratch.
template <class Bits>
void sort_short(const SortedSlices<Bits>& slices, Stream stream) {
  const auto width = static_cast<int>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(slices.size(), 2))));
  launch(sort_short_slices<Bits>, {divided_up(slices.count(), sort_tile / width), stream}, slices,
         width);
}

/// Calls `run(entries)` with the sorted entries of all slices, one behind the other. Scratch: twice
/// the entries, of 8 bytes, of 16 where keys have 8.
template <class Bits, class Run>
void with_sorted_entries(const SortedSlices<Bits>& slices, Stream stream, Run run) {
  const std::int64_t count = slices.count() * slices.size();
  const Scratch scratch(2 * count * sizeof(EntryOf<Bits>), stream);
  auto* const entries = scratch.as<EntryOf<Bits>>();
  launch(make_entries<Bits>, {divided_up(count, threads), stream}, slices, entries, count);
  run(sort_entries(entries, entries + count, slices.count(), slices.size(), stream));
}

template <class Bits>
void sort_by_merging(const SortedSlices<Bits>& slices, Stream stream) {
  with_sorted_entries(slices, stream, [&](const EntryOf<Bits>* sorted) {
    const std::int64_t count = slices.count() * slices.wanted;
    launch(write_sorted<Bits>, {divided_up(count, threads), stream}, slices, sorted, slices.size(),
           count);
  });
}

}  // namespace garboard::kernels::cuda
