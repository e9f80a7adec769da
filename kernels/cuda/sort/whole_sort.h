// Slices in order, all of each or the first of it, by the way that fits their length.
#pragma once

#include "kernels/cuda/sort/entry_sort.h"
#include "kernels/cuda/sort/radix_sort.h"
#include "kernels/cuda/sort/sort_plan.h"
#include "kernels/cuda/sort/tile_sort.h"

namespace garboard::kernels::cuda {

template <class Bits>
void sort_whole(const SortedSlices<Bits>& slices, Stream stream) {
  switch (plan_whole_sort(slices.count(), slices.size(), sizeof(Bits))) {
    case SortWay::short_slices:
      return sort_short(slices, stream);
    case SortWay::tiles:
      return sort_tiles(slices, stream);
    case SortWay::merging:
      return sort_by_merging(slices, stream);
    default:
      return sort_by_digits(slices, stream);
  }
}

/// Sorts `count` integers, at most 2^30, into `sorted`, and says where each has stood.
template <class Bits>
void sort_integers(Bits* sorted, std::int64_t* places, const Bits* integers, std::int64_t count,
                   Stream stream) {
  NestPart one;
  one.operands = 3;
  const Slices<3> whole{OffsetCalculator<3>(one), count, {1, 1, 1}, 1, false};
  sort_whole(SortedSlices<Bits>{whole, sorted, places, integers, {}, count}, stream);
}

}  // namespace garboard::kernels::cuda
