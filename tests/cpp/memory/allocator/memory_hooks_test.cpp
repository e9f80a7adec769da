#include "csrc/memory/allocator/memory_hooks.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

class HookBoardTest : public testing::Test {
 protected:
  SimulatedSource device_{{.capacity_bytes = 1_MiB, .is_backed = false}};
  Arena arena_{device_};
  HookBoard board_{arena_};
};

TEST_F(HookBoardTest, KeepsWhatSomebodyHasLookedAtAsItWas) {
  const auto before = board_.now();

  board_.change([](MemoryHooks& hooks) { hooks.next_number = 3; });

  EXPECT_EQ(before->next_number, 0);
  EXPECT_EQ(board_.now()->next_number, 3);
}

TEST_F(HookBoardTest, EndsTheOldOnesWithoutItsLock) {
  const auto locks = std::make_shared<int>(0);
  const auto looks_when_it_ends = std::shared_ptr<int>(new int, [this, locks](const int* it) {
    arena_.locked([&] { ++*locks; });
    delete it;
  });
  board_.change([held = looks_when_it_ends](MemoryHooks& hooks) {
    hooks.holders =
        std::make_shared<const MemoryHooks::Holders>([held] { return HoldersReport{}; });
  });
  const_cast<std::shared_ptr<int>&>(looks_when_it_ends).reset();

  board_.change([](MemoryHooks& hooks) { hooks.holders = nullptr; });

  EXPECT_EQ(*locks, 1);
}

TEST_F(HookBoardTest, LosesNoChangeOfManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int change = 0; change < 200; ++change)
        board_.change([](MemoryHooks& hooks) { ++hooks.next_number; });
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(board_.now()->next_number, 800);
}

}  // namespace
}  // namespace garboard
