#include "csrc/core/scalar.h"

#include <gtest/gtest.h>

#include <limits>

namespace garboard {
namespace {

TEST(Scalar, KeepsIntegersExactBeyondTheDoublesOfTheirSize) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;

  EXPECT_EQ(Scalar::of(odd).to<std::int64_t>(), odd);
}

TEST(Scalar, IsTrueWhenItIsNotZero) {
  EXPECT_TRUE(Scalar::of(0.5).to<bool>());
  EXPECT_TRUE(Scalar::of(std::int64_t{256}).to<bool>());
  EXPECT_FALSE(Scalar::of(0.0).to<bool>());
  EXPECT_TRUE(Scalar::of(std::numeric_limits<double>::quiet_NaN()).to<bool>());
}

TEST(Scalar, RemembersItsCategory) {
  EXPECT_EQ(Scalar::of(true).category, Category::boolean);
  EXPECT_EQ(Scalar::of(std::int64_t{1}).category, Category::integer);
  EXPECT_EQ(Scalar::of(1.0).category, Category::floating);
}

TEST(Scalar, ReadsAnyCategoryAsADouble) {
  EXPECT_EQ(Scalar::of(true).real, 1.0);
  EXPECT_EQ(Scalar::of(std::int64_t{-3}).real, -3.0);
}

}  // namespace
}  // namespace garboard
