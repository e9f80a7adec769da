#include "kernels/cuda/launch/offsets.h"

#include <gtest/gtest.h>

#include <set>

namespace garboard::kernels::cuda {
namespace {

float memory[4096];

View view(const Dims& sizes, const Dims& strides) {
  return make_view(memory, DType::float32, sizes, strides);
}
View dense(const Dims& sizes) { return view(sizes, contiguous_strides(sizes)); }

TEST(NestPart, OfDenseViewsHasOneDim) {
  const View a = dense({2, 1, 3, 4}), b = dense({2, 1, 3, 4});

  const NestPart nest = nest_over({&a, &b});

  ASSERT_EQ(nest.dims, 1);
  EXPECT_EQ(nest.inner().size, 24);
  EXPECT_EQ(nest.inner().strides[0], 1);
  EXPECT_EQ(nest.inner().strides[1], 1);
}

TEST(NestPart, FollowsTheOutputWhateverTheOrderOfItsDims) {
  const View out = view({3, 4}, {1, 3}), x = view({3, 4}, {1, 3});

  const NestPart nest = nest_over({&out, &x});

  ASSERT_EQ(nest.dims, 1);
  EXPECT_EQ(nest.inner().size, 12);
}

TEST(NestPart, PutsTheOutputsDenseDimInnermost) {
  const View out = dense({3, 4}), x = view({3, 4}, {1, 3});

  const NestPart nest = nest_over({&out, &x});

  ASSERT_EQ(nest.dims, 2);
  EXPECT_EQ(nest.inner().size, 4);
  EXPECT_EQ(nest.inner().strides[0], 1);
  EXPECT_EQ(nest.inner().strides[1], 3);
}

TEST(NestPart, KeepsABroadcastDimApart) {
  const View out = dense({5, 6}), row = view({5, 6}, {0, 1});

  const NestPart nest = nest_over({&out, &row});

  ASSERT_EQ(nest.dims, 2);
  EXPECT_EQ(nest.dim[0].strides[1], 0);
}

TEST(NestPart, OfASingleElementHasNoStrides) {
  const View out = dense({5, 6}), number = view({}, {});

  const NestPart nest = nest_over({&out, &number});

  ASSERT_EQ(nest.dims, 1);
  EXPECT_EQ(nest.inner().strides[1], 0);
}

TEST(NestPart, OfOneElementHasNoDims) {
  const View out = dense({1, 1});

  const NestPart nest = nest_over({&out});

  EXPECT_EQ(nest.dims, 0);
  EXPECT_EQ(nest.count(), 1);
}

TEST(NestPart, PlacesEveryElementWhereItsStridesSay) {
  const View out = dense({3, 4, 5}), x = view({3, 4, 5}, {40, -7, 2});
  const NestPart nest = nest_over({&out, &x});

  const OffsetCalculator<2> offsets(nest);

  ASSERT_EQ(offsets.count, 60u);
  for (std::uint32_t i = 0; i < offsets.count; ++i) {
    const auto at = offsets.at(i);
    const std::int64_t index[] = {at.of[0] / 20, at.of[0] / 5 % 4, at.of[0] % 5};
    EXPECT_EQ(at.of[0], i);
    EXPECT_EQ(at.of[1], index[0] * 40 - index[1] * 7 + index[2] * 2);
  }
}

TEST(NestPart, FallsIntoPartsThatAreTheWhole) {
  const View out = view({7, 5, 11}, {200, 17, 1}), x = view({7, 5, 11}, {1, 13, 90});
  const NestPart nest = nest_over({&out, &x});
  std::multiset<std::pair<std::int64_t, std::int64_t>> whole;
  const OffsetCalculator<2> all(nest);
  for (std::uint32_t i = 0; i < all.count; ++i) whole.emplace(all.at(i).of[0], all.at(i).of[1]);

  for (const std::int64_t most : {1, 2, 4, 10, 11, 12, 54, 55, 56, 200, 384, 385, 1000}) {
    std::multiset<std::pair<std::int64_t, std::int64_t>> together;
    for (const NestPart& part : parts_of(nest, most)) {
      EXPECT_LE(part.count(), most);
      const OffsetCalculator<2> offsets(part);
      for (std::uint32_t i = 0; i < offsets.count; ++i)
        together.emplace(part.start[0] + offsets.at(i).of[0], part.start[1] + offsets.at(i).of[1]);
    }
    EXPECT_EQ(together, whole) << "in parts of " << most;
  }
}

TEST(NestPart, OfMoreElementsThan32BitsCountIsCut) {
  const View out = dense({std::int64_t{1} << 33, 3}), x = view(out.sizes, {1, 0});
  const NestPart nest = nest_over({&out, &x});

  std::int64_t count = 0;
  for (const NestPart& part : parts_of(nest, std::int64_t{1} << 30)) count += part.count();

  EXPECT_EQ(count, 3 * (std::int64_t{1} << 33));
}

TEST(NestPart, OfNothingIsEmpty) {
  const View out = dense({4, 0, 3});

  const NestPart nest = nest_over({&out});

  EXPECT_EQ(nest.count(), 0);
  EXPECT_EQ(OffsetCalculator<1>(nest).count, 0u);
  EXPECT_EQ(parts_of(nest, 10).size(), 1u);
}

}  // namespace
}  // namespace garboard::kernels::cuda
