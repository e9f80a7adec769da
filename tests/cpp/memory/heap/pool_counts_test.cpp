#include "csrc/memory/heap/pool_counts.h"

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

TEST(CountsByPool, AddsUpBothPoolsAtTheLook) {
  CountsByPool counts;
  for (const bool is_small : {true, true, false}) counts.add_block(is_small, 100, 128);

  const CountsByPool seen = counts.summed();

  EXPECT_EQ(seen.all.blocks.current(), 3u);
  EXPECT_EQ(seen.small.occupied_bytes.current(), 256u);
  EXPECT_EQ(seen.large.requested_bytes.current(), 100u);
  counts.reset_accumulated();
  EXPECT_EQ(counts.summed().all.blocks.allocated(), 0u);
  EXPECT_EQ(counts.summed().all.blocks.ever_allocated(), 3u);
}

TEST(CountsByPool, KeepsThePeakOfTheSumNotTheSumOfThePeaks) {
  CountsByPool counts;
  counts.add_block(true, 100, 128);
  counts.remove_block(true, 100, 128);
  counts.add_block(false, 50, 64);

  EXPECT_EQ(counts.summed().all.requested_bytes.peak(), 100u);
  counts.reset_peaks();
  EXPECT_EQ(counts.summed().all.requested_bytes.peak(), 50u);
  EXPECT_EQ(counts.small.requested_bytes.peak(), 0u);
}

TEST(CountsByPool, KnowsTheMostThatWasActive) {
  CountsByPool counts;
  counts.add_block(true, 100, 128);
  counts.suspend_block(true, 100, 128);
  counts.add_block(false, 100, 128);
  counts.note_active();
  counts.end_pending(true, 128);

  EXPECT_EQ(counts.all.most_active_blocks, 2u);
  EXPECT_EQ(counts.summed().all.active_blocks(), 1u);
  EXPECT_EQ(counts.summed().all.occupied_bytes.current(), 128u);
  counts.reset_peaks();
  EXPECT_EQ(counts.all.most_active_blocks, 1u);
}

TEST(CountsByPool, CountsASegmentWhenItsFirstMemoryComesAndItsLastGoes) {
  CountsByPool counts;
  counts.add_memory(false, 4096, true);
  counts.add_memory(false, 4096, false);
  counts.remove_memory(false, 4096, false);
  EXPECT_EQ(counts.current(&PoolCounts::segments), 1u);

  counts.remove_memory(false, 4096, true);

  EXPECT_EQ(counts.current(&PoolCounts::segments), 0u);
  EXPECT_EQ(counts.current(&PoolCounts::reserved_bytes), 0u);
}

}  // namespace
}  // namespace garboard
