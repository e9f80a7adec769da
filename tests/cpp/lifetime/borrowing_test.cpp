#include "csrc/lifetime/borrowing.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "csrc/lifetime/dispose_scope.h"
#include "tests/cpp/lifetime/thing.h"

namespace garboard {
namespace {

TEST(Borrowing, PutsOffDisposing) {
  Thing thing;
  {
    const Borrowing borrowing;
    thing.dispose();
    EXPECT_TRUE(thing.is_disposed());
    EXPECT_EQ(thing.drop_count(), 0);
  }

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(Borrowing, PutsOffWhatAClosingScopeDrops) {
  std::optional<OpenScope> scope(std::in_place);
  const Thing first, second;
  {
    const Borrowing borrowing;
    scope.reset();
    EXPECT_EQ(first.drop_count() + second.drop_count(), 0);
  }

  EXPECT_EQ(first.drop_count(), 1);
  EXPECT_EQ(second.drop_count(), 1);
}

TEST(Borrowing, EndsWithTheLastOne) {
  Thing thing;
  {
    const Borrowing outer;
    {
      const Borrowing inner;
      thing.dispose();
    }
    EXPECT_EQ(thing.drop_count(), 0);
  }

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(Borrowing, DropsWhatIsFinalizedAtOnce) {
  const auto shared = std::make_shared<Thing::Shared>();
  const Borrowing borrowing;

  { const Thing thing(shared); }

  EXPECT_EQ(shared->drop_count, 1);
}

TEST(Borrowing, DropsInTheOrderOfDisposing) {
  std::vector<int> order;
  std::vector<std::unique_ptr<Thing>> things;
  for (int i = 0; i < 3; ++i) things.push_back(thing_that([&order, i] { order.push_back(i); }));
  {
    const Borrowing borrowing;
    for (const int i : {1, 2, 0}) things[static_cast<std::size_t>(i)]->dispose();
  }

  EXPECT_EQ(order, (std::vector{1, 2, 0}));
}

TEST(Borrowing, LetsADropDisposeMore) {
  Thing last;
  const auto first = thing_that([&] {
    const Borrowing nested;
    last.dispose();
  });
  {
    const Borrowing borrowing;
    first->dispose();
  }

  EXPECT_EQ(first->drop_count(), 1);
  EXPECT_EQ(last.drop_count(), 1);
}

TEST(BorrowingPause, LetsItsCallersCodeDispose) {
  Thing before, meanwhile, after;
  {
    const Borrowing borrowing;
    before.dispose();
    {
      const Borrowing::Pause pause;
      EXPECT_EQ(before.drop_count(), 1);
      meanwhile.dispose();
      EXPECT_EQ(meanwhile.drop_count(), 1);
    }
    after.dispose();
    EXPECT_EQ(after.drop_count(), 0);
  }

  EXPECT_EQ(after.drop_count(), 1);
}

TEST(BorrowingPause, LeavesOthersBorrowingsAlone) {
  Thing thing;
  const Borrowing of_an_outer_op;
  {
    const Borrowing mine;
    const Borrowing::Pause pause;
    thing.dispose();
  }

  EXPECT_EQ(thing.drop_count(), 0);
}

TEST(BorrowingAbsence, HasOthersDisposingWaitForTheEndOfTheOp) {
  Thing thing;
  {
    const Borrowing borrowing;
    {
      const Borrowing::Absence absence;
      thing.dispose();
      EXPECT_EQ(thing.drop_count(), 0);
    }
    EXPECT_EQ(thing.drop_count(), 0);
  }

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, OfNoBorrowerEndsTheWait) {
  Thing thing;
  {
    const Borrowing::Absence absence;
    thing.dispose();
    EXPECT_EQ(thing.drop_count(), 0);
  }

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, KeepsWhatItsOwnOpDisposedBefore) {
  Thing before, meanwhile;
  {
    const Borrowing borrowing;
    before.dispose();
    {
      const Borrowing::Absence absence;
      const Borrowing another;
      meanwhile.dispose();
    }
    EXPECT_EQ(before.drop_count() + meanwhile.drop_count(), 0);
  }

  EXPECT_EQ(before.drop_count(), 1);
  EXPECT_EQ(meanwhile.drop_count(), 1);
}

TEST(BorrowingAbsence, KeepsThroughASecondOneWhatWaitedInTheFirst) {
  Thing thing;
  std::optional<Borrowing::Absence> other(std::in_place);
  {
    const Borrowing borrowing;
    {
      const Borrowing::Absence first;
      thing.dispose();
    }
    const Borrowing::Absence second;
    other.reset();
    EXPECT_EQ(thing.drop_count(), 0);
  }

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, IsWaitedForByWhatCameBeforeAlone) {
  Thing first, second;
  std::optional<Borrowing::Absence> early(std::in_place);
  first.dispose();
  std::optional<Borrowing::Absence> late(std::in_place);
  second.dispose();
  EXPECT_EQ(first.drop_count() + second.drop_count(), 0);

  early.reset();
  EXPECT_EQ(first.drop_count(), 1);
  EXPECT_EQ(second.drop_count(), 0);
  late.reset();
  EXPECT_EQ(second.drop_count(), 1);
}

TEST(BorrowingAbsence, OfTheFirstToReturnKeepsWhatTheOtherMayRead) {
  Thing first, second;
  std::optional<Borrowing::Absence> early(std::in_place);
  first.dispose();
  std::optional<Borrowing::Absence> late(std::in_place);
  second.dispose();

  late.reset();
  EXPECT_EQ(first.drop_count() + second.drop_count(), 0);
  early.reset();
  EXPECT_EQ(first.drop_count() + second.drop_count(), 2);
}

TEST(BorrowingAbsence, IsForgottenInAChild) {
  Thing first, second;
  std::optional<Borrowing::Absence> gone(std::in_place);
  first.dispose();

  Borrowing::forget_absent();
  { const Borrowing the_next; }
  second.dispose();

  EXPECT_EQ(first.drop_count(), 1);
  EXPECT_EQ(second.drop_count(), 1);
}

TEST(BorrowingAbsence, LetsADropDisposeMore) {
  Thing last;
  const auto first = thing_that([&] {
    const Borrowing nested;
    last.dispose();
  });
  {
    const Borrowing::Absence absence;
    first->dispose();
  }

  EXPECT_EQ(first->drop_count(), 1);
  EXPECT_EQ(last.drop_count(), 1);
}

}  // namespace
}  // namespace garboard
