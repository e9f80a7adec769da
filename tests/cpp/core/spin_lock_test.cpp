#include "csrc/core/spin_lock.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace garboard {
namespace {

TEST(SpinLock, AdmitsOneThreadAtATime) {
  SpinLock lock;
  long count = 0;

  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 10000; ++turn) {
        const std::lock_guard guard(lock);
        ++count;
      }
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(count, 40000);
}

}  // namespace
}  // namespace garboard
