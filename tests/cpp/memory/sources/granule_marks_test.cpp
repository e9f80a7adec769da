#include "csrc/memory/sources/granule_marks.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

TEST(GranuleMarks, AreZeroUntilTheyAreSet) {
  const GranuleMarks marks(std::size_t{1} << 29);

  EXPECT_EQ(marks.size(), std::size_t{1} << 29);
  EXPECT_EQ(marks[0], 0u);
  EXPECT_EQ(marks[marks.size() - 1], 0u);
  EXPECT_FALSE(marks.has_any());
}

TEST(GranuleMarks, AreKeptOverTheEdgesOfPages) {
  GranuleMarks marks(100'000);

  marks.fill(10'000, 80'000, 7);
  marks.fill(16'380, 8, 9);

  EXPECT_EQ(marks[9'999], 0u);
  EXPECT_EQ(marks[10'000], 7u);
  EXPECT_EQ(marks[16'379], 7u);
  for (std::size_t i = 16'380; i < 16'388; ++i) EXPECT_EQ(marks[i], 9u);
  EXPECT_EQ(marks[16'388], 7u);
  EXPECT_EQ(marks[89'999], 7u);
  EXPECT_EQ(marks[90'000], 0u);
}

TEST(GranuleMarks, AreGoneWhenAllAreZeroAgain) {
  GranuleMarks marks(50'000);
  marks.fill(49'990, 10, 3);
  EXPECT_TRUE(marks.has_any());

  marks.fill(0, 50'000, 0);

  EXPECT_FALSE(marks.has_any());
}

}  // namespace
}  // namespace garboard
