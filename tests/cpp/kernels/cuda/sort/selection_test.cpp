#include "tests/support/slices_to_sort.h"  // stands for CUDA, so it comes first

#include <gtest/gtest.h>

#include "kernels/cuda/sort/block_select.h"
#include "kernels/cuda/sort/grid_select.h"
#include "kernels/cuda/sort/selection.h"

namespace garboard::kernels::cuda {
namespace {

template <class T>
class Selection : public testing::Test {};
using Elements = testing::Types<std::uint8_t, BFloat16, float, std::int64_t>;
TYPED_TEST_SUITE(Selection, Elements);

/// The first `wanted` in order.
SelectionGoal first_of(std::int64_t size, std::int64_t wanted) {
  SelectionGoal goal = goal_of(size, wanted - 1, NaNs::last);
  goal.takes_earlier = true;
  goal.enough = static_cast<std::uint32_t>(std::max<std::int64_t>(wanted, sort_tile));
  return goal;
}

template <class T, class Way>
void expect_first_by(Way way, std::int64_t size, std::int64_t wanted, bool descending) {
  const auto x = shim::slices_to_sort<T>(size);
  shim::expect_sorted_as_on_cpu<T>(
      x.view({shim::hard_slices, size}), 1, wanted, descending, [&](const Sort& of) {
        for_each_sorted_part(of, wanted, of.descending,
                             [&](const auto& slices) { way(slices, first_of(size, wanted)); });
      });
}

template <class T, class Way>
void expect_rank_by(Way way, std::int64_t size, std::int64_t rank, NaNs nans) {
  const auto x = shim::slices_to_sort<T>(size);
  shim::expect_selected_as_on_cpu<T>(
      x.view({shim::hard_slices, size}), rank, nans, [&](const Select& of) {
        for_each_sorted_part(of, 1, false,
                             [&](const auto& slices) { way(slices, goal_of(size, rank, nans)); });
      });
}

const auto by_blocks = [](const auto& slices, const SelectionGoal& goal) {
  select_by_blocks(slices, goal, Stream{});
};
const auto by_grid = [](const auto& slices, const SelectionGoal& goal) {
  select_by_grid(slices, goal, Stream{});
};

TYPED_TEST(Selection, FindsTheFirstInOrderByABlockEach) {
  expect_first_by<TypeParam>(by_blocks, 2, 1, true);
  expect_first_by<TypeParam>(by_blocks, 1500, 1024, false);
  for (const bool descending : {false, true})
    for (const std::int64_t wanted : {1, 100})
      expect_first_by<TypeParam>(by_blocks, 9001, wanted, descending);
}

TYPED_TEST(Selection, FindsTheFirstInOrderByTheWholeGrid) {
  for (const bool descending : {false, true})
    for (const std::int64_t wanted : {1, 1500})
      expect_first_by<TypeParam>(by_grid, 9001, wanted, descending);
}

TYPED_TEST(Selection, FindsTheOneOfARank) {
  constexpr std::int64_t size = 5000;
  for (const std::int64_t rank : {std::int64_t{0}, size - 1}) {
    expect_rank_by<TypeParam>(by_blocks, size, rank, NaNs::last);
    expect_rank_by<TypeParam>(by_grid, size, rank, NaNs::last);
  }
  for (const NaNs nans : {NaNs::win, NaNs::passed_over}) {
    expect_rank_by<TypeParam>(by_blocks, size, (size - 1) / 2, nans);
    expect_rank_by<TypeParam>(by_grid, size, (size - 1) / 2, nans);
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
