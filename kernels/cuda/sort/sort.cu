// Slices in order. What is written is what was read: 0 keeps its sign and NaN its bits.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/sort/block_select.h"
#include "kernels/cuda/sort/grid_select.h"
#include "kernels/cuda/sort/whole_sort.h"

namespace garboard::kernels::cuda {
namespace {

/// What is wanted of each slice, without sorting the rest.
SelectionGoal first_of(std::int64_t size, std::int64_t wanted) {
  SelectionGoal goal = goal_of(size, wanted - 1, NaNs::last);
  goal.takes_earlier = true;
  goal.enough = static_cast<std::uint32_t>(std::max<std::int64_t>(wanted, sort_tile));
  return goal;
}

}  // namespace

template <>
void kernel(const Sort& of, Stream stream) {
  const View& result = of.values.data ? of.values : of.indices;
  const std::int64_t wanted = result.ndim() ? result.sizes[of.dim] : 1;
  if (wanted == 0) return;
  for_each_sorted_part(of, wanted, of.descending,
                       [&]<class Bits>(const SortedSlices<Bits>& slices) {
                         const std::int64_t size = slices.size();
                         switch (plan_sort(slices.count(), size, wanted, sizeof(Bits))) {
                           case SortWay::selection_by_blocks:
                             return select_by_blocks(slices, first_of(size, wanted), stream);
                           case SortWay::selection_by_grid:
                             return select_by_grid(slices, first_of(size, wanted), stream);
                           default:
                             return sort_whole(slices, stream);
                         }
                       });
}

}  // namespace garboard::kernels::cuda
