#include "csrc/memory/allocator/caching_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "csrc/memory/sources/cpu_source.h"
#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

std::size_t alignment_of(const Block* block) {
  const auto address = reinterpret_cast<std::uintptr_t>(block->data());
  return address & (~address + 1);
}

// Every test gives back all it took: then nothing may be live, and all can be returned.
class CachingAllocatorTest : public testing::Test {
 protected:
  ~CachingAllocatorTest() override {
    EXPECT_EQ(cache_.fault(), "");
    EXPECT_EQ(cache_.stats().live_bytes, 0u);
    cache_.empty_cache();
    EXPECT_EQ(device_.mapped_bytes(), 0u);
    EXPECT_EQ(device_.misuse(), "");
  }

  Block* allocate(std::size_t bytes) { return cache_.allocate(bytes, {}); }

  SimulatedSource device_{{.capacity_bytes = 1_GiB}};
  CachingAllocator cache_{device_};
};

TEST_F(CachingAllocatorTest, GivesNoBlockForNoBytes) {
  EXPECT_EQ(allocate(0), nullptr);
  cache_.release(nullptr);

  EXPECT_EQ(device_.map_count(), 0u);
}

TEST_F(CachingAllocatorTest, AlignsSmallBlocksToTheQuantumAndLargeOnesToAPage) {
  for (const std::size_t bytes : {1_KiB - 3, 256_KiB, 256_KiB + 1, 5_MiB + 7, 40_MiB}) {
    Block* const block = allocate(bytes);

    EXPECT_GE(alignment_of(block), bytes <= 256_KiB ? 512 : 4_KiB);
    EXPECT_GE(block->bytes, bytes);
    EXPECT_EQ(block->requested_bytes, bytes);
    cache_.release(block);
  }
}

TEST_F(CachingAllocatorTest, SaysWhoseStreamABlockBelongsTo) {
  const Stream stream{Device{cuda_kind, 1}, this};

  Block* const block = cache_.allocate(100, stream);

  EXPECT_EQ(block->stream, stream);
  cache_.release(block);
}

TEST_F(CachingAllocatorTest, ReusesABlockWithoutAskingTheSource) {
  Block* const first = allocate(3_MiB);
  void* const address = first->data();
  cache_.release(first);
  const std::size_t maps = device_.map_count();

  Block* const second = allocate(3_MiB);

  EXPECT_EQ(second->data(), address);
  EXPECT_EQ(device_.map_count(), maps);
  cache_.release(second);
}

TEST_F(CachingAllocatorTest, NeverGivesAStreamWhatAnotherFreed) {
  const Stream other{Device{}, this};
  Block* const block = cache_.allocate(1_KiB, other);
  void* const address = block->data();
  cache_.release(block);

  Block* const mine = allocate(1_KiB);

  EXPECT_NE(mine->data(), address);
  cache_.release(mine);
}

TEST_F(CachingAllocatorTest, ReservesNoMoreThanItsBlocksFill) {
  std::vector<Block*> blocks;
  for (int i = 0; i < 30; ++i) blocks.push_back(allocate(1_MiB));

  EXPECT_EQ(cache_.stats().segment_count, 1u);
  EXPECT_EQ(cache_.stats().reserved_bytes, 30_MiB);
  for (Block* block : blocks) cache_.release(block);
}

TEST_F(CachingAllocatorTest, ReservesWhatALargeRequestNeedsAndNoMore) {
  Block* const block = allocate(100_MiB + 1);

  EXPECT_EQ(cache_.stats().reserved_bytes, 102_MiB);
  cache_.release(block);
}

TEST_F(CachingAllocatorTest, CountsRequestedBytesOfBlocksAndBookings) {
  Block* const small = allocate(100);
  Block* const large = allocate(1_MiB + 1);
  cache_.book(8);
  cache_.book_foreign(77);

  const MemoryStats stats = cache_.stats();

  EXPECT_EQ(stats.live_bytes, 100 + 1_MiB + 1 + 8);
  EXPECT_EQ(stats.booked_bytes, 8u);
  EXPECT_EQ(stats.foreign_bytes, 77u);
  EXPECT_EQ(stats.reserved_bytes, 4_MiB);
  EXPECT_EQ(stats.cached_bytes, 4_MiB - small->bytes - large->bytes);
  EXPECT_EQ(stats.largest_free_block, 2_MiB - small->bytes);
  EXPECT_EQ(stats.allocation_count, 2u);
  cache_.unbook(8);
  cache_.unbook_foreign(77);
  cache_.release(small);
  cache_.release(large);
  EXPECT_EQ(cache_.stats().free_count, 2u);
  EXPECT_EQ(cache_.stats().foreign_bytes, 0u);
}

