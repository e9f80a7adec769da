#include "csrc/memory/record/books.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

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

TEST(Books, NeverSeeAPeakBelowWhatIsLiveUnderThreads) {
  Books books;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&books] {
      for (int i = 0; i < 10'000; ++i) {
        books.add(8);
        if (i % 100 == 0) books.reset_peak();
        EXPECT_GE(books.peak_bytes(), 8u);  // this thread's own are live
        books.subtract(8);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(books.live_bytes(), 0u);
  EXPECT_LE(books.peak_bytes(), 4 * 8u);
}

}  // namespace
}  // namespace garboard
