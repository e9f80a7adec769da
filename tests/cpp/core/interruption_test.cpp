#include "csrc/core/interruption.h"

#include <atomic>
#include <stdexcept>

#include <gtest/gtest.h>

#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"

namespace garboard {
namespace {

struct Asked : std::runtime_error {
  Asked() : std::runtime_error("asked to end") {}
};

int left_count = 0, back_count = 0, asked_count = 0;
bool is_to_end = false, can_be_ended = true;

OuterLock::Ways ways(std::int64_t look_ns) {
  return {[]() noexcept -> void* { return ++left_count, &left_count; }, [](void*) { ++back_count; },
          []() noexcept { return can_be_ended; },
          [] {
            ++asked_count;
            EXPECT_EQ(back_count, left_count) << "asked without the lock";
            if (is_to_end) throw Asked();
          },
          look_ns};
}

class Interruption : public ::testing::Test {
 protected:
  Interruption() {
    left_count = back_count = asked_count = 0;
    is_to_end = false;
    can_be_ended = true;
    OuterLock::declare(ways(0));
  }
  ~Interruption() override {
    OuterLock::declare({});
    set_thread_count(before_);
  }

 private:
  int before_ = thread_count();
};

TEST_F(Interruption, AsksWithTheLockAndLeavesAgain) {
  {
    const OuterLock::Away away(2e6);
    interruption_point();
    EXPECT_EQ(asked_count, 1);
    EXPECT_EQ(left_count, 2);
    EXPECT_EQ(back_count, 1);
  }
  EXPECT_EQ(back_count, 2);
}

TEST_F(Interruption, EndsTheWorkWithTheLockTaken) {
  is_to_end = true;
  EXPECT_THROW(
      {
        const OuterLock::Away away(2e6);
        interruption_point();
      },
      Asked);

  EXPECT_EQ(back_count, left_count);
}

TEST_F(Interruption, AsksNobodyWhereTheLockIsHeld) {
  is_to_end = true;

  interruption_point();
  { const OuterLock::Away away(2e6); }
  interruption_point();

  EXPECT_EQ(asked_count, 0);
}

TEST_F(Interruption, AsksNobodyOnAThreadThatNobodyCanEnd) {
  can_be_ended = false;
  const OuterLock::Away away(2e6);

  interruption_point();

  EXPECT_EQ(left_count, 1);
  EXPECT_EQ(asked_count, 0);
}

TEST_F(Interruption, AsksOnceInAWhile) {
  OuterLock::declare(ways(2'000'000));
  const OuterLock::Away away(2e6);

  int points = 0;
  for (; asked_count < 3; ++points) interruption_point();

  EXPECT_GT(points, 300);
}

TEST_F(Interruption, LeavesNothingAskedInWorkThatBeganMeanwhile) {
  OuterLock::Ways nested = ways(0);
  nested.end_if_asked = [] {
    if (++asked_count == 1) {
      const OuterLock::Away inner(2e6);
      interruption_point();
    }
  };
  OuterLock::declare(nested);

  {
    const OuterLock::Away away(2e6);
    interruption_point();
    interruption_point();
  }

  EXPECT_EQ(asked_count, 3);
  EXPECT_EQ(back_count, left_count);
}

/// Runs two chunks side by side: the first fails once the second has begun, which runs `second`.
template <class Second>
void run_beside_a_failure(Second second) {
  struct Both {
    Second& second;
    std::atomic<bool> has_begun{false};
  } both{second};
  run_chunks({2,
              [](void* context, std::int64_t chunk) {
                auto& [second, has_begun] = *static_cast<Both*>(context);
                if (chunk == 0) {
                  has_begun.wait(false);
                  throw Asked();
                }
                has_begun = true;
                has_begun.notify_all();
                second();
              },
              &both});
}

TEST_F(Interruption, EndsAChunkOfWorkThatHasFailedElsewhere) {
  set_thread_count(2);
  bool was_in_vain = false;

  EXPECT_THROW(run_beside_a_failure([&] {
                 try {
                   for (;;) interruption_point();
                 } catch (const InVain&) {
                   was_in_vain = true;
                   throw;
                 }
               }),
               Asked);

  EXPECT_TRUE(was_in_vain);
}

TEST_F(Interruption, SparesWhatRunsInTheMiddleOfAChunk) {
  set_thread_count(2);
  bool is_spared = false;

  EXPECT_THROW(run_beside_a_failure([&] {
                 while (!is_in_vain()) {
                 }
                 const OutsideChunk any_code;
                 interruption_point();
                 is_spared = true;
               }),
               Asked);

  EXPECT_TRUE(is_spared);
}

TEST_F(Interruption, RunsNoChunkThatHadNotBegun) {
  set_thread_count(2);
  std::atomic<int> begun{0};

  EXPECT_THROW(run_chunks({1000,
                           [](void* context, std::int64_t) {
                             ++*static_cast<std::atomic<int>*>(context);
                             throw Asked();
                           },
                           &begun}),
               Asked);

  EXPECT_LE(begun, 2);
}

TEST_F(Interruption, EndsManyShortPiecesOfWork) {
  is_to_end = true;
  OuterLock::Turns turns;

  EXPECT_THROW(for (;;) turns.offer(), Asked);

  EXPECT_EQ(back_count, left_count);
}

}  // namespace
}  // namespace garboard
