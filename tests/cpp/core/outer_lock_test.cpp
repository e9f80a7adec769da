#include "csrc/core/outer_lock.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

int times_left = 0, times_back = 0;
bool may_leave = true;

class OuterLockTest : public ::testing::Test {
 protected:
  OuterLockTest() {
    times_left = times_back = 0;
    may_leave = true;
    OuterLock::declare({[]() noexcept -> void* {
                          if (!may_leave) return nullptr;
                          ++times_left;
                          return &times_left;
                        },
                        [](void* left) {
                          EXPECT_EQ(left, &times_left);
                          ++times_back;
                        }});
  }
  ~OuterLockTest() override { OuterLock::declare({}); }
};

TEST_F(OuterLockTest, IsGivenUpForWorkFromAMillisecondOn) {
  {
    const OuterLock::Away away(2e6);
    EXPECT_EQ(times_left, 1);
    EXPECT_EQ(times_back, 0);
  }
  EXPECT_EQ(times_back, 1);
}

TEST_F(OuterLockTest, IsKeptForShorterWork) {
  { const OuterLock::Away away(0.9e6); }

  EXPECT_EQ(times_left, 0);
  EXPECT_EQ(times_back, 0);
}

TEST_F(OuterLockTest, IsNotTakenByWhoCouldNotLeaveIt) {
  may_leave = false;
  { const OuterLock::Away away(2e6); }

  EXPECT_EQ(times_back, 0);
}

TEST_F(OuterLockTest, IsOfferedAgainAndAgainBetweenShortPieces) {
  OuterLock::Turns turns;
  while (times_left < 3) turns.offer();

  EXPECT_EQ(times_back, times_left);
}

TEST_F(OuterLockTest, IsNotOfferedAfterAFewPieces) {
  OuterLock::Turns turns;
  for (int i = 0; i < 15; ++i) turns.offer();

  EXPECT_EQ(times_left, 0);
}

TEST(OuterLock, IsNothingWhereNoneWasDeclared) {
  const OuterLock::Away away(1e9);
  OuterLock::Turns turns;
  for (int i = 0; i < 32; ++i) turns.offer();
}

}  // namespace
}  // namespace garboard
