// Sorting entries of many slices at once: short runs in a block's shared memory by Batcher's
// bitonic network ("Sorting networks and their applications", 1968), then by merging, where each
// entry finds its place by halving. No two entries of a slice are equal, so the result is the same
// however threads run.
#pragma once

#include <bit>

#include "kernels/cuda/launch/launch.h"
#include "kernels/functors/order.h"

namespace garboard::kernels::cuda {

/// Comes after every entry.
template <class Entry>
GARBOARD_HD Entry last_entry() {
  Entry last;
  if constexpr (std::is_same_v<Entry, functors::NarrowEntry>)
    last = {~std::uint64_t{0}};
  else
    last = {~std::uint64_t{0}, INT64_MAX};
  return last;
}

/// Slices of `size` entries, one behind the other, in runs of `width`, a power of 2.
struct SortShape {
  std::int64_t slices, size, width;

  GARBOARD_HD std::int64_t runs() const { return (size + width - 1) / width; }
};

/// Puts `count` entries in shared memory in order, in runs of `width`, powers of 2. All threads of
/// a block of `block_threads` take part, behind a barrier, and the last step is behind one, too.
template <int block_threads, class Entry>
__device__ void order_shared(Entry* shared, int count, int width) {
  for (int block = 2; block <= width; block *= 2) {
    for (int step = block / 2; step > 0; step /= 2) {
      for (int pair = static_cast<int>(threadIdx.x); pair < count / 2; pair += block_threads) {
        const int low = pair / step * 2 * step + pair % step, high = low + step;
        const bool ascends = (low % width & block) == 0;
        const Entry a = shared[low], b = shared[high];
        const bool swaps = ascends ? b < a : a < b;
        shared[low] = swaps ? b : a;
        shared[high] = swaps ? a : b;
      }
      __syncthreads();
    }
  }
}

template <class Entry>
__global__ void sort_runs(Entry* entries, SortShape shape) {
  __shared__ Entry shared[sort_tile];
  const int t = static_cast<int>(threadIdx.x), width = static_cast<int>(shape.width);
  const std::int64_t first_run = std::int64_t{blockIdx.x} * (sort_tile / width);
  const auto place_of = [&](int i) {  // in the entries, or -1
    const std::int64_t run = first_run + i / width, slice = run / shape.runs();
    const std::int64_t at = run % shape.runs() * width + i % width;
    return slice < shape.slices && at < shape.size ? slice * shape.size + at : -1;
  };
  for (int i = t; i < sort_tile; i += threads) {
    const std::int64_t place = place_of(i);
    shared[i] = place < 0 ? last_entry<Entry>() : entries[place];
  }
  __syncthreads();
  order_shared<threads>(shared, sort_tile, width);
  for (int i = t; i < sort_tile; i += threads) {
    const std::int64_t place = place_of(i);
    if (place >= 0) entries[place] = shared[i];
  }
}

/// Merges each two neighbouring runs of a slice, `shape.width` wide.
template <class Entry>
__global__ void merge_runs(Entry* merged, const Entry* entries, SortShape shape) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= shape.slices * shape.size) return;
  const std::int64_t slice = i / shape.size, at = i % shape.size;
  const Entry* const from = entries + slice * shape.size;
  const std::int64_t run = at / shape.width, pair = run / 2 * 2 * shape.width;
  const std::int64_t other = (run ^ 1) * shape.width;
  std::int64_t first = other < shape.size ? other : shape.size;
  std::int64_t left = shape.size - first < shape.width ? shape.size - first : shape.width;
  const std::int64_t start = first;
  const Entry mine = from[at];
  while (left > 0) {  // how many of the other run come before it
    const std::int64_t half = left / 2;
    const bool is_before = from[first + half] < mine;
    first += is_before ? half + 1 : 0;
    left = is_before ? left - half - 1 : half;
  }
  merged[slice * shape.size + pair + at % shape.width + (first - start)] = mine;
}

/// Sorts each slice, with the help of `spare`, as long. Returns where the result is.
template <class Entry>
Entry* sort_entries(Entry* entries, Entry* spare, std::int64_t slices, std::int64_t size,
                    Stream stream) {
  const auto wide =
      std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(size, sort_tile)));
  SortShape shape{slices, size, std::max<std::int64_t>(static_cast<std::int64_t>(wide), 2)};
  const std::int64_t runs = slices * shape.runs();
  launch(sort_runs<Entry>, {divided_up(runs, sort_tile / shape.width), stream}, entries, shape);
  for (; shape.width < size; shape.width *= 2) {
    launch(merge_runs<Entry>, {divided_up(slices * size, threads), stream}, spare, entries, shape);
    std::swap(entries, spare);
  }
  return entries;
}

}  // namespace garboard::kernels::cuda
