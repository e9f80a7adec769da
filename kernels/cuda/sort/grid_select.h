// Selection where slices are so long that many blocks share one. Each launch counts one digit; a
// block finds by itself, from what the launch before has counted, which entries go on. When few
// enough are left, the launches that remain do nothing, and the last one gathers them.
#pragma once

#include "kernels/cuda/sort/entry_sort.h"
#include "kernels/cuda/sort/selection.h"

namespace garboard::kernels::cuda {

inline constexpr int gathered_each = 8;  // elements of a thread between two barriers

/// What the launches hand to each other, for all slices.
template <class Bits>
struct GridSelection {
  Bucket<WordOf<Bits>>* buckets;  // of each slice in each pass, and behind the last one
  std::uint32_t* counts;          // of the digits of each slice in each pass
  std::uint32_t* taken;           // entries gathered of each slice
  EntryOf<Bits>* entries;         // `enough` of each slice
  SelectionGoal goal;
  std::int64_t slices;
  std::int64_t parts, portion;  // blocks that share a slice, and elements that each takes
  int passes;

  std::int64_t counters() const { return passes * slices * select_counters; }
  std::int64_t room() const { return slices * goal.enough; }
};

template <class Bits>
__global__ void begin_selection(const __grid_constant__ GridSelection<Bits> of,
                                std::int64_t counters, std::int64_t room) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < counters) of.counts[i] = 0;
  if (i < room) of.entries[i] = last_entry<EntryOf<Bits>>();
  if (i < of.slices) of.taken[i] = 0;
}

/// The bucket that pass number `pass` looks at in slice number `number`. Noted for the next pass.
template <class Bits>
__device__ Bucket<WordOf<Bits>> bucket_of(const GridSelection<Bits>& of, std::int64_t size,
                                          std::int64_t number, int pass) {
  auto bucket = whole_slice<Bits>(size, of.goal);
  if (pass > 0) bucket = of.buckets[(pass - 1) * of.slices + number];
  if (pass == 1 || (pass > 1 && !bucket.is_met(of.goal)))
    bucket =
        narrowed<threads>(bucket, of.counts + ((pass - 1) * of.slices + number) * select_counters,
                          pass == 1, of.goal);
  if (blockIdx.x % of.parts == 0 && threadIdx.x == 0)
    of.buckets[pass * of.slices + number] = bucket;
  return bucket;
}

template <class Bits>
__global__ void count_part(const __grid_constant__ SortedSlices<Bits> slices,
                           const __grid_constant__ GridSelection<Bits> of, int pass) {
  __shared__ std::uint32_t counts[select_counters];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t number = blockIdx.x / of.parts, size = slices.size();
  const std::int64_t first = blockIdx.x % of.parts * of.portion, behind = first + of.portion;
  const auto bucket = bucket_of(of, size, number, pass);
  if (pass > 0 && bucket.is_met(of.goal)) return;
  for (int i = t; i < select_counters; i += threads) counts[i] = 0;
  __syncthreads();
  count_bucket<threads>(counts, slices.slice(number), bucket, pass == 0, of.goal, first,
                        behind < size ? behind : size);
  __syncthreads();
  std::uint32_t* const all = of.counts + (pass * of.slices + number) * select_counters;
  for (int i = t; i < select_counters; i += threads)
    if (counts[i] > 0) atomicAdd(&all[i], counts[i]);
}

