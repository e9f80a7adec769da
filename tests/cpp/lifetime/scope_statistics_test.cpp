#include "csrc/lifetime/scope_statistics.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "csrc/lifetime/dispose_scope.h"
#include "tests/cpp/lifetime/thing.h"

namespace garboard {
namespace {

/// Runs `act` on a thread that has counted nothing yet, and returns what it has counted then.
template <class Act>
ThreadStatistics counted_by(Act act) {
  ThreadStatistics after;
  std::thread([&] {
    thread_statistics() = {};
    act();
    after = thread_statistics();
  }).join();
  return after;
}

std::unique_ptr<Thing> make(Disposable::Kind kind = Disposable::Kind::tensor) {
  return std::make_unique<Thing>(std::make_shared<Thing::Shared>(), kind);
}

TEST(ScopeStatistics, PrintTorchSharpsLine) {
  const ScopeCounters counters{.created_outside_scope_count = 1,
                               .disposed_outside_scope_count = 2,
                               .created_in_scope_count = 200,
                               .disposed_in_scope_count = 3,
                               .attached_to_scope_count = 4,
                               .detached_from_scope_count = 5,
                               .thread_total_live_count = 548};

  EXPECT_EQ(counters.line(),
            "ThreadTotalLiveCount: 548; CreatedOutsideScopeCount: 1; DisposedOutsideScopeCount: 2; "
            "CreatedInScopeCount: 200; DisposedInScopeCount: 3; AttachedToScopeCount: 4; "
            "DetachedFromScopeCount: 5");
}

TEST(ScopeStatistics, AddUpFieldByField) {
  const ScopeCounters one{1, 2, 3, 4, 5, 6, 7}, ten{10, 20, 30, 40, 50, 60, 70};

  EXPECT_EQ((one + ten).line(), (ScopeCounters{11, 22, 33, 44, 55, 66, 77}.line()));
}

TEST(ScopeStatistics, LeaveTheGaugeWhenReset) {
  ScopeCounters counters{1, 2, 3, 4, 5, 6, 7};

  counters.reset();

  EXPECT_EQ(counters.line(), (ScopeCounters{.thread_total_live_count = 7}.line()));
}

TEST(ScopeStatistics, TellScopesFromOutside) {
  const ThreadStatistics counted = counted_by([] {
    const auto outside = make();
    { const auto finalized = make(); }
    OpenScope scope;
    const auto in_scope = make();
    const auto by_hand = make();
    by_hand->dispose();
  });

  // At the end of the thread's work all have gone again.
  EXPECT_EQ(counted.tensors.line(),
            "ThreadTotalLiveCount: 0; CreatedOutsideScopeCount: 2; DisposedOutsideScopeCount: 2; "
            "CreatedInScopeCount: 2; DisposedInScopeCount: 2; AttachedToScopeCount: 0; "
            "DetachedFromScopeCount: 0");
}

TEST(ScopeStatistics, CountFinalizingByTheScopeOfThatMoment) {
  const ThreadStatistics counted = counted_by([] {
    OpenScope scope;
    auto stays = make(), leaves = make();
    scope->detach(*leaves);
    stays.reset();
    leaves.reset();
  });

  EXPECT_EQ(counted.tensors.disposed_in_scope_count, 1);
  EXPECT_EQ(counted.tensors.disposed_outside_scope_count, 1);
}

TEST(ScopeStatistics, CountNoMoveBetweenScopes) {
  const ThreadStatistics counted = counted_by([] {
    OpenScope outer;
    OpenScope inner;
    const auto thing = make();
    inner->move_to_outer(*thing);
    outer->move_to(*inner, *thing);
    outer->attach(*thing);
  });

  EXPECT_EQ(counted.tensors.attached_to_scope_count, 0);
  EXPECT_EQ(counted.tensors.detached_from_scope_count, 0);
}

TEST(ScopeStatistics, CountDetachingAndAttachingOnce) {
  const ThreadStatistics counted = counted_by([] {
    OpenScope scope;
    const auto thing = make();
    scope->detach(*thing);
    scope->detach(*thing);
    scope->attach(*thing);
    scope->attach(*thing);
  });

  EXPECT_EQ(counted.tensors.detached_from_scope_count, 1);
  EXPECT_EQ(counted.tensors.attached_to_scope_count, 1);
}

TEST(ScopeStatistics, KeepPackedSequencesApart) {
  const ThreadStatistics counted = counted_by([] {
    OpenScope scope;
    const auto sequence = make(Disposable::Kind::packed_sequence);
    scope->detach(*sequence);
    scope->attach(*sequence);
  });

  EXPECT_EQ(counted.tensors.line(), ScopeCounters{}.line());
  EXPECT_EQ(counted.packed_sequences.line(), (ScopeCounters{.created_in_scope_count = 1,
                                                            .disposed_in_scope_count = 1,
                                                            .attached_to_scope_count = 1,
                                                            .detached_from_scope_count = 1}
                                                  .line()));
}

TEST(ScopeStatistics, BelongToTheThreadThatMadeTheThing) {
  std::unique_ptr<Thing> ended_elsewhere, kept;
  const ThreadStatistics maker = counted_by([&] {
    ended_elsewhere = make();
    kept = make();
    const ThreadStatistics other = counted_by([&] { ended_elsewhere.reset(); });
    EXPECT_EQ(other.tensors.line(), ScopeCounters{}.line());
  });

  EXPECT_EQ(maker.tensors.created_outside_scope_count, 2);
  EXPECT_EQ(maker.tensors.disposed_outside_scope_count, 1);
  EXPECT_EQ(maker.tensors.thread_total_live_count, 1);
}

TEST(ScopeStatistics, OutliveTheThreadWhileSomethingItMadeLives) {
  std::unique_ptr<Thing> survivor;
  ThreadStatistics* makers = nullptr;
  std::thread([&] {
    survivor = make();
    makers = &thread_statistics();
  }).join();

  ThreadStatistics* later = nullptr;
  std::thread([&] { later = &thread_statistics(); }).join();

  EXPECT_NE(later, makers);
  EXPECT_EQ(makers->tensors.thread_total_live_count, 1);
  survivor.reset();
  EXPECT_EQ(makers->tensors.thread_total_live_count, 0);
}

TEST(ScopeStatistics, OutliveTheThreadWhileSomebodyReadsThem) {
  ThreadStatistics* read = nullptr;
  std::thread([&] {
    make();
    read = &thread_statistics();
    ++read->reader_count;
  }).join();

  ThreadStatistics* later = nullptr;
  std::thread([&] { later = &thread_statistics(); }).join();

  EXPECT_NE(later, read);
  EXPECT_GE(read->tensors.created_outside_scope_count, 1);
  --read->reader_count;
}

TEST(ScopeStatistics, StartOverForANewThread) {
  std::thread([] { make(); }).join();

  std::thread([] { EXPECT_EQ(thread_statistics().tensors.line(), ScopeCounters{}.line()); }).join();
}

}  // namespace
}  // namespace garboard
