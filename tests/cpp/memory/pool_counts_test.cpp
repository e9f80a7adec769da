#include "csrc/memory/pool_counts.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

TEST(Tally, KeepsCurrentPeakAndSums) {
  Tally tally;
  tally.add(10);
  tally.add(5);
  tally.subtract(12);
  tally.add(2);

  EXPECT_EQ(tally.current(), 5u);
  EXPECT_EQ(tally.peak(), 15u);
  EXPECT_EQ(tally.allocated(), 17u);
  EXPECT_EQ(tally.freed(), 12u);
}

TEST(Tally, ForgetsItsPeakOrItsSumsAndNeverWhatIsThere) {
  Tally tally;
  tally.add(10);
  tally.subtract(6);

  tally.reset_peak();
  tally.reset_accumulated();

  EXPECT_EQ(tally.current(), 4u);
  EXPECT_EQ(tally.peak(), 4u);
  EXPECT_EQ(tally.allocated(), 0u);
  tally.subtract(4);
  EXPECT_EQ(tally.freed(), 4u);
  EXPECT_EQ(tally.current(), 0u);
}

TEST(CountsByPool, CountsAllBesideThePool) {
  CountsByPool counts;
  for (const bool is_small : {true, true, false})
    counts.for_both(is_small, [](PoolCounts& pool) { pool.add_block(100, 128); });

  EXPECT_EQ(counts.all.blocks.current(), 3u);
  EXPECT_EQ(counts.small.occupied_bytes.current(), 256u);
  EXPECT_EQ(counts.large.requested_bytes.current(), 100u);

  counts.for_each([](Tally& tally) { tally.reset_accumulated(); });
  EXPECT_EQ(counts.all.blocks.allocated(), 0u);
}

}  // namespace
}  // namespace garboard