TEST_F(CachingAllocatorTest, RemembersTheHighestSumOfBlocksAndBookings) {
  cache_.book(1000);
  Block* const block = allocate(500);
  cache_.unbook(1000);
  cache_.book(200);

  EXPECT_EQ(cache_.stats().peak_live_bytes, 1500u);
  cache_.reset_peaks();
  EXPECT_EQ(cache_.stats().peak_live_bytes, 700u);
  EXPECT_EQ(cache_.stats().peak_reserved_bytes, 2_MiB);
  cache_.unbook(200);
  cache_.release(block);
  EXPECT_EQ(cache_.stats().peak_live_bytes, 700u);
}

TEST_F(CachingAllocatorTest, ReturnsWhollyFreeSegmentsAndNoOthersWhenEmptied) {
  Block* const kept = allocate(1_KiB);
  cache_.release(allocate(64_MiB));

  EXPECT_EQ(cache_.empty_cache(), 64_MiB);
  EXPECT_EQ(device_.mapped_bytes(), 2_MiB);
  EXPECT_EQ(cache_.empty_cache(), 0u);
  cache_.release(kept);
}

TEST_F(CachingAllocatorTest, StaysWithinItsLimit) {
  cache_.set_limit(64_MiB);
  Block* const block = allocate(48_MiB);

  EXPECT_THROW(allocate(32_MiB), OutOfMemoryError);
  EXPECT_LE(device_.mapped_bytes(), 64_MiB);
  cache_.set_limit(std::nullopt);
  Block* const now = allocate(32_MiB);

  EXPECT_EQ(cache_.limit(), std::nullopt);
  cache_.release(now);
  cache_.release(block);
}

TEST_F(CachingAllocatorTest, CountsBookedBytesAgainstTheLimit) {
  cache_.set_limit(64_MiB);
  cache_.book(63_MiB);

  EXPECT_THROW(allocate(100), OutOfMemoryError);
  cache_.unbook(63_MiB);
  cache_.release(allocate(100));
}

TEST_F(CachingAllocatorTest, ReturnsWhatIsCachedBeyondANewLimitAtOnce) {
  cache_.release(allocate(80_MiB));
  cache_.release(allocate(1_KiB));

  cache_.set_limit(4_MiB);

  EXPECT_LE(device_.mapped_bytes(), 4_MiB);
  EXPECT_THROW(allocate(20_MiB), OutOfMemoryError);
  cache_.release(allocate(1_KiB));
}

TEST_F(CachingAllocatorTest, ReturnsNoMoreThanALimitAsksFor) {
  cache_.release(allocate(80_MiB));

  cache_.set_limit(64_MiB);

  EXPECT_EQ(device_.mapped_bytes(), 64_MiB);
}

TEST_F(CachingAllocatorTest, KeepsWhatIsLiveUnderALimitBelowItAndReturnsWhatIsReleased) {
  Block* const kept = allocate(48_MiB);
  Block* const gone = allocate(34_MiB);
  cache_.set_limit(32_MiB);

  EXPECT_THROW(allocate(1_KiB), OutOfMemoryError);
  cache_.release(gone);
  EXPECT_EQ(device_.mapped_bytes(), 48_MiB);
  EXPECT_THROW(allocate(1_KiB), OutOfMemoryError);
  cache_.release(kept);
  EXPECT_LE(device_.mapped_bytes(), 32_MiB);
  cache_.release(allocate(1_KiB));
  EXPECT_THROW(allocate(49_MiB), OutOfMemoryError);
  cache_.set_limit(std::nullopt);
  cache_.release(allocate(49_MiB));
}

// What is left of a granule beside a live block cannot be returned, and must not be handed out.
TEST_F(CachingAllocatorTest, RefusesAHitThatWouldTakeLiveBytesBeyondTheLimit) {
  Block* const kept = allocate(3_MiB);
  cache_.release(allocate(1_MiB));
  cache_.set_limit(3_MiB + 512_KiB);

  EXPECT_THROW(allocate(1_MiB), OutOfMemoryError);
  cache_.release(allocate(512_KiB));
  cache_.release(kept);
}

