#include "csrc/memory/heap/large_handles.h"

#include <gtest/gtest.h>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

std::byte* at(std::size_t address) { return reinterpret_cast<std::byte*>(address); }

// Of a range from 66 to 130 MiB: it begins and ends inside a chunk.
class LargeHandlesTest : public testing::Test {
 protected:
  LargeHandlesTest() { handles_.place(at(66_MiB)); }

  LargeHandles handles_{64_MiB, 8_MiB};
};

TEST_F(LargeHandlesTest, LeaveEveryPlaceAnEdgeWhereThereAreNone) {
  EXPECT_EQ(handles_.edge_above(at(76_MiB)), at(76_MiB));
  EXPECT_EQ(handles_.edge_below(at(76_MiB)), at(76_MiB));
  EXPECT_EQ(LargeHandles().edge_above(at(76_MiB)), at(76_MiB));
  EXPECT_FALSE(handles_.reach_into(at(66_MiB), at(130_MiB)));
}

TEST_F(LargeHandlesTest, AreTheChunksThatOneCallMappedWhole) {
  handles_.add(at(70_MiB), at(90_MiB));  // 72 to 80, and 80 to 88

  EXPECT_EQ(handles_.edge_above(at(70_MiB)), at(70_MiB));
  EXPECT_EQ(handles_.edge_above(at(74_MiB)), at(80_MiB));
  EXPECT_EQ(handles_.edge_below(at(74_MiB)), at(72_MiB));
  EXPECT_EQ(handles_.edge_below(at(80_MiB)), at(80_MiB));
  EXPECT_EQ(handles_.edge_above(at(86_MiB)), at(88_MiB));
  EXPECT_EQ(handles_.edge_above(at(90_MiB)), at(90_MiB));
}

TEST_F(LargeHandlesTest, ComeOfOneCallAlone) {
  handles_.add(at(72_MiB), at(78_MiB));
  handles_.add(at(78_MiB), at(80_MiB));

  EXPECT_FALSE(handles_.reach_into(at(72_MiB), at(80_MiB)));
}

TEST_F(LargeHandlesTest, GoWithWhatIsTakenAway) {
  handles_.add(at(72_MiB), at(96_MiB));

  handles_.remove(at(80_MiB), at(88_MiB));

  EXPECT_EQ(handles_.edge_above(at(82_MiB)), at(82_MiB));
  EXPECT_EQ(handles_.edge_above(at(74_MiB)), at(80_MiB));
  EXPECT_EQ(handles_.edge_below(at(90_MiB)), at(88_MiB));
}

TEST_F(LargeHandlesTest, AreFoundByWhatTouchesSomeOfThem) {
  handles_.add(at(72_MiB), at(80_MiB));

  EXPECT_TRUE(handles_.reach_into(at(66_MiB), at(74_MiB)));
  EXPECT_TRUE(handles_.reach_into(at(78_MiB), at(96_MiB)));
  EXPECT_FALSE(handles_.reach_into(at(66_MiB), at(72_MiB)));
  EXPECT_FALSE(handles_.reach_into(at(80_MiB), at(130_MiB)));
}

TEST_F(LargeHandlesTest, HaveRoomForBothEndsOfTheRange) {
  handles_.add(at(66_MiB), at(130_MiB));  // 72 to 128

  EXPECT_FALSE(handles_.reach_into(at(66_MiB), at(72_MiB)));
  EXPECT_EQ(handles_.edge_below(at(126_MiB)), at(120_MiB));
  EXPECT_EQ(handles_.edge_below(at(130_MiB)), at(130_MiB));
}

}  // namespace
}  // namespace garboard
