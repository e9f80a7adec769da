#include "csrc/memory/sources/pinned_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/device/cuda_library.h"
#include "csrc/memory/allocator/caching_allocator.h"

namespace garboard {
namespace {

/// The host's pages that a fake driver has pinned, and one stream that works when told so.
struct FakeHost {
  std::size_t most_segments = 8;
  std::set<void*> pinned;
  std::vector<std::unique_ptr<int>> events;
  int given = 0, done = 0, waits = 0;
};
FakeHost* host = nullptr;

// An event is the number of the work before it.
constexpr CudaEvents fake_events{
    .create = [](int) noexcept -> void* {
      return host->events.emplace_back(std::make_unique<int>()).get();
    },
    .record = [](void* event,
                 Stream) noexcept { return *static_cast<int*>(event) = host->given, true; },
    .is_passed = [](void* event) noexcept { return *static_cast<int*>(event) <= host->done; },
    .await = [](void*) noexcept { return ++host->waits, host->done = host->given, true; },
    .let_wait = [](Stream, void*) noexcept { return true; },
    .await_stream = [](Stream) noexcept { host->done = host->given; },
};

class PinnedSourceTest : public testing::Test {
 protected:
  PinnedSourceTest() {
    host = &host_;
    library_.allocate_pinned = [](std::size_t bytes) noexcept -> void* {
      if (host->pinned.size() == host->most_segments) return nullptr;
      return *host->pinned.insert(std::aligned_alloc(4_KiB, bytes)).first;
    };
    library_.release_pinned = [](void* memory) noexcept {
      EXPECT_EQ(host->pinned.erase(memory), 1u);
      std::free(memory);
    };
    library_.events = &fake_events;
  }
  ~PinnedSourceTest() override { EXPECT_TRUE(host_.pinned.empty()); }

  const Stream copies_{Device::of(cuda_kind, 0)};
  FakeHost host_;
  CudaLibrary library_;
};

TEST_F(PinnedSourceTest, GivesBlocksOfTheSizeThatWasAskedFor) {
  PinnedSource source(library_);
  CachingAllocator cache(source);

  Block* const block = cache.allocate(3_MiB + 1, {});

  EXPECT_EQ(source.name(), "pinned");
  EXPECT_LE(block->bytes, 3_MiB + 4_KiB);  // nobody rounds up to a power of two
  static_cast<char*>(block->data())[3_MiB] = 1;
  cache.release(block);
}

TEST_F(PinnedSourceTest, KeepsABlockUntilTheCopyFromItIsDone) {
  host_.most_segments = 1;
  PinnedSource source(library_);
  CachingAllocator cache(source);
  cache.set_limit(40_MiB);
  Block* block = cache.allocate(30_MiB, {});
  void* const address = block->data();
  cache.used_on(block, copies_);
  ++host_.given;
  cache.release(block);
  EXPECT_EQ(cache.stats().pending_bytes, 30_MiB);

  block = cache.allocate(30_MiB, {});

  EXPECT_EQ(block->data(), address);
  EXPECT_EQ(host_.waits, 1);
  EXPECT_EQ(host_.done, 1);
  cache.release(block);
}

TEST_F(PinnedSourceTest, SaysThatThereIsNothingLeft) {
  host_.most_segments = 0;
  PinnedSource source(library_);
  CachingAllocator cache(source);

  EXPECT_THROW(cache.allocate(1_MiB, {}), OutOfMemoryError);
}

}  // namespace
}  // namespace garboard