TEST_F(CachingAllocatorTest, CountsBookedBytesAgainstTheLimitOfAHit) {
  cache_.set_limit(64_MiB);
  cache_.release(allocate(60_MiB));
  cache_.book(5_MiB);

  EXPECT_THROW(allocate(60_MiB), OutOfMemoryError);
  cache_.unbook(5_MiB);
  cache_.release(allocate(60_MiB));
}

TEST_F(CachingAllocatorTest, CollectsGarbageForAHitThatTheLimitRefuses) {
  Block* in_a_cycle = allocate(6_MiB);
  cache_.release(allocate(4_MiB));
  cache_.set_limit(8_MiB);
  cache_.set_garbage_collector(
      [&](int, bool) { cache_.release(std::exchange(in_a_cycle, nullptr)); });

  cache_.release(allocate(4_MiB));

  EXPECT_EQ(in_a_cycle, nullptr);
}

TEST(CachingAllocatorOfSegments, ReturnsWhatIsCachedBeyondALimit) {
  SimulatedSource device({.capacity_bytes = 1_GiB, .has_ranges = false});
  CachingAllocator cache(device);
  Block* const gone = cache.allocate(48_MiB, {});
  cache.release(cache.allocate(34_MiB, {}));

  cache.set_limit(32_MiB);

  EXPECT_EQ(device.mapped_bytes(), 48_MiB);
  cache.release(gone);
  EXPECT_EQ(device.mapped_bytes(), 0u);
}

// Whoever releases a tensor must not wait for the device, as returning its memory does.
TEST(CachingAllocatorOfStreams, ReturnsWhatIsReleasedBeyondALimitBeforeTheNextRequest) {
  SimulatedSource device({.capacity_bytes = 1_GiB, .has_streams = true});
  CachingAllocator cache(device);
  Block* const gone = cache.allocate(48_MiB, {});
  cache.set_limit(32_MiB);

  cache.release(gone);
  EXPECT_EQ(device.mapped_bytes(), 48_MiB);
  Block* const block = cache.allocate(1_KiB, {});

  EXPECT_LE(device.mapped_bytes(), 32_MiB);
  cache.release(block);
}

TEST_F(CachingAllocatorTest, RefusesAbsurdSizesAtOnce) {
  int asked = 0;
  cache_.set_garbage_collector([&](int, bool) { ++asked; });

  EXPECT_THROW(allocate(largest_request_bytes + 1), OutOfMemoryError);
  EXPECT_THROW(allocate(SIZE_MAX), OutOfMemoryError);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(device_.map_count(), 0u);
  EXPECT_EQ(cache_.stats().out_of_memory_count, 2u);
}

// What is too large for any bin must not be looked up in one: the bins of a heap that has seen
// nothing yet are empty, those of one that ran out of memory are not.
TEST_F(CachingAllocatorTest, RefusesEveryAbsurdSizeBeforeAndAfterMemoryRanOut) {
  const auto refuse_all = [&] {
    for (int log2 = 30; log2 < 64; ++log2) {
      for (std::size_t eighths = 0; eighths < 8; ++eighths) {
        const std::size_t bytes = (std::size_t{1} << log2) + (eighths << (log2 - 3));
        for (const std::size_t wanted : {bytes, bytes - 1, SIZE_MAX - bytes}) {
          if (wanted > 1_GiB) {
            EXPECT_THROW(allocate(wanted), OutOfMemoryError) << wanted;
          }
        }
      }
    }
    EXPECT_EQ(cache_.stats().live_bytes, 0u);
    EXPECT_EQ(cache_.fault(), "");
  };
  refuse_all();
  cache_.set_limit(64_MiB);
  cache_.release(allocate(1_KiB));
  cache_.release(allocate(40_MiB));
  Block* const block = allocate(30_MiB);
  EXPECT_THROW(allocate(40_MiB), OutOfMemoryError);
  cache_.release(block);

  refuse_all();
}

TEST_F(CachingAllocatorTest, SurvivesTheThreadThatAllocated) {
  Block* block = nullptr;
  std::thread([&] { block = allocate(1_MiB); }).join();

  std::memset(block->data(), 1, 1_MiB);

  cache_.release(block);
}

