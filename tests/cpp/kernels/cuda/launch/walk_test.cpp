#include "kernels/cuda/launch/walk.h"

#include <gtest/gtest.h>

#include <set>

namespace garboard::kernels::cuda {
namespace {

float memory[4096];

View view(const Dims& sizes, const Dims& strides) {
  return make_view(memory, DType::float32, sizes, strides);
}
View dense(const Dims& sizes) { return view(sizes, contiguous_strides(sizes)); }

TEST(Walk, OfDenseViewsHasOneDim) {
  const View a = dense({2, 1, 3, 4}), b = dense({2, 1, 3, 4});

  const Walk walk = walk_over({&a, &b});

  ASSERT_EQ(walk.dims, 1);
  EXPECT_EQ(walk.dim[0].size, 24);
  EXPECT_EQ(walk.dim[0].strides[0], 1);
  EXPECT_EQ(walk.dim[0].strides[1], 1);
}

TEST(Walk, FollowsTheOutputWhateverTheOrderOfItsDims) {
  const View out = view({3, 4}, {1, 3}), x = view({3, 4}, {1, 3});

  const Walk walk = walk_over({&out, &x});

  ASSERT_EQ(walk.dims, 1);
  EXPECT_EQ(walk.dim[0].size, 12);
}

TEST(Walk, PutsTheOutputsDenseDimInnermost) {
  const View out = dense({3, 4}), x = view({3, 4}, {1, 3});

  const Walk walk = walk_over({&out, &x});

  ASSERT_EQ(walk.dims, 2);
  EXPECT_EQ(walk.dim[0].size, 4);
  EXPECT_EQ(walk.dim[0].strides[0], 1);
  EXPECT_EQ(walk.dim[0].strides[1], 3);
}

TEST(Walk, KeepsABroadcastDimApart) {
  const View out = dense({5, 6}), row = view({5, 6}, {0, 1});

  const Walk walk = walk_over({&out, &row});

  ASSERT_EQ(walk.dims, 2);
  EXPECT_EQ(walk.dim[1].strides[1], 0);
}

TEST(Walk, OfASingleElementHasNoStrides) {
  const View out = dense({5, 6}), number = view({}, {});

  const Walk walk = walk_over({&out, &number});

  ASSERT_EQ(walk.dims, 1);
  EXPECT_EQ(walk.dim[0].strides[1], 0);
}

TEST(Walk, OfOneElementHasNoDims) {
  const View out = dense({1, 1});

  const Walk walk = walk_over({&out});

  EXPECT_EQ(walk.dims, 0);
  EXPECT_EQ(walk.count(), 1);
}

TEST(Walk, PlacesEveryElementWhereItsStridesSay) {
  const View out = dense({3, 4, 5}), x = view({3, 4, 5}, {40, -7, 2});
  const Walk walk = walk_over({&out, &x});

  const Places<2> places(walk);

  ASSERT_EQ(places.count, 60u);
  for (std::uint32_t i = 0; i < places.count; ++i) {
    const auto at = places.at(i);
    const std::int64_t index[] = {at.of[0] / 20, at.of[0] / 5 % 4, at.of[0] % 5};
    EXPECT_EQ(at.of[0], i);
    EXPECT_EQ(at.of[1], index[0] * 40 - index[1] * 7 + index[2] * 2);
  }
}

TEST(Walk, FallsIntoPartsThatAreTheWhole) {
  const View out = view({7, 5, 11}, {200, 17, 1}), x = view({7, 5, 11}, {1, 13, 90});
  const Walk walk = walk_over({&out, &x});
  std::multiset<std::pair<std::int64_t, std::int64_t>> whole;
  const Places<2> all(walk);
  for (std::uint32_t i = 0; i < all.count; ++i) whole.emplace(all.at(i).of[0], all.at(i).of[1]);

  for (const std::int64_t most : {1, 2, 4, 10, 11, 12, 54, 55, 56, 200, 384, 385, 1000}) {
    std::multiset<std::pair<std::int64_t, std::int64_t>> together;
    for (const Walk& part : parts_of(walk, most)) {
      EXPECT_LE(part.count(), most);
      const Places<2> places(part);
      for (std::uint32_t i = 0; i < places.count; ++i)
        together.emplace(part.start[0] + places.at(i).of[0], part.start[1] + places.at(i).of[1]);
    }
    EXPECT_EQ(together, whole) << "in parts of " << most;
  }
}

TEST(Walk, OfMoreElementsThan32BitsCountIsCut) {
  const View out = dense({std::int64_t{1} << 33, 3}), x = view(out.sizes, {1, 0});
  const Walk walk = walk_over({&out, &x});

  std::int64_t count = 0;
  for (const Walk& part : parts_of(walk, std::int64_t{1} << 30)) count += part.count();

  EXPECT_EQ(count, 3 * (std::int64_t{1} << 33));
}

TEST(Walk, OfNothingIsEmpty) {
  const View out = dense({4, 0, 3});

  const Walk walk = walk_over({&out});

  EXPECT_EQ(walk.count(), 0);
  EXPECT_EQ(Places<1>(walk).count, 0u);
  EXPECT_EQ(parts_of(walk, 10).size(), 1u);
}

}  // namespace
}  // namespace garboard::kernels::cuda
