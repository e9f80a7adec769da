// Blocks that several streams use: when they can be had again, and what that costs.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/outer_lock.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

Stream stream(std::uintptr_t number) { return {{}, reinterpret_cast<void*>(number)}; }
const Stream main_stream = stream(0);
const Stream side = stream(1);
const Stream other = stream(2);

class SharingTest : public testing::Test {
 protected:
  ~SharingTest() override {
    EXPECT_EQ(cache_.fault(), "");
    EXPECT_EQ(cache_.stats().live_bytes, 0u);
    cache_.empty_cache();
    EXPECT_EQ(cache_.stats().pending_bytes, 0u);
    EXPECT_EQ(device_.mapped_bytes(), 0u);
    EXPECT_EQ(device_.misuse(), "");
  }

  /// A block of the main stream that `user` works on.
  Block* shared(std::size_t bytes, Stream user) {
    Block* const block = cache_.allocate(bytes, main_stream);
    cache_.used_on(block, user);
    streams().submit(user);
    return block;
  }
  SimulatedTimeline& streams() { return device_.streams(); }

  SimulatedSource device_{{.capacity_bytes = 64_MiB, .is_backed = false, .has_streams = true}};
  CachingAllocator cache_{device_};
};

TEST_F(SharingTest, GivesABlockBackAtOnceToTheStreamItIsOf) {
  Block* block = cache_.allocate(1_MiB, main_stream);
  streams().submit(main_stream);
  cache_.used_on(block, main_stream);
  void* const address = block->data();
  cache_.release(block);

  block = cache_.allocate(1_MiB, main_stream);

  EXPECT_EQ(block->data(), address);
  EXPECT_EQ(streams().event_count(), 0u);
  cache_.release(block);
}

TEST_F(SharingTest, KeepsABlockUntilTheOtherStreamHasPassed) {
  Block* block = shared(1_MiB, side);
  void* const address = block->data();
  cache_.release(block);
  EXPECT_EQ(cache_.stats().live_bytes, 0u);
  EXPECT_EQ(cache_.stats().pending_bytes, 1_MiB);

  Block* early = cache_.allocate(1_MiB, main_stream);
  EXPECT_NE(early->data(), address);
  streams().finish();
  Block* late = cache_.allocate(60_MiB, main_stream);

  EXPECT_EQ(cache_.stats().pending_bytes, 0u);
  EXPECT_EQ(streams().host_wait_count(), 0u);
  cache_.release(early);
  cache_.release(late);
}

TEST_F(SharingTest, WaitsForWorkThatIsGivenAfterTheUseWasNoted) {
  Block* block = shared(40_MiB, side);
  const Ticket last = streams().submit(side);
  cache_.release(block);
  streams().advance(side, last - 1);

  block = cache_.allocate(40_MiB, main_stream);

  EXPECT_EQ(streams().passed(side), last);
  EXPECT_EQ(streams().host_wait_count(), 1u);
  cache_.release(block);
}

TEST_F(SharingTest, WaitsForAllStreamsOfABlock) {
  Block* block = shared(40_MiB, side);
  cache_.used_on(block, other);
  streams().submit(other);
  cache_.release(block);
  streams().advance(side, 1);

  block = cache_.allocate(40_MiB, main_stream);

  EXPECT_EQ(streams().passed(other), 1u);
  cache_.release(block);
}

TEST_F(SharingTest, NotesAUseOnce) {
  Block* block = shared(1_MiB, side);
  cache_.used_on(block, side);
  cache_.used_on(block, side);
  cache_.used_on(nullptr, side);

  cache_.release(block);

  EXPECT_EQ(block->waits, 1u);
}

TEST_F(SharingTest, RecordsOneEventForABatchOfReleases) {
  std::vector<Block*> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(shared(1_KiB, side));

  for (Block* block : blocks) cache_.release(block);

  EXPECT_EQ(streams().event_count(), 2u);
  EXPECT_EQ(streams().query_count(), 0u);
}

TEST_F(SharingTest, SealsABatchByItsBytes) {
  SimulatedSource device({.capacity_bytes = 256_MiB, .is_backed = false, .has_streams = true});
  CachingAllocator cache(device);
  Block* block = cache.allocate(64_MiB, main_stream);
  cache.used_on(block, side);

  cache.release(block);

  EXPECT_EQ(device.streams().event_count(), 1u);
}

TEST_F(SharingTest, LooksAtPendingBlocksInOneOfManyHits) {
  Block* kept = cache_.allocate(1_KiB, main_stream);
  for (int i = 0; i < 32; ++i) cache_.release(shared(1_KiB, side));
  ASSERT_EQ(streams().event_count(), 1u);
  const std::size_t asked = streams().query_count();

  for (int i = 0; i < 128; ++i) cache_.release(cache_.allocate(1_KiB, main_stream));
  EXPECT_EQ(streams().query_count(), asked + 2);
  streams().finish();
  for (int i = 0; i < 64; ++i) cache_.release(cache_.allocate(1_KiB, main_stream));

  EXPECT_EQ(cache_.stats().pending_bytes, 0u);
  cache_.release(kept);
}

