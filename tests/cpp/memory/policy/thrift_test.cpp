#include "csrc/memory/policy/thrift.h"

#include <gtest/gtest.h>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

std::size_t excess(Thrift& thrift, std::size_t reserved, std::size_t most_live,
                   std::uint64_t handed_out = 0) {
  return thrift.excess_bytes(
      {.reserved = reserved, .most_live = most_live, .handed_out = handed_out});
}

TEST(Thrift, LeavesRoomForAShareOfWhatWasEverLive) {
  Thrift thrift({}, 1);

  EXPECT_EQ(excess(thrift, 1030, 1000), 0u);
  EXPECT_EQ(excess(thrift, 1031, 1000), 1u);
}

TEST(Thrift, LeavesRoomForSixteenGranules) {
  Thrift thrift({}, 2_MiB);

  EXPECT_EQ(excess(thrift, 132_MiB, 100_MiB), 0u);
  EXPECT_EQ(excess(thrift, 134_MiB, 100_MiB), 2_MiB);
}

TEST(Thrift, RemembersThePeakThatSomebodyHasReset) {
  Thrift thrift({}, 1);
  excess(thrift, 1000, 1000);

  EXPECT_EQ(excess(thrift, 1030, 10), 0u);
}

TEST(Thrift, LeavesMoreRoomTheMoreWasMoved) {
  Thrift thrift({}, 1);
  thrift.record_move(500);

  EXPECT_EQ(excess(thrift, 1040, 1000), 0u);
  EXPECT_EQ(excess(thrift, 1050, 1000), 10u);
  EXPECT_EQ(thrift.moved_bytes(), 500u);
}

TEST(Thrift, StopsOnceTwiceAsMuchWasMovedAsWasEverLive) {
  Thrift thrift({}, 1);
  for (std::uint64_t window = 0; window < 8; ++window) {
    EXPECT_TRUE(thrift.allows_moves());
    excess(thrift, 1000, 1000, window * 4000);
    thrift.record_move(250);
  }

  EXPECT_FALSE(thrift.allows_moves());
  excess(thrift, 1000, 1001, 40'000);

  EXPECT_TRUE(thrift.allows_moves());
}

TEST(Thrift, StopsForGoodWhereMovingIsInVain) {
  Thrift thrift({}, 1);
  excess(thrift, 1000, 1000);
  thrift.record_move(350);
  EXPECT_TRUE(thrift.allows_moves());

  excess(thrift, 1000, 1000, 3999);
  thrift.record_move(1);

  EXPECT_FALSE(thrift.allows_moves());
  excess(thrift, 1000, 100'000, 400'000);
  EXPECT_FALSE(thrift.allows_moves());
}

TEST(Thrift, LooksAnewOnceFourTimesWhatWasEverLiveWasHandedOut) {
  Thrift thrift({}, 1);
  excess(thrift, 1000, 1000);
  thrift.record_move(350);

  excess(thrift, 1000, 1000, 4000);
  thrift.record_move(350);
  EXPECT_TRUE(thrift.allows_moves());
  excess(thrift, 1000, 1000, 10);  // somebody has begun to count anew
  thrift.record_move(350);

  EXPECT_TRUE(thrift.allows_moves());
}

TEST(Thrift, SetsNoBoundWhereItIsOff) {
  Thrift thrift({.is_on = false}, 1);

  EXPECT_EQ(excess(thrift, 5000, 1000), 0u);
  EXPECT_FALSE(thrift.allows_moves());
}

}  // namespace
}  // namespace garboard
