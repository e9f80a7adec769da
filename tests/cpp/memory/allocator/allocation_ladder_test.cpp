// The rungs of CachingAllocator::allocate, in their order, and what is left when they fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

class LadderTest : public testing::Test {
 protected:
  ~LadderTest() override {
    EXPECT_EQ(cache_.fault(), "");
    EXPECT_EQ(cache_.stats().live_bytes, 0u);
    cache_.empty_cache();
    EXPECT_EQ(device_.mapped_bytes(), 0u);
    EXPECT_EQ(device_.misuse(), "");
  }

  Block* allocate(std::size_t bytes) { return cache_.allocate(bytes, {}); }
  void release(Block*& block) { cache_.release(std::exchange(block, nullptr)); }

  void release_all(std::initializer_list<Block*> blocks) {
    for (Block* block : blocks) cache_.release(block);
  }

  SimulatedSource device_{{.capacity_bytes = 64_MiB}};
  CachingAllocator cache_{device_};
};

TEST_F(LadderTest, AsksTheGarbageCollectorBeforeItGivesUp) {
  Block* in_a_cycle = allocate(48_MiB);
  cache_.set_garbage_collector([&](int, bool) { release(in_a_cycle); });

  Block* block = allocate(32_MiB);

  EXPECT_EQ(cache_.stats().live_bytes, 32_MiB);
  release(block);
}

TEST_F(LadderTest, ReturnsFreeSegmentsBeforeItCallsAnybody) {
  int called = 0;
  cache_.add_reclaim_callback([&](std::size_t) { ++called; });
  cache_.release(allocate(48_MiB));

  Block* block = allocate(60_MiB);

  EXPECT_EQ(called, 0);
  release(block);
}

TEST_F(LadderTest, KeepsTheCacheWhileReturningItWouldNotSuffice) {
  cache_.set_limit(64_MiB);
  Block* live = allocate(32_MiB);
  cache_.release(allocate(16_MiB));
  std::size_t mapped_bytes = 0;
  cache_.add_reclaim_callback([&](std::size_t) {
    mapped_bytes = device_.mapped_bytes();
    release(live);
  });

  Block* block = allocate(40_MiB);  // lacks 24 of 64, and 16 could be returned

  EXPECT_EQ(mapped_bytes, 48_MiB);
  release(block);
}

TEST_F(LadderTest, ClimbsInTheOrderThatUsersRelyOn) {
  std::vector<std::string> calls;
  cache_.add_reclaim_callback([&](std::size_t bytes) {
    EXPECT_EQ(bytes, 32_MiB);
    calls.push_back("first callback");
  });
  cache_.add_reclaim_callback([&](std::size_t) { calls.push_back("second callback"); });
  Block* live = allocate(48_MiB);
  cache_.set_garbage_collector(
      [&](int generation, bool) { calls.push_back(text("generation ", generation)); });
  cache_.set_holders_report([&] {
    calls.push_back("holders");
    return HoldersReport{"  48.0 MiB  train.py:7\n", {}};
  });

  EXPECT_THROW(allocate(32_MiB), OutOfMemoryError);

  // What came before was a collection under pressure, for there was time for one.
  calls.erase(calls.begin(), std::find(calls.begin(), calls.end(), "first callback"));
  EXPECT_EQ(calls, (std::vector<std::string>{"first callback", "second callback", "generation 0",
                                             "generation 1", "generation 2", "holders"}));
  release(live);
}

TEST_F(LadderTest, StopsAtTheFirstRungThatHelps) {
  Block* live = allocate(48_MiB);
  int second = 0, collected = 0;
  cache_.add_reclaim_callback([&](std::size_t) { release(live); });
  cache_.add_reclaim_callback([&](std::size_t) { ++second; });

  Block* block = allocate(32_MiB);
  cache_.set_garbage_collector([&](int, bool) { ++collected; });

  EXPECT_EQ(second, 0);
  EXPECT_EQ(collected, 0);
  release(block);
}

TEST_F(LadderTest, CollectsNoOlderGenerationThanItNeeds) {
  Block* in_a_cycle = allocate(48_MiB);
  std::vector<int> generations;
  cache_.set_garbage_collector([&](int generation, bool) {
    generations.push_back(generation);
    if (generations.size() > 2 && generation == 1) release(in_a_cycle);
  });

  Block* block = allocate(48_MiB);

  // Under pressure the young ones, then all; when nothing else helps from the youngest on.
  EXPECT_EQ(generations, (std::vector{1, 2, 0, 1}));
  EXPECT_EQ(cache_.stats().gc_runs, 4u);
  release(block);
}