// What must be so whatever is asked: live blocks are disjoint, in segments, aligned, and keep what
// is written into them; the counters are the sums; the heap's invariants hold.
class Model {
 public:
  Model(CachingAllocator& cache, unsigned seed) : cache_(cache), random_(seed) {}
  ~Model() {
    while (!live_.empty()) release_one();
    cache_.unbook(booked_);
  }

  void step() {
    act();
    // Nothing that could be returned is kept beyond the limit.
    if (limit_ && cache_.stats().reserved_bytes > *limit_) {
      ASSERT_EQ(cache_.empty_cache(), 0u);
    }
  }

  void check() {
    ASSERT_EQ(cache_.fault(), "");
    const MemoryStats stats = cache_.stats();
    ASSERT_EQ(stats.live_bytes, live_bytes_ + booked_);
    ASSERT_EQ(stats.booked_bytes, booked_);
    ASSERT_EQ(stats.peak_live_bytes, peak_bytes_);
    ASSERT_EQ(stats.allocation_count - stats.free_count, live_.size());
  }

  int refused_count() const { return refused_; }

 private:
  struct Live {
    Block* block;
    std::byte mark;
  };

  void act() {
    const auto dice = random_() % 100;
    if (dice < 50) {
      allocate();
    } else if (dice < 95) {
      if (!live_.empty()) release_one();
    } else if (dice < 97) {
      booked_ += 8;
      cache_.book(8);
      note_peak();
    } else if (dice < 98) {
      cache_.unbook(booked_);
      booked_ = 0;
    } else if (dice < 99) {
      cache_.empty_cache();
    } else {
      const std::size_t limits[] = {32_MiB, 96_MiB, 256_MiB};
      limit_ = limits[random_() % 3];
      cache_.set_limit(limit_);
    }
  }

  void allocate() {
    const std::size_t most = std::size_t{1} << (random_() % 25);
    const std::size_t bytes = 1 + random_() % most;
    Block* block = nullptr;
    try {
      block = cache_.allocate(bytes, {});
    } catch (const OutOfMemoryError&) {
      ++refused_;
      return;
    }
    auto* const start = static_cast<std::byte*>(block->data());
    ASSERT_EQ(block->requested_bytes, bytes);
    const auto above = live_.lower_bound(start);
    ASSERT_TRUE(above == live_.end() || start + block->bytes <= above->first);
    if (above != live_.begin()) {
      const auto& [address, below] = *std::prev(above);
      ASSERT_LE(address + below.block->bytes, start);
    }
    const auto mark = static_cast<std::byte>(random_());
    start[0] = start[bytes / 2] = start[bytes - 1] = mark;
    live_.emplace(start, Live{block, mark});
    live_bytes_ += bytes;
    ASSERT_LE(live_bytes_ + booked_, limit_.value_or(SIZE_MAX));
    note_peak();
  }

  void release_one() {
    auto at = live_.begin();
    std::advance(at, random_() % std::min<std::size_t>(live_.size(), 32));
    const auto [start, live] = *at;
    const std::size_t bytes = live.block->requested_bytes;
    EXPECT_EQ(start[0], live.mark);
    EXPECT_EQ(start[bytes / 2], live.mark);
    EXPECT_EQ(start[bytes - 1], live.mark);
    live_.erase(at);
    live_bytes_ -= bytes;
    cache_.release(live.block);
  }

  void note_peak() { peak_bytes_ = std::max(peak_bytes_, live_bytes_ + booked_); }

  CachingAllocator& cache_;
  std::mt19937 random_;
  std::map<std::byte*, Live> live_;
  std::size_t live_bytes_ = 0;
  std::size_t booked_ = 0;
  std::size_t peak_bytes_ = 0;
  std::optional<std::size_t> limit_;
  int refused_ = 0;
};

TEST_F(CachingAllocatorTest, AgreesWithAModelOverAHundredThousandSteps) {
  Model model(cache_, 42);
  for (int i = 0; i < 100'000 && !HasFatalFailure(); ++i) {
    model.step();
    if (i % 16 == 0) model.check();
  }

  EXPECT_GT(model.refused_count(), 0);
  model.check();
}

