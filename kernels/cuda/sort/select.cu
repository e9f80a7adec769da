// One element of each slice, by its rank, and the most frequent one.
#include "kernels/cuda/launch/parts.h"
#include "kernels/cuda/launch/refusal.h"
#include "kernels/cuda/sort/block_select.h"
#include "kernels/cuda/sort/entry_sort.h"
#include "kernels/cuda/sort/grid_select.h"
#include "kernels/cuda/sort/sort_plan.h"

namespace garboard::kernels::cuda {
namespace {

/// Slices of more elements are not sorted to find one of them.
constexpr std::int64_t longest_sorted = sort_tile;

/// How many of a slice's entries are of numbers: those of NaN come behind them.
template <class Bits>
GARBOARD_HD std::int64_t numbers_in(const EntryOf<Bits>* sorted, std::int64_t size,
                                    const KeyRule<Bits>& rule) {
  std::int64_t first = 0, left = size;
  while (left > 0) {
    const std::int64_t half = left / 2;
    const bool is_number = !rule.is_nan(static_cast<Bits>(sorted[first + half].key()));
    first += is_number ? half + 1 : 0;
    left = is_number ? left - half - 1 : half;
  }
  return first;
}

template <class Bits>
__global__ void write_selected(const __grid_constant__ SortedSlices<Bits> slices,
                               const EntryOf<Bits>* sorted, SelectionGoal goal) {
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (number >= slices.count()) return;
  const std::int64_t size = slices.size();
  const EntryOf<Bits>* const mine = sorted + number * size;
  const std::int64_t nans = size - numbers_in<Bits>(mine, size, slices.rule);
  const EntryOf<Bits> chosen =
      mine[goal.rank_in(static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(nans))];
  slices.slice(number).write(0, static_cast<Bits>(chosen.key()), chosen.place());
}

template <class Bits>
__global__ void write_modes(const __grid_constant__ SortedSlices<Bits> slices,
                            const EntryOf<Bits>* sorted) {
  const std::int64_t number = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (number >= slices.count()) return;
  const EntryOf<Bits>* const mine = sorted + number * slices.size();
  EntryOf<Bits> chosen = mine[0];
  std::int64_t run = 0, longest = 0;
  for (std::int64_t i = 0; i < slices.size(); ++i) {
    run = i > 0 && mine[i].key() == mine[i - 1].key() ? run + 1 : 1;
    if (run <= longest) continue;
    longest = run;
    chosen = mine[i];
  }
  slices.slice(number).write(0, static_cast<Bits>(chosen.key()), chosen.place());
}

template <class Bits>
Grid one_thread_each(const SortedSlices<Bits>& slices, Stream stream) {
  return {divided_up(slices.count(), threads), stream};
}

}  // namespace

template <>
void kernel(const Select& of, Stream stream) {
  for_each_sorted_part(of, 1, false, [&]<class Bits>(const SortedSlices<Bits>& slices) {
    const SelectionGoal goal = goal_of(slices.size(), of.rank, of.nans);
    if (slices.size() <= longest_sorted)
      with_sorted_entries(slices, stream, [&](const EntryOf<Bits>* sorted) {
        launch(write_selected<Bits>, one_thread_each(slices, stream), slices, sorted, goal);
      });
    else if (selects_by_grid(slices.count(), slices.size(), sizeof(Bits)))
      select_by_grid(slices, goal, stream);
    else
      select_by_blocks(slices, goal, stream);
  });
}

template <>
void kernel(const Mode& of, Stream stream) {
  for_each_sorted_part(of, 1, false, [&]<class Bits>(const SortedSlices<Bits>& slices) {
    with_sorted_entries(slices, stream, [&](const EntryOf<Bits>* sorted) {
      launch(write_modes<Bits>, one_thread_each(slices, stream), slices, sorted);
    });
  });
}

}  // namespace garboard::kernels::cuda
