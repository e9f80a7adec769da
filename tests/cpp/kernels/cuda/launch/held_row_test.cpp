#include "tests/support/device_memory.h"

#include "kernels/cuda/launch/held_row.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace garboard::kernels::cuda {
namespace {

template <class T>
class HeldRows : public testing::Test {};
using Elements = testing::Types<float, double, BFloat16>;
TYPED_TEST_SUITE(HeldRows, Elements);

TYPED_TEST(HeldRows, ArePlannedUpToWhatABlockHolds) {
  constexpr std::int64_t pack = pack_of<TypeParam, 8>, most = threads * most_held<TypeParam> * pack;
  for (std::int64_t size = 1; size <= most; size += size < 3000 ? 1 : 511) {
    const HeldPlan plan = plan_held_rows<TypeParam>(size);

    EXPECT_GE(plan.lanes * plan.packs * pack, size);
    EXPECT_LE(plan.lanes, threads);
    EXPECT_TRUE(std::has_single_bit(static_cast<unsigned>(plan.lanes)));
  }
  EXPECT_EQ(plan_held_rows<TypeParam>(most + 1).packs, 0);
}

__global__ void double_row(float* out, const float* x, int size, HeldPlan plan) {
  const int lane = static_cast<int>(threadIdx.x);
  if (lane >= plan.lanes) return;
  with_held_packs<float>(plan.packs, [&](auto packs) {
    const HeldRow<float, packs()> row(x, lane, plan.lanes, size, -1.0f);
    row.write(out, size, [&](int k, int i) {
      EXPECT_EQ(row(k, i), row.place(k, i) < size ? x[row.place(k, i)] : -1);
      return 2 * row(k, i);
    });
  });
}

TEST(HeldRow, ReadsAndWritesRowsOfAnySizeAndAddress) {
  for (const int size : {1, 3, 4, 63, 64, 65, 1000, 1024, 1025, 4100, 8192}) {
    for (const int offset : {0, 1, 2}) {
      std::vector<float> x(size + offset + 4), out(size + offset + 5, 7);
      std::iota(x.begin(), x.end(), 1.0f);

      launch(double_row, {1, {}}, out.data() + offset, x.data() + offset, size,
             plan_held_rows<float>(size));

      for (int i = 0; i < size; ++i) ASSERT_EQ(out[offset + i], 2 * x[offset + i]);
      EXPECT_EQ(out[offset + size], 7) << "nothing is written past the end";
    }
  }
}

}  // namespace
}  // namespace garboard::kernels::cuda
