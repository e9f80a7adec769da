#include "csrc/core/dims.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace garboard {
namespace {

static_assert(std::is_trivially_copyable_v<Dims>, "a kernel takes it as it is");

TEST(Dims, AreWrittenAsPyTorchWritesSizes) {
  EXPECT_EQ(text(Dims{2, 3}), "[2, 3]");
  EXPECT_EQ(text(Dims{}), "[]");
}

TEST(Dims, MultiplyToOneWhenThereAreNone) {
  EXPECT_EQ(Dims{}.product(), 1);
  EXPECT_EQ((Dims{2, 3, 4}.product()), 24);
  EXPECT_EQ((Dims{2, 0, 4}.product()), 0);
}

TEST(Dims, RefuseTheNinth) {
  Dims dims = Dims::filled(max_dims, 1);

  EXPECT_THROW(dims.push_back(1), ShapeError);
  EXPECT_THROW(dims.insert(0, 1), ShapeError);
  EXPECT_EQ(dims.size(), max_dims);
  EXPECT_THROW(Dims(std::vector<std::int64_t>(max_dims + 1, 1)), ShapeError);
}

TEST(Dims, InsertBeforeThePlaceGiven) {
  Dims dims{2, 4};

  dims.insert(1, 3);
  dims.insert(0, 1);
  dims.insert(4, 5);

  EXPECT_EQ(dims, (Dims{1, 2, 3, 4, 5}));
}

TEST(Dims, EraseOnlyThePlaceGiven) {
  Dims dims{1, 2, 3};

  dims.erase(1);
  EXPECT_EQ(dims, (Dims{1, 3}));

  dims.erase(1);
  EXPECT_EQ(dims, (Dims{1}));
}

TEST(Dims, AreEqualByWhatTheyHoldAndNotByWhatTheyHeld) {
  Dims shrunk{1, 2, 3};
  shrunk.erase(2);

  EXPECT_EQ(shrunk, (Dims{1, 2}));
  EXPECT_NE(shrunk, (Dims{1, 2, 3}));
  EXPECT_NE(shrunk, (Dims{2, 1}));
}

TEST(ContiguousStrides, AreRowMajor) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Dims{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({}), Dims{});
}

// As in PyTorch: an empty dim does not make the strides before it zero.
TEST(ContiguousStrides, CountAnEmptyDimAsOne) {
  EXPECT_EQ(contiguous_strides({2, 0, 3}), (Dims{3, 3, 1}));
}

}  // namespace
}  // namespace garboard
