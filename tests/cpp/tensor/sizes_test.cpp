#include "csrc/tensor/sizes.h"

#include <gtest/gtest.h>

#include <string>

#include "csrc/core/error.h"
#include "csrc/lifetime/registry.h"
#include "csrc/tensor/tensor.h"

namespace garboard {
namespace {

constexpr std::int64_t half = std::int64_t{1} << 31;

std::string refusal_of(const Dims& sizes, DType dtype) {
  try {
    checked_count("add", sizes, dtype);
  } catch (const ShapeError& error) {
    return error.what();
  }
  return {};
}

TEST(CheckedCount, IsTheProductOfTheSizes) {
  EXPECT_EQ(checked_count("add", {}, DType::float64), 1);
  EXPECT_EQ(checked_count("add", {2, 3, 4}, DType::float64), 24);
  EXPECT_EQ(checked_count("add", {2, 0, 4}, DType::float64), 0);
}

TEST(CheckedCount, CountsBytesAndNotElements) {
  EXPECT_EQ(checked_count("add", {half, half - 1}, DType::boolean), half * (half - 1));
  EXPECT_EQ(checked_count("add", {half, half / 4}, DType::int32), half * half / 4);
  EXPECT_THROW(checked_count("add", {half, half / 2}, DType::int32), ShapeError);
  EXPECT_THROW(checked_count("add", {half, half, 2}, DType::boolean), ShapeError);
  EXPECT_THROW(checked_count("add", {half, half, half}, DType::boolean), ShapeError);
}

TEST(CheckedCount, TakesAZeroForAOneWhereverItStands) {
  EXPECT_EQ(checked_count("add", {0, half, half - 1}, DType::boolean), 0);
  EXPECT_THROW(checked_count("add", {0, half, half}, DType::float32), ShapeError);
  EXPECT_THROW(checked_count("add", {half, half, 0}, DType::float32), ShapeError);
}

TEST(CheckedCount, NamesTheOpTheSizesAndTheDtype) {
  EXPECT_EQ(refusal_of({half, half}, DType::float32),
            "add: sizes [2147483648, 2147483648] of float32 need at least 2^63 bytes; no device "
            "holds them");
  EXPECT_EQ(refusal_of({half, half, 0}, DType::float32),
            "add: sizes [2147483648, 2147483648, 0] of float32 need at least 2^63 bytes, a 0 taken "
            "as 1 as in strides; no device holds them");
}

TEST(CheckNotNegative, NamesTheSizes) {
  EXPECT_NO_THROW(check_not_negative("empty", {0, 1}));
  EXPECT_THROW(check_not_negative("empty", {2, -1}), ShapeError);
}

TEST(FreshTensor, OfMoreBytesThanCanBeCountedIsRefusedBeforeAnythingIsBorn) {
  const std::uint64_t next = registry().next_storage_serial();

  EXPECT_THROW(Tensor::fresh({half, half}, DType::float32, {}, "add"), ShapeError);

  EXPECT_EQ(registry().next_storage_serial(), next);
}

TEST(FreshTensor, LikeOneThatFitsIsRefusedInADtypeThatDoesNot) {
  std::byte element{};  // of more elements, none of which is looked at
  const Tensor like = Tensor::over(Storage::around(&element, 1, {}, {}, true), DType::boolean,
                                   {half, half}, {half, 1}, 0);
  const std::uint64_t next = registry().next_storage_serial();

  EXPECT_THROW(Tensor::fresh(like, DType::float32, "exp"), ShapeError);

  EXPECT_EQ(registry().next_storage_serial(), next);
}

}  // namespace
}  // namespace garboard
