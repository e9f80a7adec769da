#include "kernels/cuda/sort/sort_plan.h"

#include <gtest/gtest.h>

namespace garboard::kernels::cuda {
namespace {

TEST(SortPlan, GivesSlicesThatABlockCanShareToOneBlock) {
  EXPECT_EQ(plan_sort(1'000'000, 8, 8, 4), SortWay::short_slices);
  EXPECT_EQ(plan_sort(1000, 4096, 4096, 4), SortWay::tiles);
  EXPECT_EQ(plan_sort(1000, 4096, 10, 8), SortWay::tiles);
}

TEST(SortPlan, SortsByDigitsWhereThatMovesLess) {
  EXPECT_EQ(plan_sort(1, 1 << 22, 1 << 22, 4), SortWay::digits);
  EXPECT_EQ(plan_sort(1, 1 << 22, 1 << 22, 8), SortWay::digits);
  EXPECT_EQ(plan_sort(1, 5000, 5000, 1), SortWay::digits);
  EXPECT_EQ(plan_sort(1, 5000, 5000, 4), SortWay::merging);
  EXPECT_EQ(plan_sort(100, 5000, 5000, 4), SortWay::digits);
}

TEST(SortPlan, SelectsWhereFewAreWanted) {
  EXPECT_EQ(plan_sort(1, 1 << 22, 100, 4), SortWay::selection_by_grid);
  EXPECT_EQ(plan_sort(1000, 32000, 10, 4), SortWay::selection_by_blocks);
  EXPECT_EQ(plan_sort(1000, 32000, 2000, 4), SortWay::selection_by_grid);
  EXPECT_EQ(plan_sort(1, 1 << 22, 1 << 21, 4), SortWay::digits);
}

}  // namespace
}  // namespace garboard::kernels::cuda
