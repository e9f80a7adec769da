#include "csrc/lifetime/borrowing.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <semaphore>
#include <thread>
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

TEST(Borrowing, DropsWhatNobodyBorrowsAfterAllWhoAreAbsent) {
  int drop_count = 0;
  const Share share{&drop_count, [](void* count) noexcept { ++*static_cast<int*>(count); }};
  {
    const Borrowing::Absence reading;
    Borrowing::drop_after_all(share);
    { const Borrowing of_another_op; }
    EXPECT_EQ(drop_count, 0);
  }
  { const Borrowing of_the_next_op; }
  EXPECT_EQ(drop_count, 1);

  Borrowing::drop_after_all(share);
  EXPECT_EQ(drop_count, 2);
  {
    const Borrowing borrowing;
    Borrowing::drop_after_all(share);
    const Borrowing::Absence left_later;
    EXPECT_EQ(drop_count, 2);
  }
  EXPECT_EQ(drop_count, 3);
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

// A thread does what it is told, one thing after the other: as threads do that have one lock.
class Worker {
 public:
  ~Worker() {
    run([this] { is_over_ = true; });
    thread_.join();
  }
  void run(std::function<void()> job) {
    job_ = std::move(job);
    begin_.release();
    done_.acquire();
  }

 private:
  void work() {
    while (!is_over_) {
      begin_.acquire();
      job_();
      done_.release();
    }
  }

  std::function<void()> job_;
  bool is_over_ = false;
  std::binary_semaphore begin_{0}, done_{0};
  std::thread thread_{[this] { work(); }};
};

/// An op on a thread of its own, which borrows, and may be away.
struct Op {
  Worker worker;
  std::optional<Borrowing> borrowing;
  std::optional<Borrowing::Absence> absence;

  Op() {
    worker.run([this] { borrowing.emplace(); });
  }
  void leave() {
    worker.run([this] { absence.emplace(); });
  }
  void come_back() {
    worker.run([this] { absence.reset(); });
  }
  void end() {
    worker.run([this] { borrowing.reset(); });
  }
};

TEST(BorrowingAbsence, HasOthersDisposingWaitForTheEndOfTheOp) {
  Thing thing;
  Op op;
  op.leave();
  thing.dispose();
  op.come_back();
  EXPECT_EQ(thing.drop_count(), 0);

  op.end();
  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, OfWhoBorrowsNothingHoldsNothingUp) {
  Thing thing;
  const Borrowing::Absence absence;
  thing.dispose();

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, KeepsWhatItsOwnOpDisposedBefore) {
  Thing thing;
  Op op;
  op.worker.run([&] { thing.dispose(); });
  op.leave();
  { const Borrowing another; }
  EXPECT_EQ(thing.drop_count(), 0);
  op.come_back();

  op.end();
  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, KeepsThroughASecondOneWhatWaitedInTheFirst) {
  Thing thing;
  Op op, other;
  op.leave();
  other.leave();
  thing.dispose();
  op.come_back();
  op.leave();
  other.come_back();
  other.end();
  EXPECT_EQ(thing.drop_count(), 0);
  op.come_back();

  op.end();
  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, IsNotWaitedForByWhatCameBeforeItsOp) {
  Thing first, second;
  Op early;
  early.leave();
  first.dispose();
  Op late;
  late.leave();
  second.dispose();

  early.come_back();
  early.end();
  EXPECT_EQ(first.drop_count(), 1);
  EXPECT_EQ(second.drop_count(), 0);
  late.come_back();
  late.end();
  EXPECT_EQ(second.drop_count(), 1);
}

TEST(BorrowingAbsence, OfTheFirstToReturnKeepsWhatTheOtherMayRead) {
  Thing thing;
  Op early, late;
  early.leave();
  late.leave();
  thing.dispose();
  late.come_back();
  late.end();
  EXPECT_EQ(thing.drop_count(), 0);
  early.come_back();

  early.end();
  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(BorrowingAbsence, LeavesAnOpOfAnotherThreadAsItIs) {
  Thing thing;
  std::optional<Borrowing> here(std::in_place);
  Op op;
  op.leave();
  thing.dispose();
  here.reset();
  EXPECT_EQ(thing.drop_count(), 0);
  op.come_back();
  op.end();
  EXPECT_EQ(thing.drop_count(), 1);

  Thing later;
  later.dispose();
  EXPECT_EQ(later.drop_count(), 1);
}

TEST(BorrowingAbsence, LetsADropDisposeMore) {
  Thing last;
  const auto first = thing_that([&] {
    const Borrowing nested;
    last.dispose();
  });
  Op op;
  op.leave();
  first->dispose();
  op.come_back();
  op.end();

  EXPECT_EQ(first->drop_count(), 1);
  EXPECT_EQ(last.drop_count(), 1);
}

}  // namespace
}  // namespace garboard