/// In any order: they are sorted next.
template <class Bits>
__global__ void gather_wanted(const __grid_constant__ SortedSlices<Bits> slices,
                              const __grid_constant__ GridSelection<Bits> of) {
  __shared__ EntryCount sums[warps_of_block];
  __shared__ std::uint32_t start;
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t number = blockIdx.x / of.parts, size = slices.size();
  const std::int64_t first = blockIdx.x % of.parts * of.portion;
  const std::int64_t behind = first + of.portion < size ? first + of.portion : size;
  const auto bucket = bucket_of(of, size, number, of.passes);
  const SortedSlice<Bits> slice = slices.slice(number);
  for (std::int64_t at = first; at < behind; at += gathered_each * threads) {
    Bits keys[gathered_each];
    std::uint32_t wanted = 0;  // a bit for each
#pragma unroll
    for (int j = 0; j < gathered_each; ++j) {
      const std::int64_t place = at + j * threads + t;
      keys[j] = place < behind ? slice.key(place) : 0;
      if (place < behind &&
          bucket.is_wanted(word_of(keys[j], place, of.goal), of.goal.takes_earlier))
        wanted |= 1u << j;
    }
    const auto mine = static_cast<std::uint32_t>(__popc(wanted));
    const std::uint32_t before = sum_before(sums, mine);
    if (t == threads - 1 && before + mine > 0) start = atomicAdd(&of.taken[number], before + mine);
    __syncthreads();
    if (wanted != 0) {
      EntryOf<Bits>* to = of.entries + number * of.goal.enough + start + before;
#pragma unroll
      for (int j = 0; j < gathered_each; ++j)
        if (wanted >> j & 1) *to++ = EntryOf<Bits>::of(keys[j], at + j * threads + t);
    }
    __syncthreads();
  }
}

/// The one of the rank, where none before it is wanted.
template <class Bits>
__global__ void write_chosen(const __grid_constant__ SortedSlices<Bits> slices,
                             const __grid_constant__ GridSelection<Bits> of,
                             const EntryOf<Bits>* sorted) {
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (number >= of.slices) return;
  const auto bucket = of.buckets[of.passes * of.slices + number];
  const EntryOf<Bits> entry = sorted[number * of.goal.enough + bucket.rank - bucket.before];
  slices.slice(number).write(0, static_cast<Bits>(entry.key()), entry.place());
}

/// Of each slice what `goal` says, which is at most `goal.enough` entries, fewer than the slice
/// has. Scratch, for each slice: 8 KiB for each pass, of which there are at most 9, and twice
/// `goal.enough` entries of 8 bytes, of 16 where keys have 8.
template <class Bits>
void select_by_grid(const SortedSlices<Bits>& slices, const SelectionGoal& goal, Stream stream) {
  constexpr std::int64_t least_portion = gathered_each * threads, enough_blocks = 512;
  GridSelection<Bits> of{};
  of.goal = goal;
  of.slices = slices.count();
  const std::int64_t parts = std::clamp<std::int64_t>(enough_blocks / of.slices, 1,
                                                      divided_up(slices.size(), least_portion));
  of.portion = divided_up(divided_up(slices.size(), parts), least_portion) * least_portion;
  of.parts = divided_up(slices.size(), of.portion);
  of.passes = static_cast<int>(divided_up(8 * sizeof(Bits) + goal.place_bits, select_bits));
  const Scratch buckets((of.passes + 1) * of.slices * sizeof(*of.buckets), stream);
  const Scratch counts((of.counters() + of.slices) * sizeof(std::uint32_t), stream);
  const Scratch entries(2 * of.room() * sizeof(EntryOf<Bits>), stream);
  of.buckets = buckets.as<Bucket<WordOf<Bits>>>();
  of.counts = counts.as<std::uint32_t>();
  of.taken = of.counts + of.counters();
  of.entries = entries.as<EntryOf<Bits>>();

  const Grid grid{of.slices * of.parts, stream};
  launch(begin_selection<Bits>, {divided_up(std::max(of.counters(), of.room()), threads), stream},
         of, of.counters(), of.room());
  for (int pass = 0; pass < of.passes; ++pass) launch(count_part<Bits>, grid, slices, of, pass);
  launch(gather_wanted<Bits>, grid, slices, of);
  const EntryOf<Bits>* const sorted =
      sort_entries(of.entries, of.entries + of.room(), of.slices, goal.enough, stream);
  const std::int64_t count = of.slices * slices.wanted;
  if (goal.takes_earlier)
    launch(write_sorted<Bits>, {divided_up(count, threads), stream}, slices, sorted, goal.enough,
           count);
  else
    launch(write_chosen<Bits>, {divided_up(of.slices, threads), stream}, slices, of, sorted);
}

}  // namespace garboard::kernels::cuda
