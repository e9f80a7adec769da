#include "csrc/memory/thrift.h"

#include <gtest/gtest.h>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

TEST(Thrift, LeavesRoomForAShareOfWhatWasEverLive) {
  Thrift thrift(1);

  EXPECT_EQ(thrift.excess_bytes({.reserved = 1030, .most_live = 1000}), 0u);
  EXPECT_EQ(thrift.excess_bytes({.reserved = 1031, .most_live = 1000}), 1u);
}

TEST(Thrift, LeavesRoomForSixteenGranules) {
  Thrift thrift(2_MiB);

  EXPECT_EQ(thrift.excess_bytes({.reserved = 132_MiB, .most_live = 100_MiB}), 0u);
  EXPECT_EQ(thrift.excess_bytes({.reserved = 134_MiB, .most_live = 100_MiB}), 2_MiB);
}

TEST(Thrift, RemembersThePeakThatSomebodyHasReset) {
  Thrift thrift(1);
  thrift.excess_bytes({.reserved = 1000, .most_live = 1000});

  EXPECT_EQ(thrift.excess_bytes({.reserved = 1030, .most_live = 10}), 0u);
}

TEST(Thrift, LeavesMoreRoomTheMoreWasMoved) {
  Thrift thrift(1);
  thrift.record_move(500);

  EXPECT_EQ(thrift.excess_bytes({.reserved = 1040, .most_live = 1000}), 0u);
  EXPECT_EQ(thrift.excess_bytes({.reserved = 1050, .most_live = 1000}), 10u);
  EXPECT_EQ(thrift.moved_bytes(), 500u);
}

TEST(Thrift, StopsOnceTwiceAsMuchWasMovedAsWasEverLive) {
  Thrift thrift(1);
  EXPECT_TRUE(thrift.allows_moves());
  thrift.excess_bytes({.reserved = 1000, .most_live = 1000});
  thrift.record_move(1999);
  EXPECT_TRUE(thrift.allows_moves());

  thrift.record_move(1);
  EXPECT_FALSE(thrift.allows_moves());
  thrift.excess_bytes({.reserved = 1000, .most_live = 1001});

  EXPECT_TRUE(thrift.allows_moves());
}

}  // namespace
}  // namespace garboard
