#include "csrc/memory/record/peaked_sum.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace garboard {
namespace {

TEST(PeakedSum, KeepsThePeakUntilItIsReset) {
  PeakedSum sum;
  sum.add(100);
  sum.subtract(60);
  sum.add_alone(20);

  EXPECT_EQ(sum.bytes(), 60u);
  EXPECT_EQ(sum.peak_bytes(), 100u);
  sum.reset_peak();
  EXPECT_EQ(sum.peak_bytes(), 60u);
  sum.add_alone(10);
  sum.subtract_alone(70);
  EXPECT_EQ(sum.bytes(), 0u);
  EXPECT_EQ(sum.peak_bytes(), 70u);
}

TEST(PeakedSum, NeverHasAPeakBelowWhatItIsUnderThreads) {
  PeakedSum sum;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&sum] {
      for (int i = 0; i < 10'000; ++i) {
        sum.add(8);
        if (i % 100 == 0) sum.reset_peak();
        EXPECT_GE(sum.peak_bytes(), 8u);  // this thread's own are in it
        sum.subtract(8);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(sum.bytes(), 0u);
  EXPECT_LE(sum.peak_bytes(), 4 * 8u);
}

}  // namespace
}  // namespace garboard
