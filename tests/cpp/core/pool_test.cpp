#include "csrc/core/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "csrc/core/exclusive.h"
#include "csrc/core/slabs.h"

namespace {

std::atomic<int> blocks_of_the_system = 0;

/// Blocks that the calling thread's lists or somebody have, small ones and large ones.
int blocks_out() {
  return blocks_of_the_system + static_cast<int>(garboard::pool::detail::slabs.blocks_out());
}

}  // namespace

// The pool's way to the system, counted: of large blocks and, under a sanitizer, of all.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* block = nullptr;
  if (posix_memalign(&block, static_cast<std::size_t>(alignment), bytes)) throw std::bad_alloc();
  ++blocks_of_the_system;
  return block;
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes, alignment);
  } catch (...) {
    return nullptr;
  }
}
void operator delete(void* block, std::align_val_t) noexcept {
  if (block) --blocks_of_the_system;
  std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(block, alignment);  // a sanitizer's own would not come here
}

namespace garboard {
namespace {

bool is_aligned(const void* block, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(block) % (bytes % 64 ? 16 : 64) == 0;
}

constexpr std::size_t sizes[] = {1, 16, 63, 64, 65, 128, 192, 255, 256, 257, 320, 640, 641, 4096};

TEST(Pool, GivesWritableBlocksAlignedToACacheLineWhereTheyFillLines) {
  for (const std::size_t bytes : sizes) {
    void* block = pool::take(bytes);
    EXPECT_TRUE(is_aligned(block, bytes)) << bytes;
    std::memset(block, 0xAB, bytes);
    pool::give(block, bytes);
  }
}

TEST(Pool, NeverHandsOutABlockTwice) {
  std::set<void*> held;
  for (int i = 0; i < 100; ++i) held.insert(pool::take(96));

  EXPECT_EQ(held.size(), 100u);
  for (void* block : held) pool::give(block, 96);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Pool, ReusesTheYoungestBlockOfTheSizeClass) {
  void* block = pool::take(116);
  pool::give(block, 116);

  void* again = pool::take(128);  // both are of the class of 128 bytes

  EXPECT_EQ(again, block);
  pool::give(again, 128);
}

TEST(Pool, ServesContainersFromWhatTheyGaveBack) {
  { pool::Vector<int> warm(20); }
  const int before = blocks_out();

  pool::Vector<int> again(20, 7);

  EXPECT_EQ(blocks_out(), before);
  EXPECT_EQ(again.back(), 7);
}
#endif

TEST(Pool, TakesBackWhatAnotherThreadTook) {
  std::vector<void*> blocks;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) blocks.push_back(pool::take(256));
  }).join();

  for (void* block : blocks) pool::give(block, 256);
  pool::trim();

  void* block = pool::take(256);
  EXPECT_TRUE(is_aligned(block, 256));
  pool::give(block, 256);
}

TEST(Pool, LeavesNothingBehindWhenAThreadEnds) {
  struct Late {
    void* block = nullptr;
    ~Late() { pool::give(block, 64); }
  };
  const int before = blocks_out();

  std::thread([] {
    static thread_local Late late;  // made before the pool's own end of thread, so it ends after it
    late.block = pool::take(64);
    pool::give(pool::take(64), 64);
  }).join();

  EXPECT_EQ(blocks_out(), before);
}

/// Two threads take and give under an outer lock, as under the GIL, one of them by threads of its
/// own that end without it. Returns whether all came back.
bool come_back_from_threads_that_end() {
  std::mutex outer;
  Exclusive::declare();
  const auto take_and_give_all = [] {
    std::vector<std::pair<void*, std::size_t>> blocks;
    for (std::size_t bytes = 16; bytes <= 640; bytes += 16)
      for (int i = 0; i < 1000; ++i) blocks.emplace_back(pool::take(bytes), bytes);
    for (const auto& [block, size] : blocks) pool::give(block, size);
  };
  const int before = blocks_out();
  std::atomic<bool> is_over = false;
  std::thread beside([&] {
    while (!is_over) {
      const std::lock_guard guard(outer);
      take_and_give_all();
    }
  });
  for (int i = 0; i < 30; ++i) {
    std::thread([&] {
      const std::lock_guard guard(outer);
      take_and_give_all();
    }).join();
  }
  is_over = true;
  beside.join();
  return blocks_out() == before;
}

TEST(PoolDeathTest, TakesBackFromThreadsThatEndWithoutTheOuterLock) {
  EXPECT_EXIT(std::exit(come_back_from_threads_that_end()), testing::ExitedWithCode(1), "");
}

TEST(Pool, TrimReturnsWhatTheThreadKept) {
  pool::trim();
  const int before = blocks_out();
  void* block = pool::take(200);
  pool::give(block, 200);

  pool::trim();

  EXPECT_EQ(blocks_out(), before);
}

}  // namespace
}  // namespace garboard
