#include "csrc/core/outer_lock.h"

#include <gtest/gtest.h>

namespace garboard {
namespace {

int left_count = 0, back_count = 0;
bool may_leave = true;

class OuterLockTest : public ::testing::Test {
 protected:
  OuterLockTest() {
    left_count = back_count = 0;
    may_leave = true;
    OuterLock::declare({[]() noexcept -> void* {
                          if (!may_leave) return nullptr;
                          ++left_count;
                          return &left_count;
                        },
                        [](void* left) {
                          EXPECT_EQ(left, &left_count);
                          ++back_count;
                        }});
  }
  ~OuterLockTest() override { OuterLock::declare({}); }
};

TEST_F(OuterLockTest, IsGivenUpForWorkFromAMillisecondOn) {
  {
    const OuterLock::Away away(2e6);
    EXPECT_EQ(left_count, 1);
    EXPECT_EQ(back_count, 0);
  }
  EXPECT_EQ(back_count, 1);
}

TEST_F(OuterLockTest, IsKeptForShorterWork) {
  { const OuterLock::Away away(0.9e6); }

  EXPECT_EQ(left_count, 0);
  EXPECT_EQ(back_count, 0);
}

TEST_F(OuterLockTest, IsNotTakenByWhoCouldNotLeaveIt) {
  may_leave = false;
  { const OuterLock::Away away(2e6); }

  EXPECT_EQ(back_count, 0);
}

TEST_F(OuterLockTest, IsOfferedAgainAndAgainBetweenShortPieces) {
  OuterLock::Turns turns;
  while (left_count < 3) turns.offer();

  EXPECT_EQ(back_count, left_count);
}

TEST_F(OuterLockTest, IsNotOfferedAfterAFewPieces) {
  OuterLock::Turns turns;
  for (int i = 0; i < 15; ++i) turns.offer();

  EXPECT_EQ(left_count, 0);
}

TEST(OuterLock, IsNothingWhereNoneWasDeclared) {
  const OuterLock::Away away(1e9);
  OuterLock::Turns turns;
  for (int i = 0; i < 32; ++i) turns.offer();
}

}  // namespace
}  // namespace garboard
