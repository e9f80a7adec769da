#include "kernels/cuda/launch/launch_plan.h"

#include <gtest/gtest.h>

namespace garboard::kernels::cuda {
namespace {

alignas(16) float memory[64];

View at(int offset, const Dims& sizes, const Dims& strides) {
  return make_view(memory + offset, DType::float32, sizes, strides);
}

constexpr std::size_t items[] = {sizeof(float), sizeof(float)};

bool by_packs(const View& out, const View& x) {
  const void* const data[] = {out.data, x.data};
  return cuda::goes_by_packs(nest_over({&out, &x}), data, items, pack_elements<float>);
}

TEST(ElementwisePlan, GoesByPacksWhereAllIsDenseAndAligned) {
  EXPECT_TRUE(by_packs(at(0, {4, 4}, {4, 1}), at(4, {4, 4}, {4, 1})));
  EXPECT_TRUE(by_packs(at(0, {4, 4}, {1, 4}), at(4, {4, 4}, {1, 4})));
  EXPECT_TRUE(by_packs(at(0, {4, 4}, {4, 1}), at(1, {}, {}))) << "a number has no alignment";
  EXPECT_TRUE(by_packs(at(1, {}, {}), at(2, {}, {}))) << "one element is dense";
}

TEST(ElementwisePlan, GoesByElementsWhereSomethingIsNot) {
  EXPECT_FALSE(by_packs(at(1, {4, 4}, {4, 1}), at(4, {4, 4}, {4, 1})));
  EXPECT_FALSE(by_packs(at(0, {4, 4}, {4, 1}), at(2, {4, 4}, {4, 1})));
  EXPECT_FALSE(by_packs(at(0, {4, 4}, {4, 1}), at(4, {4, 4}, {1, 4})));
  EXPECT_FALSE(by_packs(at(0, {8}, {2}), at(4, {8}, {1})));
  EXPECT_FALSE(by_packs(at(0, {4, 6}, {8, 1}), at(0, {4, 6}, {8, 1}))) << "6 are no packs";
  EXPECT_FALSE(by_packs(at(0, {4, 4}, {6, 1}), at(0, {4, 4}, {4, 1})));
}

TEST(ElementwisePlan, GoesByPacksOfRowsThatLieApartOrRepeat) {
  EXPECT_TRUE(by_packs(at(0, {4, 4}, {8, 1}), at(4, {4, 4}, {4, 1})));
  EXPECT_TRUE(by_packs(at(0, {4, 4}, {4, 1}), at(0, {4, 4}, {0, 1}))) << "a row";
  EXPECT_TRUE(by_packs(at(0, {4, 4}, {4, 1}), at(1, {4, 4}, {1, 0}))) << "a column";
}

TEST(ElementwisePlan, LeavesElementsBehindTheLastPackOfALine) {
  const auto packed = [](const View& out, const View& x) {
    return PackedPart(nest_over({&out, &x}), 4);
  };
  const PackedPart line = packed(at(0, {11}, {1}), at(0, {11}, {1}));
  EXPECT_EQ(line.packs.count(), 2);
  EXPECT_EQ(line.rest, 3U);
  const PackedPart rows = packed(at(0, {3, 4}, {8, 1}), at(0, {3, 4}, {0, 1}));
  EXPECT_EQ(rows.packs.count(), 3);
  EXPECT_EQ(rows.rest, 0U);
  const PackedPart one = packed(at(0, {}, {}), at(0, {}, {}));
  EXPECT_EQ(one.packs.count(), 0);
  EXPECT_EQ(one.rest, 1U);
}

TEST(ElementwisePlan, FillsAPackWithTheWidestType) {
  EXPECT_EQ((pack_elements<float, bool>), 4);
  EXPECT_EQ((pack_elements<bool, bool>), 16);
  EXPECT_EQ((pack_elements<double, bool, double>), 2);
}

class ReducePlans : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(BothWays, ReducePlans, testing::Bool());

TEST_P(ReducePlans, StayInsideTheirBounds) {
  const std::int64_t sizes[] = {0,  1,    2,    15,   16,    31,         32,
                                33, 1000, 1024, 1025, 65536, 10'000'000, std::int64_t{1} << 30};
  for (const auto results : sizes) {
    for (const auto count : sizes) {
      const ReducePlan plan = plan_reduction(results, count, GetParam());

      EXPECT_EQ(plan.is_across, GetParam());
      EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(plan.lanes)));
      EXPECT_LE(plan.lanes, threads);
      EXPECT_GE(plan.groups * plan.results_per_block(), results);
      EXPECT_GE(plan.splits, 1);
      EXPECT_LE(plan.splits, 1024);
      EXPECT_LT(plan.blocks(), std::int64_t{1} << 31);
      if (plan.splits > 1) {
        EXPECT_LE(plan.splits * plan.lanes * 16, count) << "lanes without work";
        EXPECT_LE(plan.blocks(), 1024) << "more blocks than fill a GPU";
      }
    }
  }
}

TEST(ReducePlan, GivesALongRowAllThreadsAndManyBlocks) {
  const ReducePlan plan = plan_reduction(1, 10'000'000, false);

  EXPECT_EQ(plan.lanes, threads);
  EXPECT_EQ(plan.splits, 1024);
}

TEST(ReducePlan, GivesAShortRowAWarp) {
  const ReducePlan plan = plan_reduction(100'000, 1000, false);

  EXPECT_EQ(plan.lanes, 32);
  EXPECT_EQ(plan.splits, 1);
}

TEST(ReducePlan, LetsAWarpReadNeighboursAcrossColumns) {
  for (const std::int64_t count : {1, 100, 1'000'000})
    EXPECT_GE(plan_reduction(4096, count, true).results_per_block(), 32);
}

}  // namespace
}  // namespace garboard::kernels::cuda