TEST_F(LadderTest, TellsTheGarbageCollectorWhereARequestBegins) {
  Block* live = allocate(48_MiB);
  std::vector<bool> are_first;
  cache_.set_garbage_collector([&](int, bool is_first) { are_first.push_back(is_first); });

  EXPECT_THROW(allocate(32_MiB), OutOfMemoryError);
  EXPECT_EQ(are_first, (std::vector{true, false, false, false, false}));

  are_first.clear();
  EXPECT_THROW(allocate(32_MiB), OutOfMemoryError);
  EXPECT_EQ(are_first.front(), true);
  EXPECT_EQ(std::ranges::count(are_first, true), 1);
  release(live);
}

TEST_F(LadderTest, CollectsUnderPressureThoughItCouldGrow) {
  Block* live = allocate(32_MiB);
  Block* in_a_cycle = allocate(14_MiB);
  ASSERT_EQ(cache_.stats().reserved_bytes, 46_MiB);
  cache_.set_garbage_collector([&](int, bool) { release(in_a_cycle); });

  Block* block = allocate(14_MiB);  // would fit into the 64 MiB, but three quarters are passed

  EXPECT_EQ(cache_.stats().reserved_bytes, 46_MiB);
  release(live);
  release(block);
}

TEST_F(LadderTest, CollectsUnderPressureInAShareOfTheTimeOnly) {
  Block* live = allocate(44_MiB);
  int collected = 0;
  cache_.set_garbage_collector([&](int, bool) {
    ++collected;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    while (std::chrono::steady_clock::now() < end) {
    }
  });

  Block* first = allocate(4_MiB);
  Block* second = allocate(4_MiB);  // would have to wait for 20 times as long

  EXPECT_EQ(collected, 1);
  for (Block* block : {live, first, second}) cache_.release(block);
}

TEST_F(LadderTest, SaysWhatCollectingFreedAndTook) {
  Block* live = allocate(32_MiB);
  Block* in_a_cycle = allocate(14_MiB);
  cache_.set_garbage_collector([&](int, bool) {
    release(in_a_cycle);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (std::chrono::steady_clock::now() < end) {
    }
  });

  Block* block = allocate(14_MiB);

  const MemoryStats stats = cache_.stats();
  EXPECT_EQ(stats.gc_runs, 1u);
  EXPECT_EQ(stats.gc_freed_bytes, 14_MiB);
  EXPECT_GE(stats.gc_time_us, 1000u);
  release(live);
  release(block);
}

class StepsTest : public LadderTest {
 protected:
  /// How many requests the step has served.
  std::uint64_t saved_by(MissStep step) const {
    return cache_.stats().saved_by[static_cast<std::size_t>(step)];
  }
};

TEST_F(StepsTest, CountsHitsAndMisses) {
  release_all({allocate(1_KiB), allocate(1_KiB), allocate(1_KiB)});

  EXPECT_EQ(cache_.stats().cache_misses, 1u);
  EXPECT_EQ(cache_.stats().cache_hits, 2u);
  EXPECT_EQ(saved_by(MissStep::grow), 1u);
}

TEST_F(StepsTest, CountsFailuresAsMisses) {
  EXPECT_THROW(allocate(1_GiB), OutOfMemoryError);

  EXPECT_EQ(cache_.stats().cache_misses, 1u);
  EXPECT_EQ(cache_.stats().cache_hits, 0u);
}

TEST_F(StepsTest, TellWhichOfThemServedARequest) {
  Block* first = allocate(48_MiB);
  const int number = cache_.add_reclaim_callback([&](std::size_t) { release(first); });
  Block* live = allocate(48_MiB);
  EXPECT_EQ(saved_by(MissStep::callbacks), 1u);
  cache_.remove_reclaim_callback(number);

  int collected = 0;
  cache_.set_garbage_collector([&](int, bool) {
    if (++collected > 2) release(live);  // not under pressure already
  });
  Block* after_garbage = allocate(48_MiB);
  EXPECT_EQ(saved_by(MissStep::garbage), 1u);

  release_all({after_garbage});
}

TEST_F(StepsTest, TellThatASmallBlockWasCutFromALargeOne) {
  Block* large = allocate(21_MiB);
  cache_.set_limit(cache_.stats().reserved_bytes);
  Block* small = allocate(100);

  EXPECT_EQ(saved_by(MissStep::other_sizes), 1u);
  release_all({large, small});
}

