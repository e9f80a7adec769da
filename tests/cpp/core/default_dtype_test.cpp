#include "csrc/core/default_dtype.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

TEST(DefaultDType, OfALonePythonNumberIsPyTorchs) {
  EXPECT_EQ(default_dtype(Category::boolean), DType::boolean);
  EXPECT_EQ(default_dtype(Category::integer), DType::int64);
  EXPECT_EQ(default_dtype(Category::floating), DType::float32);
}

TEST(DefaultDType, OfFloatsIsWhatWasSetLast) {
  set_default_floating(DType::float64);

  const DType floating = default_dtype(Category::floating);

  set_default_floating(DType::float32);
  EXPECT_EQ(floating, DType::float64);
  EXPECT_EQ(default_dtype(Category::integer), DType::int64);
}

}  // namespace
}  // namespace garboard