// A hundred frees that a slow stream holds up are no reason to fail.
TEST_F(SharingTest, DoesNotRunOutOfMemoryWhileASideStreamIsBusy) {
  for (int i = 0; i < 100; ++i) cache_.release(shared(5_MiB, side));

  EXPECT_LE(device_.peak_mapped_bytes(), 64_MiB);
  EXPECT_GT(streams().host_wait_count(), 0u);
  EXPECT_LE(streams().event_count(), 100u);
}

TEST_F(SharingTest, WaitsForTheOldestAndNoLonger) {
  Block* old = shared(20_MiB, side);
  Block* young = shared(20_MiB, other);
  Block* live = cache_.allocate(20_MiB, main_stream);
  cache_.release(old);
  cache_.release(young);

  Block* block = cache_.allocate(20_MiB, main_stream);

  EXPECT_EQ(streams().passed(side), 1u);
  EXPECT_EQ(streams().passed(other), 0u);
  EXPECT_EQ(cache_.stats().stream_wait_count, 1u);
  EXPECT_EQ(cache_.stats().saved_by[static_cast<std::size_t>(MissStep::pending)], 1u);
  cache_.release(live);
  cache_.release(block);
}

TEST_F(SharingTest, TakesFromAnotherStreamOnlyWhenItCannotGrow) {
  Block* keep = cache_.allocate(100, main_stream);
  Block* hole = cache_.allocate(1_MiB, main_stream);
  Block* end = cache_.allocate(512_KiB, main_stream);  // so that no whole granule is free
  void* const address = hole->data();
  streams().submit(main_stream);
  cache_.release(hole);

  Block* grown = cache_.allocate(1_MiB, side);
  EXPECT_NE(grown->data(), address);
  EXPECT_EQ(cache_.stats().stolen_bytes, 0u);
  device_.set_capacity(device_.mapped_bytes());
  Block* rest = cache_.allocate(1_MiB, side);
  Block* stolen = cache_.allocate(1_MiB, side);

  EXPECT_EQ(stolen->data(), address);
  EXPECT_EQ(cache_.stats().stolen_bytes, 1_MiB);
  EXPECT_EQ(cache_.stats().saved_by[static_cast<std::size_t>(MissStep::other_streams)], 1u);
  EXPECT_TRUE(streams().is_before(main_stream, 1, side));
  EXPECT_EQ(streams().host_wait_count(), 0u);
  for (Block* block : {keep, end, grown, rest, stolen}) cache_.release(block);
}

TEST_F(SharingTest, GivesWhatWasTakenBackWhenItsUserHasPassed) {
  Block* keep = cache_.allocate(1_MiB, main_stream);
  Block* hole = cache_.allocate(1_MiB, main_stream);
  device_.set_capacity(device_.mapped_bytes());
  void* const address = hole->data();
  cache_.release(hole);
  Block* stolen = cache_.allocate(1_MiB, side);
  ASSERT_EQ(stolen->data(), address);
  streams().submit(side);
  cache_.release(stolen);
  EXPECT_EQ(cache_.stats().pending_bytes, 1_MiB);

  Block* again = cache_.allocate(1_MiB, main_stream);

  EXPECT_EQ(again->data(), address);
  EXPECT_EQ(streams().passed(side), streams().submitted(side));
  cache_.release(keep);
  cache_.release(again);
}

TEST_F(SharingTest, CountsPendingBlocksAsActiveNotAsLive) {
  Block* block = shared(1_MiB, side);
  cache_.release(block);

  const MemoryStats stats = cache_.stats();
  const PoolCounts large = cache_.counts_by_pool().large;
  EXPECT_EQ(stats.live_bytes, 0u);
  EXPECT_EQ(stats.booked_bytes, 0u);
  EXPECT_EQ(stats.reserved_bytes, stats.cached_bytes + stats.pending_bytes);
  EXPECT_EQ(large.blocks.current(), 0u);
  EXPECT_EQ(large.active_blocks(), 1u);
  EXPECT_EQ(large.occupied_bytes.current(), 1_MiB);
}

TEST_F(SharingTest, KnowsTheMostThatWasActive) {
  cache_.release(shared(1_MiB, side));
  Block* second = cache_.allocate(1_MiB, main_stream);
  cache_.release(second);

  EXPECT_EQ(cache_.counts_by_pool().all.most_active_blocks, 2u);
  EXPECT_EQ(cache_.counts_by_pool().all.blocks.peak(), 1u);
  cache_.reset_peaks();
  EXPECT_EQ(cache_.counts_by_pool().all.most_active_blocks, 1u);
}

