#include "csrc/memory/arena/accounts.h"

#include <gtest/gtest.h>

#include "csrc/memory/sources/simulated_source.h"

namespace garboard {
namespace {

class AccountsTest : public testing::Test {
 protected:
  AccountsTest() {
    Heap::Stock stock = heap_.make_stock({});
    heap_.put(stock);
    segment_.address = reinterpret_cast<std::byte*>(64_MiB);
    segment_.bytes = 2_MiB;
    heap_.add(segment_, 100, {});
  }
  Block& take(std::size_t bytes) {
    Block& block = *heap_.take(bytes, {});
    accounts_.books().add(bytes);
    return block;
  }
  void give(Block& block) {
    accounts_.books().subtract(block.requested_bytes);
    heap_.give(block);
  }

  SimulatedSource device_{{.capacity_bytes = 16_MiB, .is_backed = false}};
  Heap heap_{512, 2_MiB};
  Segment segment_;
  Accounts accounts_{heap_, device_};
};

TEST_F(AccountsTest, TellBookedBytesFromThoseOfBlocks) {
  Block& block = take(100);
  accounts_.books().add(40);

  EXPECT_EQ(accounts_.books().live_bytes(), 140u);
  EXPECT_EQ(accounts_.booked_bytes(), 40u);
  EXPECT_EQ(accounts_.cached_bytes(), 2_MiB - 512);
  give(block);
}

TEST_F(AccountsTest, ChargeWhatIsThereOnItsWayInOrOutAndBooked) {
  accounts_.books().add(40);
  accounts_.begin_mapping(2_MiB);
  accounts_.begin_unmapping(4_MiB);

  EXPECT_EQ(accounts_.reserved_bytes(), 6_MiB);
  EXPECT_EQ(accounts_.charged_bytes(), 8_MiB + 40);
  EXPECT_TRUE(accounts_.is_unmapping());
  accounts_.forget_transfers();
  EXPECT_EQ(accounts_.charged_bytes(), 2_MiB + 40);
  EXPECT_FALSE(accounts_.is_unmapping());
}

TEST_F(AccountsTest, HaveNoLimitUntilOneIsSet) {
  EXPECT_EQ(accounts_.limit(), std::nullopt);
  EXPECT_TRUE(accounts_.allows(largest_request_bytes));
  EXPECT_EQ(accounts_.lacking_bytes(1_GiB), 0u);
  EXPECT_EQ(accounts_.ceiling_bytes(), 16_MiB);
}

TEST_F(AccountsTest, AllowLiveBytesUpToTheLimitAndSayWhatIsBeyondIt) {
  accounts_.set_limit(3_MiB, LimitOrigin::machine);

  EXPECT_TRUE(accounts_.allows(3_MiB));
  EXPECT_FALSE(accounts_.allows(3_MiB + 1));
  EXPECT_EQ(accounts_.lacking_bytes(1_MiB), 0u);
  EXPECT_EQ(accounts_.lacking_bytes(2_MiB), 1_MiB);
  EXPECT_EQ(accounts_.ceiling_bytes(), 3_MiB);
  EXPECT_EQ(accounts_.limit_origin(), LimitOrigin::machine);
}

TEST_F(AccountsTest, KeepTheMostThatWasReservedUntilItIsReset) {
  accounts_.begin_unmapping(6_MiB);
  accounts_.note_reserved();
  accounts_.end_unmapping(6_MiB);
  MemoryStats stats;
  accounts_.fill_in(stats);
  EXPECT_EQ(stats.peak_reserved_bytes, 8_MiB);

  accounts_.reset_peaks();

  accounts_.fill_in(stats);
  EXPECT_EQ(stats.peak_reserved_bytes, 2_MiB);
}

TEST_F(AccountsTest, FillInWhatTheHeapHasCounted) {
  Block& block = take(100);
  give(take(1000));

  MemoryStats stats;
  accounts_.fill_in(stats);

  EXPECT_EQ(stats.live_bytes, 100u);
  EXPECT_EQ(stats.peak_live_bytes, 1100u);
  EXPECT_EQ(stats.allocation_count, 2u);
  EXPECT_EQ(stats.free_count, 1u);
  EXPECT_EQ(stats.segment_count, 1u);
  EXPECT_EQ(stats.cached_bytes, 2_MiB - 512);
  give(block);
}

}  // namespace
}  // namespace garboard
