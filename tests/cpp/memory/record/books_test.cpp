#include "csrc/memory/record/books.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

TEST(Books, KeepThePeakUntilItIsReset) {
  Books books;
  books.add(100);
  books.subtract(60);
  books.add(20);

  EXPECT_EQ(books.live_bytes(), 60u);
  EXPECT_EQ(books.peak_bytes(), 100u);
  books.reset_peak();
  EXPECT_EQ(books.peak_bytes(), 60u);
}

TEST(Books, KeepForeignBytesOutOfThePeak) {
  Books books;
  books.add_foreign(100);

  EXPECT_EQ(books.foreign_bytes(), 100u);
  EXPECT_EQ(books.live_bytes(), 0u);
  EXPECT_EQ(books.peak_bytes(), 0u);
  books.subtract_foreign(100);
  EXPECT_EQ(books.foreign_bytes(), 0u);
}

}  // namespace
}  // namespace garboard
