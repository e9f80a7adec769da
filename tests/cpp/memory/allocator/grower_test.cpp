// How CachingAllocator's memory grows, page by page, and which of it goes back.
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

class GrowthTest : public testing::Test {
 protected:
  ~GrowthTest() override {
    for (Block* block : blocks_) cache_.release(block);
    EXPECT_EQ(cache_.fault(), "");
    cache_.empty_cache();
    EXPECT_EQ(device_.mapped_bytes(), 0u);
    EXPECT_EQ(device_.misuse(), "");
  }

  /// Blocks that touch, lowest first.
  void allocate(int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) blocks_.push_back(cache_.allocate(bytes, {}));
  }
  void release(std::size_t index) { cache_.release(std::exchange(blocks_[index], nullptr)); }

  SimulatedSource device_{{.capacity_bytes = 1_GiB, .is_backed = false}};
  CachingAllocator cache_{device_};
  std::vector<Block*> blocks_;
};

TEST_F(GrowthTest, LetsABlockSpanWhatSeparateCallsMapped) {
  allocate(8, 4_MiB);
  const std::size_t calls = device_.map_count();
  std::byte* const lowest = blocks_[0]->address;
  for (std::size_t i = 0; i < 8; ++i) release(i);

  allocate(1, 32_MiB);

  EXPECT_EQ(blocks_.back()->address, lowest);
  EXPECT_EQ(device_.map_count(), calls);
}

TEST_F(GrowthTest, MapsOnlyWhatTheFreeMemoryAtItsEndLacks) {
  allocate(2, 10_MiB);
  release(1);

  allocate(1, 16_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 26_MiB);
  EXPECT_EQ(blocks_[2]->address, blocks_[0]->end());
}

TEST_F(GrowthTest, LeavesTheEndForWhatFitsNowhereElse) {
  allocate(3, 10_MiB);
  std::byte* const middle = blocks_[1]->address;
  release(1);
  release(2);
  allocate(2, 10_MiB);  // the wilderness is 20 MiB now
  release(3);

  allocate(1, 2_MiB);

  EXPECT_EQ(blocks_.back()->address, middle);
}

TEST_F(GrowthTest, FillsTheLowestHoleThatIsLargeEnough) {
  allocate(9, 10_MiB);
  for (const std::size_t i : {1, 4, 5}) release(i);
  cache_.empty_cache();
  ASSERT_EQ(device_.mapped_bytes(), 60_MiB);

  allocate(1, 16_MiB);

  EXPECT_EQ(blocks_.back()->address, blocks_[3]->end());
  EXPECT_EQ(device_.mapped_bytes(), 76_MiB);
}

TEST_F(GrowthTest, MovesPagesToWhereTheyMakeOnePiece) {
  cache_.set_limit(64_MiB);
  allocate(16, 4_MiB);
  for (std::size_t i = 0; i < 16; i += 2) release(i);  // 32 MiB free, 4 in one piece

  allocate(1, 32_MiB);

  EXPECT_EQ(device_.peak_mapped_bytes(), 64_MiB);
  EXPECT_EQ(cache_.stats().reserved_bytes, 64_MiB);
}

TEST_F(GrowthTest, MovesWhatLiesFreeElsewhereBeforeThereIsTooMuch) {
  allocate(1, 300_MiB);
  allocate(100, 3_MiB);
  for (std::size_t i = 1; i < 60; i += 2) release(i);

  allocate(1, 60_MiB);  // 90 are free, 3 in a piece; 32 may be

  EXPECT_LE(device_.peak_mapped_bytes(), 632_MiB);
  EXPECT_GT(cache_.stats().moved_bytes, 16_MiB);
  EXPECT_EQ(cache_.stats().retry_count, 0u);
}

TEST_F(GrowthTest, MovesNothingForSixteenGranules) {
  allocate(20, 3_MiB);
  for (std::size_t i = 0; i < 20; i += 2) release(i);

  allocate(1, 31_MiB);

  EXPECT_EQ(cache_.stats().moved_bytes, 0u);
}

// What is freed last time lies in the way of what is larger this time: each step would move all.
TEST_F(GrowthTest, StopsMovingWhereItIsInVain) {
  allocate(8, 40_MiB);
  for (std::size_t bytes = 41_MiB; bytes < 80_MiB; bytes += 1_MiB) {
    for (std::size_t i = 0; i < 8; ++i) {
      Block* const larger = cache_.allocate(bytes, {});
      cache_.release(std::exchange(blocks_[i], larger));
    }
  }

  const MemoryStats stats = cache_.stats();
  EXPECT_GT(stats.moved_bytes, 0u);
  EXPECT_LT(stats.moved_bytes, stats.peak_live_bytes / 2);
}

