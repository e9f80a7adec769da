// Slices in order, by the way that fits their length. What is written is what was read: 0 keeps its
// sign and NaN its bits.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/sort/block_select.h"
#include "kernels/cuda/sort/entry_sort.h"
#include "kernels/cuda/sort/grid_select.h"
#include "kernels/cuda/sort/radix_sort.h"
#include "kernels/cuda/sort/sort_plan.h"
#include "kernels/cuda/sort/tile_sort.h"

namespace garboard::kernels::cuda {
namespace {

template <class Bits>
void select_first(const SortedSlices<Bits>& slices, bool by_grid, Stream stream) {
  SelectionGoal goal = goal_of(slices.size(), slices.wanted - 1, NaNs::last);
  goal.takes_earlier = true;
  goal.enough = static_cast<std::uint32_t>(std::max<std::int64_t>(slices.wanted, sort_tile));
  by_grid ? select_by_grid(slices, goal, stream) : select_by_blocks(slices, goal, stream);
}

}  // namespace

template <>
void kernel(const Sort& of, Stream stream) {
  const View& result = of.values.data ? of.values : of.indices;
  const std::int64_t wanted = result.ndim() ? result.sizes[of.dim] : 1;
  if (wanted == 0) return;
  for_each_sorted_part(of, wanted, of.descending,
                       [&]<class Bits>(const SortedSlices<Bits>& slices) {
                         switch (plan_sort(slices.count(), slices.size(), wanted, sizeof(Bits))) {
                           case SortWay::short_slices:
                             return sort_short(slices, stream);
                           case SortWay::tiles:
                             return sort_tiles(slices, stream);
                           case SortWay::merging:
                             return sort_by_merging(slices, stream);
                           case SortWay::digits:
                             return sort_by_digits(slices, stream);
                           case SortWay::selection_by_blocks:
                             return select_first(slices, false, stream);
                           case SortWay::selection_by_grid:
                             return select_first(slices, true, stream);
                         }
                       });
}

}  // namespace garboard::kernels::cuda