TEST_F(CachingAllocatorTest, AgreesWithAModelThatIsCheckedAfterEveryStep) {
  for (unsigned seed = 0; seed < 10 && !HasFatalFailure(); ++seed) {
    SimulatedSource device(
        {.capacity_bytes = 128_MiB,
         .granularity_bytes = seed % 3 ? 2_MiB : 64_KiB,  // the less, the more moves
         .large_handle_bytes = seed % 4 ? 0 : 8_MiB,
         .has_ranges = seed % 2 == 0});
    CachingAllocator cache(device);
    Model model(cache, seed);
    for (int i = 0; i < 1000 && !HasFatalFailure(); ++i) {
      model.step();
      model.check();
    }
    EXPECT_EQ(device.misuse(), "");
  }
}

// A minute: --gtest_also_run_disabled_tests --gtest_filter='*Million*'.
TEST_F(CachingAllocatorTest, DISABLED_AgreesWithAModelThatIsCheckedAfterEachOfAMillionSteps) {
  struct {
    bool has_ranges;
    std::size_t granularity_bytes;
    std::size_t large_handle_bytes = 0;
  } const kinds[] = {{true, 2_MiB}, {true, 64_KiB}, {true, 2_MiB, 8_MiB}, {false, 2_MiB}};
  for (const auto& [has_ranges, granularity, large_handle] : kinds) {
    SimulatedSource device({.capacity_bytes = 128_MiB,
                            .granularity_bytes = granularity,
                            .large_handle_bytes = large_handle,
                            .has_ranges = has_ranges});
    CachingAllocator cache(device);
    Model model(cache, 1);
    for (int i = 0; i < 333'334 && !HasFatalFailure(); ++i) {
      model.step();
      model.check();
    }
    EXPECT_GT(model.refused_count(), 0);
    EXPECT_EQ(cache.stats().moved_bytes > 0, granularity < 2_MiB);
    EXPECT_EQ(device.misuse(), "");
  }
}

// Blocks move between threads through a shared shelf, and are checked where they end.
TEST_F(CachingAllocatorTest, KeepsItsBooksUnderEightThreads) {
  cache_.set_limit(256_MiB);
  constexpr int thread_count = 8;
  std::mutex shelf_lock;
  std::vector<Block*> shelf;
  const auto swap_with_shelf = [&](Block* block, std::size_t random) {
    const std::lock_guard guard(shelf_lock);
    shelf.push_back(block);
    std::swap(shelf[random % shelf.size()], shelf.back());
    Block* const taken = shelf.back();
    shelf.pop_back();
    return taken;
  };
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Block*> mine;
    for (int i = 0; i < 20'000; ++i) {
      cache_.book(16);
      if (random() % 2 || mine.empty()) {
        const std::size_t most = std::size_t{8} << (random() % 20);
        const std::size_t bytes = 8 + random() % most;
        try {
          Block* const block = cache_.allocate(bytes, {});
          std::memcpy(block->data(), &bytes, sizeof bytes);
          mine.push_back(swap_with_shelf(block, random()));
        } catch (const OutOfMemoryError&) {
        }
      } else {
        Block* const block = mine.back();
        mine.pop_back();
        std::size_t bytes = 0;
        std::memcpy(&bytes, block->data(), sizeof bytes);
        EXPECT_EQ(bytes, block->requested_bytes);
        cache_.release(block);
      }
      if (i % 500 == 0) cache_.empty_cache();
      if (i % 777 == 0) cache_.set_limit(random() % 2 ? 256_MiB : 4_MiB);
      cache_.unbook(16);
    }
    for (Block* block : mine) cache_.release(block);
  };

  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  for (Block* block : shelf) cache_.release(block);

  EXPECT_EQ(cache_.stats().allocation_count, cache_.stats().free_count);
  EXPECT_EQ(cache_.stats().booked_bytes, 0u);
}

#if defined(__SANITIZE_ADDRESS__)
TEST_F(CachingAllocatorTest, LetsTheSanitizerSeeAUseAfterTheEnd) {
  Block* const block = allocate(100);
  auto* const bytes = static_cast<volatile char*>(block->data());
  bytes[99] = 1;

  EXPECT_DEATH(bytes[100] = 1, "use-after-poison");
  cache_.release(block);
  EXPECT_DEATH(bytes[0] = 1, "use-after-poison");
}
#endif

}  // namespace
}  // namespace garboard