TEST_F(GrowthTest, ComesToRestInAProgramThatRepeatsItself) {
  std::vector<std::size_t> moved;
  for (int step = 0; step < 60; ++step) {
    std::mt19937 random(7);  // the same in each
    std::vector<std::size_t> live;
    for (int i = 0; i < 200; ++i) {
      allocate(1, (1 + random() % 12) * 1_MiB);
      live.push_back(blocks_.size() - 1);
      if (random() % 2) {
        std::swap(live[random() % live.size()], live.back());
        release(live.back());
        live.pop_back();
      }
    }
    for (const std::size_t index : live) release(index);
    moved.push_back(cache_.stats().moved_bytes);
  }

  EXPECT_GT(moved.back(), 0u);
  EXPECT_EQ(moved[30], moved.back());
}

TEST_F(GrowthTest, TakesFromThePoolOfSmallRequestsWhatItLeavesFree) {
  cache_.set_limit(32_MiB);
  allocate(128, 256_KiB);
  for (std::size_t i = 0; i < 128; ++i) release(i);

  allocate(1, 32_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 32_MiB);
}

TEST_F(GrowthTest, TrimsTheHighestFirstAndNoMoreThanItLacks) {
  cache_.set_limit(64_MiB);
  allocate(6, 10_MiB);
  std::byte* const low = blocks_[1]->address;
  for (const std::size_t i : {1, 4}) release(i);  // 40 live, 20 free, 4 unmapped

  allocate(1, 11_MiB);  // 12 are to be mapped: 8 are lacking

  EXPECT_EQ(device_.unmap_count(), 1u);
  EXPECT_EQ(device_.mapped_bytes(), 64_MiB);
  EXPECT_EQ(cache_.stats().largest_free_block, 10_MiB);
  allocate(1, 10_MiB);
  EXPECT_EQ(blocks_.back()->address, low);
}

TEST_F(GrowthTest, KeepsHalfAGranuleWhoseOtherHalfIsLive) {
  allocate(4, 3_MiB);
  release(1);  // from 3 to 6 MiB: one whole granule
  release(3);

  EXPECT_EQ(cache_.empty_cache(), 4_MiB);  // and the last one, from 10 to 12

  EXPECT_EQ(device_.mapped_bytes(), 8_MiB);
}

TEST_F(GrowthTest, TrimsNothingWhereAllOfItWouldNotSuffice) {
  cache_.set_limit(64_MiB);
  allocate(6, 10_MiB);
  release(2);

  EXPECT_THROW(cache_.allocate(30_MiB, {}), OutOfMemoryError);
  EXPECT_EQ(cache_.fault(), "");
}

TEST_F(GrowthTest, AsksForMoreAtOnceWhenThereIsMuch) {
  allocate(1, 512_MiB);
  const std::size_t calls = device_.map_count();

  allocate(8, 2_MiB);

  EXPECT_EQ(device_.map_count(), calls + 2);
  EXPECT_EQ(device_.mapped_bytes(), 528_MiB);
}

TEST_F(GrowthTest, AsksForNoMoreThanItNeedsUnderPressure) {
  allocate(1, 900_MiB);

  allocate(1, 2_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 902_MiB);
}

TEST_F(GrowthTest, FindsAnotherRangeWhenLiveBlocksAreInTheWayEverywhere) {
  SimulatedSource device({.capacity_bytes = 64_MiB, .is_backed = false});
  CachingAllocator cache(device);
  std::vector<Block*> blocks;
  for (int i = 0; i < 32; ++i) blocks.push_back(cache.allocate(2_MiB, {}));
  for (int i = 1; i < 32; i += 2) cache.release(std::exchange(blocks[i], nullptr));

  Block* const block = cache.allocate(32_MiB, {});  // behind them there are addresses for 8

  EXPECT_EQ(device.range_count(), 2u);
  EXPECT_EQ(cache.fault(), "");
  cache.release(block);
  for (Block* live : blocks) cache.release(live);
}

TEST_F(GrowthTest, LeavesNothingMappedWhenOneOfSeveralPiecesIsRefused) {
  allocate(5, 10_MiB);
  release(1);
  cache_.empty_cache();
  allocate(1, 4_MiB);  // at the bottom of the hole: 6 MiB of it are left
  release(2);
  release(3);  // free: 20 MiB above the hole
  ASSERT_EQ(device_.mapped_bytes(), 44_MiB);
  device_.plan([](FaultPlan& faults) { faults.fail_from(1); });

  EXPECT_THROW(cache_.allocate(1_GiB, {}), OutOfMemoryError);
  EXPECT_THROW(cache_.allocate(25_MiB, {}), OutOfMemoryError);

  EXPECT_EQ(cache_.fault(), "");
  EXPECT_EQ(cache_.stats().reserved_bytes, device_.mapped_bytes());
  device_.plan([](FaultPlan& faults) { faults.fail_from(SIZE_MAX); });
  allocate(1, 25_MiB);
  EXPECT_EQ(cache_.fault(), "");
}

