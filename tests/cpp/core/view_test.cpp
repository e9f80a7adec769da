#include "csrc/core/view.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace garboard {
namespace {

static_assert(std::is_trivially_copyable_v<View>, "it goes to a GPU as it is");

TEST(IsContiguous, AsksForRowMajorAndDense) {
  EXPECT_TRUE(is_contiguous({2, 3}, {3, 1}));
  EXPECT_FALSE(is_contiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(is_contiguous({2, 3}, {4, 1}));
  EXPECT_FALSE(is_contiguous({2, 3}, {0, 1}));
}

TEST(IsContiguous, IgnoresTheStrideOfADimOfOne) {
  EXPECT_TRUE(is_contiguous({1, 3}, {77, 1}));
  EXPECT_TRUE(is_contiguous({2, 1, 3}, {3, -5, 1}));
}

TEST(IsContiguous, HoldsWithoutElements) {
  EXPECT_TRUE(is_contiguous({0, 3}, {1, 7}));
  EXPECT_TRUE(is_contiguous({3, 0}, {1, 7}));
}

TEST(MakeView, CountsItsElements) {
  float data[6] = {};

  const View transposed = make_view(data, DType::float32, {3, 2}, {1, 3});

  EXPECT_EQ(transposed.count, 6);
  EXPECT_FALSE(transposed.contiguous);
  EXPECT_EQ(transposed.as<float>(), data);
}

}  // namespace
}  // namespace garboard
