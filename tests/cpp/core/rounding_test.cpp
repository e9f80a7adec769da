#include "csrc/core/rounding.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

std::byte* at(std::uintptr_t address) { return reinterpret_cast<std::byte*>(address); }

TEST(Rounding, LeavesMultiplesAsTheyAre) {
  EXPECT_EQ(rounded_up(std::size_t{0}, 64), 0u);
  EXPECT_EQ(rounded_up(std::size_t{128}, 64), 128u);
  EXPECT_EQ(rounded_down(std::size_t{128}, 64), 128u);
  EXPECT_EQ(rounded_up(at(4096), 4096), at(4096));
}

TEST(Rounding, GoesToTheNextMultipleAndToTheOneBefore) {
  EXPECT_EQ(rounded_up(std::size_t{65}, 64), 128u);
  EXPECT_EQ(rounded_down(std::size_t{127}, 64), 64u);
  EXPECT_EQ(rounded_up(at(4097), 4096), at(8192));
  EXPECT_EQ(rounded_down(at(8191), 4096), at(4096));
}

TEST(Rounding, FindsWholeMultiplesBetweenTwoOddAddresses) {
  EXPECT_EQ(whole_bytes(at(100), 100, 64), 64u);  // 128 to 192
  EXPECT_EQ(whole_bytes(at(128), 128, 64), 128u);
  EXPECT_EQ(whole_bytes(at(129), 126, 64), 0u);
  EXPECT_EQ(whole_bytes(at(129), 10, 64), 0u);
}

}  // namespace
}  // namespace garboard
