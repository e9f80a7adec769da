#include "csrc/memory/heap/pool.h"

#include <gtest/gtest.h>

#include "csrc/core/bytes.h"

namespace garboard {
namespace {

// A pool over one segment of addresses that nobody touches.
class PoolTest : public testing::Test {
 protected:
  PoolTest() {
    supply_.stock(std::make_unique<BlockSupply::Slab>());
    segment_.address = reinterpret_cast<std::byte*>(16_MiB);
    segment_.bytes = 1_MiB;
    pool_.add(segment_);
  }

  BlockSupply supply_;
  Pool pool_{Stream{}, 512, supply_};
  Segment segment_;
};

TEST_F(PoolTest, CutsExactlyWhatARequestNeeds) {
  Block* const block = pool_.take(1000);

  EXPECT_EQ(block->bytes, 1024u);
  EXPECT_EQ(block->requested_bytes, 1000u);
  EXPECT_EQ(pool_.bins().largest_bytes(), 1_MiB - 1024);
  pool_.give(*block);
}

TEST_F(PoolTest, TakesTheLowestAddressesFirst) {
  Block* const first = pool_.take(512);
  Block* const second = pool_.take(512);

  EXPECT_EQ(first->data(), segment_.address);
  EXPECT_EQ(second->data(), segment_.address + 512);
  pool_.give(*first);
  pool_.give(*second);
}

TEST_F(PoolTest, GivesAWholeBlockWithoutCutting) {
  Block* const block = pool_.take(1_MiB);

  EXPECT_EQ(block->bytes, 1_MiB);
  EXPECT_EQ(pool_.bins().block_count(), 0u);
  EXPECT_EQ(pool_.take(1), nullptr);
  pool_.give(*block);
}

// All orders of giving three neighbours back: below, above, both sides at once.
TEST_F(PoolTest, MergesNeighboursInWhateverOrderTheyReturn) {
  for (const auto order : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2},
                           std::array{1, 2, 0}, std::array{2, 0, 1}, std::array{2, 1, 0}}) {
    const std::array blocks{pool_.take(512), pool_.take(1024), pool_.take(2048)};

    for (const int i : order) pool_.give(*blocks[i]);

    ASSERT_TRUE(segment_.is_free());
    EXPECT_EQ(pool_.bins().block_count(), 1u);
    EXPECT_EQ(pool_.bins().largest_bytes(), 1_MiB);
    EXPECT_EQ(segment_.first->address, segment_.address);
  }
}

TEST_F(PoolTest, NeverMergesAcrossALiveBlock) {
  Block* const below = pool_.take(512);
  Block* const live = pool_.take(512);
  pool_.give(*below);

  EXPECT_EQ(pool_.bins().block_count(), 2u);
  EXPECT_FALSE(segment_.is_free());
  pool_.give(*live);
}

TEST_F(PoolTest, ReusesTheBlockThatCameBackLast) {
  Block* const one = pool_.take(4_KiB);
  Block* const wall = pool_.take(512);
  Block* const other = pool_.take(4_KiB);
  Block* const end = pool_.take(512);
  pool_.give(*other);
  pool_.give(*one);

  EXPECT_EQ(pool_.take(4_KiB), one);
  for (Block* block : {one, wall, end}) pool_.give(*block);
}

TEST_F(PoolTest, HandsNothingOutOfASegmentItGaveUp) {
  pool_.remove(segment_);

  EXPECT_EQ(pool_.take(1), nullptr);
  EXPECT_EQ(pool_.bins().block_count(), 0u);
}

}  // namespace
}  // namespace garboard
