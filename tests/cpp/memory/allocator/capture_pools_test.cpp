// The memory of captured work: used again within its pool, and nobody else's while it may be
// played.
#include "csrc/memory/allocator/capture_pools.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "csrc/memory/allocator/caching_allocator.h"
#include "csrc/memory/sources/simulated_source.h"
#include "tests/cpp/support/stand_in.h"

namespace garboard {
namespace {

class CapturePoolsTest : public testing::Test {
 protected:
  ~CapturePoolsTest() override {
    EXPECT_EQ(cache_.fault(), "");
    EXPECT_EQ(cache_.stats().live_bytes, 0u);
    cache_.empty_cache();
    EXPECT_EQ(device_.mapped_bytes(), 0u);
    EXPECT_EQ(device_.misuse(), "");
    EXPECT_FALSE(is_anything_captured());
  }

  CapturePools& pools() { return cache_.capture_pools(); }
  void begin(CapturePool pool) {
    capture_ = begin_capture(captured_);
    pools().begin(capture_, pool);
  }
  void end() {
    forget_captured(captured_.device, end_capture(captured_));
    pools().end(capture_);
  }
  Block* take(std::size_t bytes, Stream stream) { return cache_.allocate(bytes, stream); }

  const Stream captured_{stand_in::device(), reinterpret_cast<void*>(std::uintptr_t{0x1001})};
  const Stream other_{stand_in::device(), reinterpret_cast<void*>(std::uintptr_t{0x1002})};
  SimulatedSource device_{{.capacity_bytes = 64_MiB, .is_backed = false, .has_streams = true}};
  CachingAllocator cache_{device_};
  CaptureId capture_ = 0;
};

TEST_F(CapturePoolsTest, GiveBlocksBackWithinACapture) {
  const CapturePool pool = pools().open();
  begin(pool);
  Block* first = take(1_MiB, captured_);
  void* const address = first->data();
  EXPECT_EQ(first->stream, captured_);
  cache_.release(first);
  Block* const second = take(1_MiB, captured_);
  EXPECT_EQ(second->data(), address);
  cache_.release(second);
  end();
  pools().close(pool);
}

TEST_F(CapturePoolsTest, GiveNothingToOthersWhileTheyMayBePlayed) {
  const CapturePool pool = pools().open();
  begin(pool);
  cache_.release(take(40_MiB, captured_));
  end();
  const std::size_t reserved = cache_.stats().reserved_bytes;

  EXPECT_EQ(cache_.empty_cache(), 0u);
  EXPECT_EQ(cache_.stats().reserved_bytes, reserved);
  EXPECT_THROW(take(40_MiB, captured_), OutOfMemoryError);
  EXPECT_THROW(take(40_MiB, other_), OutOfMemoryError);

  pools().close(pool);
  Block* const block = take(40_MiB, other_);
  cache_.release(block);
}

TEST_F(CapturePoolsTest, KeepEachStreamsBlocksApart) {
  const CapturePool pool = pools().open();
  begin(pool);
  stand_in::captured[other_.handle] = capture_;
  Block* const own = take(1_MiB, captured_);
  void* const address = own->data();
  cache_.release(own);
  Block* const others = take(1_MiB, other_);
  EXPECT_NE(others->data(), address);
  cache_.release(others);
  end();
  pools().close(pool);
}

TEST_F(CapturePoolsTest, LetABlockOfAJoinedStreamWaitForTheEndOfTheCapture) {
  const CapturePool pool = pools().open();
  begin(pool);
  stand_in::captured[other_.handle] = capture_;
  Block* const block = take(1_MiB, captured_);
  void* const address = block->data();
  cache_.used_on(block, other_);
  cache_.release(block);
  Block* const next = take(1_MiB, captured_);
  EXPECT_NE(next->data(), address);
  cache_.release(next);
  end();

  begin(pool);
  Block* const one = take(1_MiB, captured_);
  Block* const two = take(1_MiB, captured_);  // not until there is no other
  EXPECT_EQ(two->data(), address);
  cache_.release(one);
  cache_.release(two);
  end();
  pools().close(pool);
}

TEST_F(CapturePoolsTest, StayUntilTheLastShareIsGone) {
  const CapturePool pool = pools().open();
  EXPECT_TRUE(pools().share(pool));
  begin(pool);
  cache_.release(take(8_MiB, captured_));
  end();
  pools().close(pool);
  EXPECT_EQ(cache_.empty_cache(), 0u);
  pools().close(pool);
  EXPECT_GE(cache_.empty_cache(), 8_MiB);
  EXPECT_FALSE(pools().share(pool));
}

TEST_F(CapturePoolsTest, ThatNobodyHoldsServeTheNextCaptureOfTheirStream) {
  void* address = nullptr;
  for (int turn = 0; turn < 100; ++turn) {
    const CapturePool pool = pools().open();
    begin(pool);
    Block* const block = take(2_MiB, captured_);
    if (!address) address = block->data();
    EXPECT_EQ(block->data(), address);
    cache_.release(block);
    end();
    pools().close(pool);
  }
  EXPECT_LE(cache_.stats().reserved_bytes, 8_MiB);
}

TEST_F(CapturePoolsTest, LeaveNothingBeforeAllStreamsAreDoneWithIt) {
  const CapturePool pool = pools().open();
  begin(pool);
  std::vector<Block*> live{take(1_MiB, captured_)};  // keeps the granule that both lie in
  Block* const result = take(1_MiB, captured_);
  end();
  pools().close(pool);
  while (cache_.stats().reserved_bytes < 64_MiB) live.push_back(take(2_MiB, other_));
  const Ticket reads = device_.streams().submit(other_);  // the result
  void* const address = result->data();
  cache_.release(result);

  const Stream third{stand_in::device(), reinterpret_cast<void*>(std::uintptr_t{0x1003})};
  live.push_back(take(1_MiB, third));
  EXPECT_EQ(live.back()->data(), address);
  EXPECT_TRUE(device_.streams().is_before(other_, reads, third));
  for (Block* const block : live) cache_.release(block);
}

TEST_F(CapturePoolsTest, ServeTheNextCaptureOnceAllStreamsAreDoneWithThem) {
  const CapturePool first = pools().open();
  begin(first);
  Block* const result = take(1_MiB, captured_);
  end();
  pools().close(first);
  cache_.release(take(1_MiB, other_));
  const Ticket reads = device_.streams().submit(other_);
  void* const address = result->data();
  cache_.release(result);

  const CapturePool second = pools().open();
  begin(second);
  Block* const block = take(1_MiB, captured_);
  EXPECT_EQ(block->data(), address);
  EXPECT_GE(device_.streams().passed(other_), reads);
  cache_.release(block);
  end();
  pools().close(second);
}

TEST_F(CapturePoolsTest, OutliveTheirCaptureInBlocksThatLive) {
  const CapturePool pool = pools().open();
  begin(pool);
  Block* const result = take(3_MiB, captured_);
  end();
  pools().close(pool);
  Block* const other = take(3_MiB, captured_);
  EXPECT_NE(other->data(), result->data());
  cache_.release(result);
  cache_.release(other);
}

TEST_F(CapturePoolsTest, TakeNothingOfOtherStreamsAndReturnNothingMeanwhile) {
  cache_.release(take(40_MiB, other_));
  const CapturePool pool = pools().open();
  begin(pool);
  EXPECT_EQ(cache_.empty_cache(), 0u);
  EXPECT_THROW(take(40_MiB, captured_), OutOfMemoryError);
  end();
  pools().close(pool);
}

TEST_F(CapturePoolsTest, HoldWhateverAProgramDoes) {
  std::mt19937 random(7);
  std::vector<CapturePool> held;
  std::vector<Block*> blocks;
  bool is_captured = false;
  for (int step = 0; step < 20'000; ++step) {
    switch (random() % 8) {
      case 0:
        if (held.size() < 4) held.push_back(pools().open());
        break;
      case 1:
        if (!held.empty() && !is_captured) {
          pools().close(held.back());
          held.pop_back();
        }
        break;
      case 2:
        if (!is_captured && !held.empty()) {
          begin(held[random() % held.size()]);
          is_captured = true;
        } else if (is_captured) {
          end();
          is_captured = false;
        }
        break;
      case 3:
        cache_.empty_cache();
        break;
      case 4:
      case 5:
        if (!blocks.empty()) {
          std::swap(blocks[random() % blocks.size()], blocks.back());
          if (random() % 4 == 0) cache_.used_on(blocks.back(), random() % 2 ? captured_ : other_);
          cache_.release(blocks.back());
          blocks.pop_back();
        }
        break;
      default:
        try {
          blocks.push_back(take(1 + random() % 2_MiB, random() % 2 ? captured_ : other_));
        } catch (const OutOfMemoryError&) {
        }
    }
    if (step % 500 == 0) {
      ASSERT_EQ(cache_.fault(), "");
    }
  }
  if (is_captured) end();
  for (Block* const block : blocks) cache_.release(block);
  for (const CapturePool pool : held) pools().close(pool);
}

}  // namespace
}  // namespace garboard
