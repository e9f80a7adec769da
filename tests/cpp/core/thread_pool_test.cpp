#include "csrc/core/thread_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "csrc/core/error.h"

namespace garboard {
namespace {

/// Puts the number of threads back.
class ThreadPool : public testing::Test {
 protected:
  ~ThreadPool() override { set_thread_count(before_); }

 private:
  int before_ = thread_count();
};

template <class Run>
void run(std::int64_t count, Run run_chunk) {
  run_chunks({count,
              [](void* context, std::int64_t chunk) { (*static_cast<Run*>(context))(chunk); },
              &run_chunk});
}

/// How often each chunk of `count` ran.
std::vector<int> runs_of(std::int64_t count) {
  std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
  run(count, [&](std::int64_t chunk) { ++runs[static_cast<std::size_t>(chunk)]; });
  return {runs.begin(), runs.end()};
}

TEST_F(ThreadPool, RunsEveryChunkOnce) {
  for (const int threads : {1, 2, 3, 16}) {
    set_thread_count(threads);
    for (const std::int64_t count : {0, 1, 2, 3, 100, 1000})
      EXPECT_EQ(runs_of(count), std::vector<int>(static_cast<std::size_t>(count), 1));
  }
}

TEST_F(ThreadPool, RunsManyShortJobsOneAfterTheOther) {
  set_thread_count(4);
  std::int64_t sum = 0;

  for (int job = 0; job < 20'000; ++job) {
    std::atomic<std::int64_t> partial{0};
    run(5, [&](std::int64_t chunk) { partial += chunk; });
    sum += partial;
  }

  EXPECT_EQ(sum, 20'000 * 10);
}

TEST_F(ThreadPool, HandsWorkToOtherThreads) {
  set_thread_count(2);
  std::atomic<int> waiting{0};

  // Both chunks must be begun before either ends: one thread alone would never return.
  run(2, [&](std::int64_t) {
    ++waiting;
    while (waiting < 2) std::this_thread::yield();
  });

  EXPECT_EQ(waiting, 2);
}

TEST_F(ThreadPool, InsideAChunkAllRunsOnTheSameThread) {
  set_thread_count(3);
  std::atomic<int> strangers{0}, inner{0};

  run(8, [&](std::int64_t) {
    const auto mine = std::this_thread::get_id();
    EXPECT_FALSE(is_worth_splitting(1e12));
    run(8, [&](std::int64_t) {
      ++inner;
      strangers += std::this_thread::get_id() != mine;
    });
  });

  EXPECT_EQ(inner, 64);
  EXPECT_EQ(strangers, 0);
}

TEST_F(ThreadPool, ThrowsOnWhatAChunkThrewAndWorksOn) {
  for (const int threads : {1, 4}) {
    set_thread_count(threads);
    for (int time = 0; time < 50; ++time)
      EXPECT_THROW(run(10,
                       [](std::int64_t chunk) {
                         if (chunk % 3 == 1) throw std::runtime_error("chunk");
                       }),
                   std::runtime_error);
    EXPECT_EQ(runs_of(10), std::vector<int>(10, 1));
  }
}

TEST_F(ThreadPool, ServesSeveralThreadsAtOnce) {
  set_thread_count(3);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;

  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&] {
      for (int time = 0; time < 500; ++time) wrong += runs_of(20) != std::vector<int>(20, 1);
    });
  for (auto& caller : callers) caller.join();

  EXPECT_EQ(wrong, 0);
}

TEST_F(ThreadPool, IsThereAgainInAChildForkedWhileOthersWork) {
  set_thread_count(3);
  std::atomic<bool> is_over{false};
  std::thread worker([&] {
    while (!is_over) runs_of(50);
  });

  for (int time = 0; time < 20; ++time) {
    const pid_t child = fork();
    if (child == 0) {
      const bool is_right = runs_of(100) == std::vector<int>(100, 1) && thread_count() == 3;
      _exit(is_right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  worker.join();
}

TEST_F(ThreadPool, CountsAreBoundedAndTakeEffectAtOnce) {
  set_thread_count(7);
  EXPECT_EQ(thread_count(), 7);
  EXPECT_THROW(set_thread_count(0), ShapeError);
  EXPECT_THROW(set_thread_count(257), ShapeError);
  EXPECT_EQ(thread_count(), 7);
  set_thread_count(1);
  EXPECT_FALSE(is_worth_splitting(1e12));
}

TEST_F(ThreadPool, SplittingIsWorthItForLongWorkAlone) {
  set_thread_count(2);

  EXPECT_FALSE(is_worth_splitting(1e3));
  EXPECT_TRUE(is_worth_splitting(1e6));
}

TEST_F(ThreadPool, WorkThatKeepsComingIsWorthWakingTheWorkers) {
  set_thread_count(2);
  int times = 1;
  while (times < 1000 && !is_worth_splitting(5e4)) ++times;  // too little for workers that sleep

  EXPECT_LT(times, 1000);
}

}  // namespace
}  // namespace garboard
