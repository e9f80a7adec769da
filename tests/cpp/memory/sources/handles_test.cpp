#include "csrc/memory/sources/handles.h"

#include <gtest/gtest.h>

#include <vector>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

std::byte* at(std::size_t address) { return reinterpret_cast<std::byte*>(address); }

std::vector<std::size_t> cut(HandleSizes sizes, std::size_t begin, std::size_t end) {
  std::vector<std::size_t> handles;
  for (std::size_t i = begin; i < end; i += handles.back())
    handles.push_back(sizes.bytes_at(at(i), at(end)));
  return handles;
}

TEST(HandleSizes, AreLargeWhereAnAlignedChunkIsWhole) {
  const HandleSizes sizes{2_MiB, 8_MiB};

  EXPECT_EQ(cut(sizes, 64_MiB, 80_MiB), (std::vector{8_MiB, 8_MiB}));
  EXPECT_EQ(cut(sizes, 68_MiB, 82_MiB), (std::vector{2_MiB, 2_MiB, 8_MiB, 2_MiB}));
  EXPECT_EQ(cut(sizes, 66_MiB, 78_MiB), std::vector(6, 2_MiB)) << "as much, and no chunk whole";
  EXPECT_EQ(cut(sizes, 64_MiB, 70_MiB), std::vector(3, 2_MiB));
}

TEST(HandleSizes, AreGranulesWhereNoneAreLarge) {
  EXPECT_EQ(cut({2_MiB, 0}, 64_MiB, 80_MiB), std::vector(8, 2_MiB));
}

}  // namespace
}  // namespace garboard