// In a range of a device without backing, which begins at a multiple of any handle.
class GrowthByLargeHandles : public testing::Test {
 protected:
  ~GrowthByLargeHandles() override {
    EXPECT_EQ(cache_.fault(), "");
    cache_.empty_cache();
    EXPECT_EQ(device_.mapped_bytes(), 0u);
    EXPECT_EQ(device_.misuse(), "");
  }

  SimulatedSource device_{
      {.capacity_bytes = 16_GiB, .large_handle_bytes = 32_MiB, .is_backed = false}};
  CachingAllocator cache_{device_};
};

TEST_F(GrowthByLargeHandles, MakesFewForMuch) {
  Block* const small = cache_.allocate(3_MiB, {});

  Block* const large = cache_.allocate(10_GiB, {});

  EXPECT_EQ(device_.handle_count(), 2u + 14u + 319u + 2u);  // from 4 MiB on, but 3 of it are there
  cache_.release(small);
  cache_.release(large);
}

TEST_F(GrowthByLargeHandles, MakesNoneOnceMemoryIsShort) {
  Block* const most = cache_.allocate(13_GiB, {});
  const std::size_t before = device_.handle_count();

  Block* const more = cache_.allocate(1_GiB, {});

  EXPECT_EQ(before, 13 * 32u);
  EXPECT_EQ(device_.handle_count() - before, 512u);
  cache_.release(more);
  EXPECT_EQ(cache_.fault(), "");
  cache_.release(most);
}

TEST_F(GrowthByLargeHandles, KeepsOneThatALiveBlockReachesInto) {
  cache_.release(cache_.allocate(96_MiB, {}));
  Block* const block = cache_.allocate(40_MiB, {});

  EXPECT_EQ(cache_.empty_cache(), 32_MiB);
  EXPECT_EQ(cache_.stats().reserved_bytes, 64_MiB);
  cache_.release(block);
  EXPECT_EQ(cache_.empty_cache(), 64_MiB);
}

TEST_F(GrowthByLargeHandles, TakesOneAwayWholeWhereALimitWouldCutIt) {
  cache_.release(cache_.allocate(96_MiB, {}));

  cache_.set_limit(60_MiB);

  EXPECT_EQ(device_.unmap_count(), 1u);
  EXPECT_EQ(cache_.stats().reserved_bytes, 32_MiB);
  cache_.release(cache_.allocate(60_MiB, {}));
  EXPECT_EQ(device_.peak_mapped_bytes(), 96_MiB);
}

TEST_F(GrowthByLargeHandles, LeavesNothingOfThemWhereALaterPieceIsRefused) {
  Block* const low = cache_.allocate(96_MiB, {});
  Block* const middle = cache_.allocate(32_MiB, {});
  cache_.release(low);
  cache_.empty_cache();  // a hole of three, 32 MiB that will be free, and the end
  cache_.release(middle);
  device_.fail_map(2);

  Block* const block = cache_.allocate(160_MiB, {});

  EXPECT_EQ(cache_.fault(), "");
  EXPECT_EQ(device_.mapped_bytes(), cache_.stats().reserved_bytes);
  cache_.release(block);
}

TEST(GrowthInSegments, ReturnsNoMoreThanTheRequestLacks) {
  SimulatedSource device({.capacity_bytes = 1_GiB, .has_ranges = false});
  CachingAllocator cache(device);
  cache.set_limit(124_MiB);
  std::vector<Block*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(cache.allocate(40_MiB, {}));
  for (Block* block : blocks) cache.release(block);

  Block* const block = cache.allocate(42_MiB, {});  // 120 are reserved: it lacks 38

  EXPECT_EQ(device.unmap_count(), 1u);
  EXPECT_EQ(device.mapped_bytes(), 122_MiB);
  cache.release(block);
}

TEST(GrowthInSegments, LetsModeratelyLargeRequestsShareASegment) {
  SimulatedSource device({.capacity_bytes = 1_GiB, .has_ranges = false});
  CachingAllocator cache(device);
  std::vector<Block*> blocks;
  for (int i = 0; i < 30; ++i) blocks.push_back(cache.allocate(1_MiB, {}));

  EXPECT_EQ(cache.stats().segment_count, 1u);
  EXPECT_EQ(cache.stats().reserved_bytes, 32_MiB);
  for (Block* block : blocks) cache.release(block);
}

TEST(GrowthInSegments, TakesTheExactSizeWhereTheRoomyOneIsRefused) {
  SimulatedSource device({.capacity_bytes = 64_MiB, .has_ranges = false});
  CachingAllocator cache(device);
  device.take_elsewhere(60_MiB);

  Block* const block = cache.allocate(3_MiB, {});

  EXPECT_EQ(device.mapped_bytes(), 4_MiB);
  cache.release(block);
}

}  // namespace
}  // namespace garboard
