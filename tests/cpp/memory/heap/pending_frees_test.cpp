// The queue of one stream: what it still uses, batch by batch.
#include "csrc/memory/heap/pending_frees.h"

#include <gtest/gtest.h>

#include <array>

namespace garboard {
namespace {

class PendingFreesTest : public testing::Test {
 protected:
  PendingFreesTest() {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      blocks_[i].bytes = 1_MiB;
      uses_[i].block = &blocks_[i];
    }
  }
  void push(std::size_t number) { pending_.push(uses_[number]); }
  void seal(Ticket ticket) {
    ASSERT_TRUE(pending_.begin_sealing());
    pending_.end_sealing(ticket);
  }

  std::array<Block, 40> blocks_;
  std::array<ForeignUse, 40> uses_;
  PendingFrees pending_;
};

TEST_F(PendingFreesTest, EndsUsesInTheirOrderOnceTheirTicketIsPassed) {
  push(0);
  push(1);
  seal(5);
  push(2);
  seal(7);

  EXPECT_EQ(pending_.pop(4), nullptr);
  EXPECT_EQ(pending_.pop(5), &uses_[0]);
  EXPECT_EQ(pending_.pop(5), &uses_[1]);
  EXPECT_EQ(pending_.pop(5), nullptr);
  EXPECT_EQ(pending_.pop(9), &uses_[2]);
  EXPECT_TRUE(pending_.is_empty());
}

TEST_F(PendingFreesTest, KeepsWhatHasNoTicketYet) {
  push(0);
  seal(5);
  push(1);

  EXPECT_EQ(pending_.pop(9), &uses_[0]);
  EXPECT_EQ(pending_.pop(9), nullptr);
  EXPECT_EQ(pending_.oldest_sealed(), nullptr);
  EXPECT_FALSE(pending_.is_empty());
}

TEST_F(PendingFreesTest, LeavesToTheNextBatchWhatComesWhileATicketIsTaken) {
  push(0);
  ASSERT_TRUE(pending_.begin_sealing());
  push(1);
  EXPECT_FALSE(pending_.begin_sealing());
  pending_.end_sealing(5);

  EXPECT_EQ(pending_.pop(5), &uses_[0]);
  EXPECT_EQ(pending_.pop(5), nullptr);
  seal(6);
  EXPECT_EQ(pending_.pop(6), &uses_[1]);
}

TEST_F(PendingFreesTest, HasNothingToSealTwice) {
  EXPECT_FALSE(pending_.begin_sealing());
  push(0);
  seal(5);

  EXPECT_FALSE(pending_.begin_sealing());
}

TEST_F(PendingFreesTest, IsDueByUsesAndByBytes) {
  for (std::size_t i = 0; i + 1 < PendingFrees::batch_uses; ++i) push(i);
  EXPECT_FALSE(pending_.is_due());
  push(PendingFrees::batch_uses - 1);
  EXPECT_TRUE(pending_.is_due());
  seal(1);
  EXPECT_FALSE(pending_.is_due());

  blocks_[35].bytes = PendingFrees::batch_bytes;
  push(35);
  EXPECT_TRUE(pending_.is_due());
}

TEST_F(PendingFreesTest, SealsAgainAfterASealerHasGone) {
  push(0);
  ASSERT_TRUE(pending_.begin_sealing());
  pending_.abandon_sealing();

  seal(3);
  EXPECT_EQ(pending_.pop(3), &uses_[0]);
}

}  // namespace
}  // namespace garboard