TEST_F(StepsTest, TimeTheCallsOfTheSource) {
  release_all({allocate(48_MiB)});
  cache_.empty_cache();

  const MemoryStats stats = cache_.stats();
  EXPECT_EQ(stats.map_count, device_.map_count());
  EXPECT_EQ(stats.unmap_count, device_.unmap_count());
  EXPECT_GT(stats.map_count, 0u);
  EXPECT_GT(stats.unmap_count, 0u);
  EXPECT_LT(stats.map_time_us + stats.unmap_time_us, 60'000'000u);
}

TEST_F(LadderTest, LeavesTheGarbageAloneWhileThereIsPlenty) {
  int collected = 0;
  cache_.set_garbage_collector([&](int, bool) { ++collected; });

  cache_.release(allocate(32_MiB));

  EXPECT_EQ(collected, 0);
}

TEST_F(LadderTest, LetsAHookAllocateButNotCollectAgain) {
  Block* live = allocate(40_MiB);
  Block* nested = nullptr;
  int depth = 0, deepest = 0;
  cache_.set_garbage_collector([&](int, bool) {
    deepest = std::max(deepest, ++depth);
    if (!nested) nested = allocate(1_KiB);
    EXPECT_THROW(allocate(60_MiB), OutOfMemoryError);
    --depth;
  });

  EXPECT_THROW(allocate(60_MiB), OutOfMemoryError);

  EXPECT_EQ(deepest, 1);
  EXPECT_NE(nested, nullptr);
  release(nested);
  release(live);
}

TEST_F(LadderTest, PassesOnWhatAHookThrows) {
  Block* live = allocate(48_MiB);
  const int number =
      cache_.add_reclaim_callback([](std::size_t) { throw std::domain_error("a hook's own"); });

  EXPECT_THROW(allocate(32_MiB), std::domain_error);
  cache_.remove_reclaim_callback(number);
  EXPECT_THROW(allocate(32_MiB), OutOfMemoryError);
  release(live);
}

TEST_F(LadderTest, CallsNoHookThatWasTakenOff) {
  int called = 0;
  const int number = cache_.add_reclaim_callback([&](std::size_t) { ++called; });
  cache_.set_garbage_collector([&](int, bool) { ++called; });
  cache_.remove_reclaim_callback(number);
  cache_.set_garbage_collector(nullptr);

  EXPECT_THROW(allocate(1_GiB), OutOfMemoryError);
  EXPECT_EQ(called, 0);
}

TEST_F(LadderTest, CutsASmallBlockFromLargeMemoryBeforeItFails) {
  Block* large = allocate(21_MiB);
  cache_.set_limit(cache_.stats().reserved_bytes);
  Block* rest = allocate(512_KiB);

  Block* small = allocate(100);

  EXPECT_EQ(small->segment, large->segment);
  EXPECT_EQ(device_.mapped_bytes(), 22_MiB);
  for (Block* block : {large, rest, small}) cache_.release(block);
}

TEST_F(LadderTest, PassesWhenTheDeviceHasJustEnough) {
  device_.take_elsewhere(60_MiB);

  Block* block = allocate(3_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 4_MiB);
  release(block);
}

TEST_F(LadderTest, SaysWhyItFailedAndWhatHelps) {
  cache_.set_limit(64_MiB);
  Block* live = allocate(48_MiB);
  cache_.set_holders_report([] {
    return HoldersReport{"  48.0 MiB  train.py:7\n", {{"what was born at train.py:7", 48_MiB}}};
  });

  try {
    allocate(32_MiB);
    FAIL() << "80 MiB of 64 were given";
  } catch (const OutOfMemoryError& error) {
    EXPECT_STREQ(error.what(),
                 "allocate: 32.0 MiB asked on simulated, 48.0 MiB of the limit of 64.0 MiB are "
                 "live; release at least 16.0 MiB: dispose what was born at train.py:7 (48.0 MiB)");
    EXPECT_NE(error.report().find("train.py:7"), std::string::npos);
    EXPECT_NE(error.report().find("all free segments"), std::string::npos);
  }
  release(live);
}

TEST(Ladder, KeepsACycleOfBigTensorsWithinItsLimit) {
  SimulatedSource device({.capacity_bytes = 4_GiB});
  CachingAllocator cache(device);
  cache.set_limit(1_GiB);
  std::vector<Block*> in_cycles;
  cache.set_garbage_collector([&](int generation, bool) {
    if (generation < 2) return;  // they have grown old
    for (Block* block : std::exchange(in_cycles, {})) cache.release(block);
  });

  for (int i = 0; i < 25; ++i) in_cycles.push_back(cache.allocate(400_MiB, {}));

  EXPECT_LE(cache.stats().peak_reserved_bytes, 1_GiB);
  for (Block* block : in_cycles) cache.release(block);
}

}  // namespace
}  // namespace garboard