TEST_F(SharingTest, RecordsAFreeInTwoHalves) {
  cache_.record_history(HistoryLevel::site, 100);
  Block* block = shared(1_MiB, side);
  cache_.release(block);
  const MemorySnapshot pending = cache_.snapshot();
  streams().finish();
  cache_.empty_cache();
  const MemorySnapshot done = cache_.snapshot();

  ASSERT_FALSE(pending.blocks.empty());
  EXPECT_EQ(pending.blocks[0].state, MemorySnapshot::State::pending);
  EXPECT_EQ(pending.blocks[0].requested_bytes, 1_MiB);
  std::vector<HistoryAction> actions;
  for (const HistoryEntry& entry : done.entries) {
    if (entry.action == HistoryAction::free_requested ||
        entry.action == HistoryAction::free_completed || entry.action == HistoryAction::free)
      actions.push_back(entry.action);
  }
  EXPECT_EQ(actions, (std::vector{HistoryAction::free_requested, HistoryAction::free_completed}));
}

TEST_F(SharingTest, WaitsBeforeItEmptiesTheCache) {
  cache_.release(shared(10_MiB, side));

  EXPECT_EQ(cache_.empty_cache(), 10_MiB);
  EXPECT_EQ(streams().passed(side), 1u);
}

/// Gives each of a few streams work, lets them do it, and shares and releases blocks, for a while.
class Sharer {
 public:
  Sharer(CachingAllocator& cache, SimulatedTimeline& streams, unsigned seed)
      : cache_(cache), streams_(streams), random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps; ++i) step();
    for (Block* block : std::exchange(blocks_, {})) cache_.release(block);
  }

 private:
  void step() {
    const Stream on = stream(random_() % 3);
    const unsigned what = random_() % 8;
    if (what < 3) {
      allocate(on);
    } else if (what == 3) {
      streams_.advance(on, streams_.submitted(on));
    } else if (!blocks_.empty()) {
      const std::size_t at = random_() % blocks_.size();
      if (what < 6) {
        cache_.used_on(blocks_[at], on);
        streams_.submit(on);
      } else {
        cache_.release(std::exchange(blocks_[at], blocks_.back()));
        blocks_.pop_back();
      }
    }
  }
  void allocate(Stream on) {
    try {
      blocks_.push_back(cache_.allocate(std::size_t{1} << (8 + random_() % 13), on));
    } catch (const OutOfMemoryError&) {  // others have it
    }
  }

  CachingAllocator& cache_;
  SimulatedTimeline& streams_;
  std::mt19937 random_;
  std::vector<Block*> blocks_;
};

TEST_F(SharingTest, KeepsItsBooksWhileManyThreadsShare) {
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed)
    threads.emplace_back([this, seed] { Sharer(cache_, streams(), seed).run(3000); });
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(cache_.fault(), "");
  cache_.empty_cache();
  EXPECT_EQ(cache_.stats().pending_bytes, 0u);
  EXPECT_EQ(cache_.counts_by_pool().all.active_blocks(), 0u);
  EXPECT_EQ(cache_.counts_by_pool().all.occupied_bytes.current(), 0u);
}

/// An outer lock that counts how often it was given up, and taken again.
class CountedOuterLock {
 public:
  CountedOuterLock() {
    left = back = 0;
    OuterLock::declare({[]() noexcept -> void* { return ++left, &left; }, [](void*) { ++back; }});
  }
  ~CountedOuterLock() { OuterLock::declare({}); }

  static inline int left = 0, back = 0;
};

TEST_F(SharingTest, GivesTheOuterLockUpWhileItWaitsForAStream) {
  cache_.release(shared(40_MiB, side));
  const CountedOuterLock lock;

  Block* block = cache_.allocate(40_MiB, main_stream);

  EXPECT_EQ(streams().host_wait_count(), 1u);
  EXPECT_EQ(lock.left, 1);
  EXPECT_EQ(lock.back, 1);
  cache_.release(block);
}

TEST_F(SharingTest, GivesTheOuterLockUpWhileMemoryGoesBackToADeviceAtWork) {
  cache_.release(cache_.allocate(40_MiB, main_stream));
  const CountedOuterLock lock;

  cache_.empty_cache();

  EXPECT_EQ(lock.left, 1);
  EXPECT_EQ(lock.back, 1);
}

TEST_F(SharingTest, KeepsTheOuterLockOnAHit) {
  cache_.release(cache_.allocate(1_KiB, main_stream));
  const CountedOuterLock lock;

  cache_.release(cache_.allocate(1_KiB, main_stream));

  EXPECT_EQ(lock.left, 0);
}

TEST(Sharing, IsNothingWhereWorkIsDoneWhenItsCallReturns) {
  SimulatedSource device({.capacity_bytes = 8_MiB, .is_backed = false});
  CachingAllocator cache(device);
  Block* block = cache.allocate(1_MiB, main_stream);
  cache.used_on(block, side);
  cache.release(block);

  EXPECT_EQ(cache.stats().pending_bytes, 0u);
  EXPECT_EQ(cache.fault(), "");
}

}  // namespace
}  // namespace garboard
