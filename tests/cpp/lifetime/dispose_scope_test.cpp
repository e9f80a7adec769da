#include "csrc/lifetime/dispose_scope.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "csrc/lifetime/birth.h"
#include "csrc/lifetime/lifetime_lock.h"
#include "csrc/lifetime/registry.h"
#include "csrc/lifetime/scope_statistics.h"
#include "tests/cpp/lifetime/thing.h"

namespace garboard {
namespace {

/// What the calling thread has counted since this was made.
class CountersSince {
 public:
  ScopeCounters now() const {
    const ScopeCounters now = thread_statistics().tensors;
    return {now.created_outside_scope_count - before_.created_outside_scope_count,
            now.disposed_outside_scope_count - before_.disposed_outside_scope_count,
            now.created_in_scope_count - before_.created_in_scope_count,
            now.disposed_in_scope_count - before_.disposed_in_scope_count,
            now.attached_to_scope_count - before_.attached_to_scope_count,
            now.detached_from_scope_count - before_.detached_from_scope_count,
            now.thread_total_live_count - before_.thread_total_live_count};
  }

 private:
  ScopeCounters before_ = thread_statistics().tensors;
};

using Members = std::vector<Disposable*>;

TEST(DisposeScope, EndsWhatIsBornInside) {
  std::unique_ptr<Thing> thing;
  {
    OpenScope scope;
    thing = std::make_unique<Thing>();

    EXPECT_EQ(thing->scope(), &*scope);
    EXPECT_EQ(scope->size(), 1);
    EXPECT_FALSE(thing->is_disposed());
  }

  EXPECT_TRUE(thing->is_disposed());
  EXPECT_EQ(thing->scope(), nullptr);
  EXPECT_EQ(thing->drop_count(), 1);
}

TEST(DisposeScope, LeavesAloneWhatIsBornOutside) {
  Thing before;
  { OpenScope scope; }
  Thing after;

  EXPECT_EQ(before.scope(), nullptr);
  EXPECT_FALSE(before.is_disposed());
  EXPECT_FALSE(after.is_disposed());
}

TEST(DisposeScope, LeavesAloneWhatIsBornOutsideAllScopesOnRequest) {
  OpenScope scope;

  const Thing thing(std::make_shared<Thing::Shared>(), Disposable::Kind::tensor, false);

  EXPECT_EQ(thing.scope(), nullptr);
  EXPECT_EQ(scope->size(), 0);
}

TEST(DisposeScope, NeverLengthensALife) {
  const auto shared = std::make_shared<Thing::Shared>();
  OpenScope scope;
  {
    const Thing thing(shared);
    EXPECT_EQ(scope->size(), 1);
  }

  EXPECT_EQ(shared->drop_count, 1);
  EXPECT_EQ(scope->size(), 0);
}

TEST(DisposeScope, DisposesTheYoungestFirst) {
  std::vector<int> order;
  std::vector<std::unique_ptr<Thing>> things;
  {
    OpenScope scope;
    for (int i = 0; i < 4; ++i) things.push_back(thing_that([&order, i] { order.push_back(i); }));
  }

  EXPECT_EQ(order, (std::vector{3, 2, 1, 0}));
}

TEST(DisposeScope, ClosesOnce) {
  OpenScope scope;
  const Thing thing;

  scope->dispose();
  scope->dispose();

  EXPECT_TRUE(scope->is_closed());
  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(DisposeScope, AdoptsIntoTheInnermostOne) {
  OpenScope outer;
  const Thing before;
  std::optional<OpenScope> inner(std::in_place);
  const Thing inside;
  DisposeScope* const inner_scope = &**inner;
  EXPECT_EQ(inside.scope(), inner_scope);
  EXPECT_EQ(inner_scope->outer(), &*outer);

  inner.reset();
  const Thing after;

  EXPECT_EQ(before.scope(), &*outer);
  EXPECT_EQ(after.scope(), &*outer);
  EXPECT_TRUE(inside.is_disposed());
}

TEST(DisposeScope, MovesToTheOuterOne) {
  OpenScope outer;
  std::optional<Thing> thing;
  {
    OpenScope inner;
    thing.emplace();
    inner->move_to_outer(*thing);
    EXPECT_EQ(inner->size(), 0);
  }

  EXPECT_FALSE(thing->is_disposed());
  EXPECT_EQ(thing->scope(), &*outer);
}

TEST(DisposeScope, DetachesWhereThereIsNoOuterOne) {
  const CountersSince counters;
  std::optional<Thing> thing;
  {
    OpenScope scope;
    thing.emplace();
    scope->move_to_outer(*thing);
  }

  EXPECT_FALSE(thing->is_disposed());
  EXPECT_EQ(thing->scope(), nullptr);
  EXPECT_EQ(counters.now().detached_from_scope_count, 1);
}

TEST(DisposeScope, LeavesAloneWhatIsNotItsMember) {
  OpenScope outer("outer");
  Thing thing;
  OpenScope inner("inner");
  const Counted<DisposeScope> other(new DisposeScope("other", nullptr));

  inner->move_to_outer(thing);
  inner->detach(thing);
  inner->move_to(*other, thing);

  EXPECT_EQ(thing.scope(), &*outer);
}

TEST(DisposeScope, AttachesWhatIsInNoScopeAndTakesFromAnother) {
  const CountersSince counters;
  Thing loose;
  OpenScope first;
  Thing member;
  OpenScope second;

  second->attach(loose);
  second->attach(member);
  second->attach(member);

  EXPECT_EQ(loose.scope(), &*second);
  EXPECT_EQ(member.scope(), &*second);
  EXPECT_EQ(first->size(), 0);
  EXPECT_EQ(counters.now().attached_to_scope_count, 1) << "moving between scopes counts nothing";
}

TEST(DisposeScope, TakesNothingOnceClosed) {
  Thing loose;
  OpenScope open;
  Thing member;
  const Counted<DisposeScope> closed(new DisposeScope("closed", nullptr));
  closed->dispose();

  closed->attach(loose);
  open->move_to(*closed, member);

  EXPECT_EQ(loose.scope(), nullptr);
  EXPECT_EQ(member.scope(), &*open);
  EXPECT_EQ(closed->size(), 0);
}

TEST(DisposeScope, TakesNothingThatIsDisposed) {
  Thing thing;
  thing.dispose();
  OpenScope scope;

  scope->attach(thing);

  EXPECT_EQ(scope->size(), 0);
}

TEST(DisposeScope, SparesWhatItIsToldTo) {
  OpenScope scope;
  Thing first, second, third;

  scope->dispose_everything_but({&third, &first});

  EXPECT_FALSE(first.is_disposed());
  EXPECT_TRUE(second.is_disposed());
  EXPECT_EQ(scope->members(), (Members{&first, &third}));
  EXPECT_FALSE(scope->is_closed());
}

TEST(DisposeScope, SparesOnlyItsMembers) {
  Thing outside;
  OpenScope scope;
  const Thing inside;

  scope->dispose_everything_but({&outside});

  EXPECT_TRUE(inside.is_disposed());
  EXPECT_FALSE(outside.is_disposed());
  EXPECT_EQ(scope->size(), 0);
}

TEST(DisposeScope, SparesNothingWhenAMembersEndClosesIt) {
  OpenScope scope;
  Thing kept;
  const auto last = thing_that([&] { scope->dispose(); });

  scope->dispose_everything_but({&kept});

  EXPECT_TRUE(kept.is_disposed());
  EXPECT_EQ(scope->size(), 0);
}

TEST(DisposeScope, OutlastsAMembersEndThatEndsOthers) {
  std::vector<std::unique_ptr<Thing>> things;
  {
    OpenScope scope;
    for (int i = 0; i < 3; ++i) things.push_back(std::make_unique<Thing>());
    things.push_back(thing_that([&] {
      things[0].reset();
      things[1]->dispose();
    }));
  }

  EXPECT_EQ(things[1]->drop_count(), 1);
  EXPECT_EQ(things[2]->drop_count(), 1);
}

TEST(DisposeScope, EndsNothingThatIsBornWhileItCloses) {
  std::unique_ptr<Thing> late;
  std::unique_ptr<Thing> member;
  OpenScope outer;
  {
    OpenScope inner;
    member = thing_that([&] { late = std::make_unique<Thing>(); });
  }

  EXPECT_FALSE(late->is_disposed());
  EXPECT_EQ(late->scope(), &*outer);
}

TEST(DisposeScope, ClosesInAnyOrder) {
  auto outer = std::make_unique<OpenScope>("outer");
  const Thing first;
  auto inner = std::make_unique<OpenScope>("inner");
  Thing second;

  outer.reset();
  const Thing third;
  EXPECT_TRUE(first.is_disposed());
  EXPECT_EQ(second.scope(), &**inner);
  EXPECT_EQ(third.scope(), &**inner);
  EXPECT_EQ((*inner)->outer(), nullptr) << "a closed scope is skipped";

  (*inner)->move_to_outer(second);
  inner.reset();
  EXPECT_FALSE(second.is_disposed());
  EXPECT_TRUE(third.is_disposed());
  EXPECT_EQ(birth.scope, nullptr);
}

TEST(DisposeScope, SkipsTheClosedOnesBetween) {
  OpenScope outermost;
  auto middle = std::make_unique<OpenScope>();
  OpenScope innermost;
  Thing thing;
  middle.reset();

  innermost->move_to_outer(thing);

  EXPECT_EQ(innermost->outer(), &*outermost);
  EXPECT_EQ(thing.scope(), &*outermost);
}

TEST(DisposeScope, ClosesOnAnotherThread) {
  OpenScope outer;
  OpenScope inner;
  const Thing before;

  std::thread([&] { inner->dispose(); }).join();
  const Thing after;

  EXPECT_TRUE(before.is_disposed());
  EXPECT_EQ(after.scope(), &*outer) << "a scope closed elsewhere ends nothing any more";
}

TEST(DisposeScope, IsNotInheritedByANewThread) {
  OpenScope scope;

  std::thread([&] {
    EXPECT_EQ(birth.scope, nullptr);
    const Thing thing;
    EXPECT_EQ(thing.scope(), nullptr);
  }).join();

  EXPECT_EQ(scope->size(), 0);
}

TEST(DisposeScope, LeavesNoTraceInTheThreadWhoseScopeAnotherClosed) {
  {
    OpenScope scope;
    std::thread([&] { scope->dispose(); }).join();
  }

  EXPECT_EQ(birth.scope, nullptr);
  const Thing thing;
  EXPECT_EQ(thing.scope(), nullptr);
}

TEST(DisposeScope, ListsItsMembersOldestFirst) {
  OpenScope scope;
  Thing first, second, third;
  scope->detach(second);

  EXPECT_EQ(scope->members(), (Members{&first, &third}));
}

TEST(Disposable, SaysWhatEndedIt) {
  Thing by_hand, by_nameless, by_named;
  by_hand.dispose();
  {
    OpenScope scope;
    scope->attach(by_nameless);
  }
  {
    OpenScope scope("step");
    scope->attach(by_named);
  }

  EXPECT_EQ(by_hand.describe_end(), "born at unknown and disposed explicitly");
  EXPECT_EQ(by_nameless.describe_end(), "born at unknown and disposed by its scope");
  EXPECT_EQ(by_named.describe_end(), "born at unknown and disposed by scope \"step\"");
}

TEST(Disposable, KeepsTheScopeThatEndedItToNameIt) {
  Thing thing;
  Counted<DisposeScope> scope(new DisposeScope("forgotten", nullptr));
  scope->attach(thing);

  scope.reset();

  EXPECT_EQ(thing.describe_end(), "born at unknown and disposed by scope \"forgotten\"");
}

TEST(Disposable, IsDisposedOnce) {
  Thing thing;

  thing.dispose();
  thing.dispose();

  EXPECT_EQ(thing.drop_count(), 1);
}

TEST(Disposable, StaysInTheScopesSumsWhateverEndsIt) {
  const CountersSince counters;
  {
    OpenScope scope;
    Thing by_hand, by_scope;
    Thing uncounted(std::make_shared<Thing::Shared>(), Disposable::Kind::tensor, false);
    scope->attach(uncounted);
    by_hand.dispose();
    { const Thing finalized; }
    const ScopeCounters sums = counters.now();
    EXPECT_EQ(sums.created_in_scope_count + sums.attached_to_scope_count -
                  sums.disposed_in_scope_count - sums.detached_from_scope_count,
              scope->size());
    scope->dispose();
  }

  const ScopeCounters after = counters.now();
  EXPECT_EQ(after.created_in_scope_count + after.attached_to_scope_count,
            after.disposed_in_scope_count);
  EXPECT_EQ(after.thread_total_live_count, 0);
}

// Every thread opens scopes of its own, hands some of what it makes to a scope that all share, and
// closes what others opened. Nothing may end twice or never.
TEST(DisposeScope, LosesNothingAmongEightThreads) {
  constexpr int thread_count = 8, turns = 300, things_a_turn = 6;
  const Counted<DisposeScope> shared(new DisposeScope("shared", nullptr));
  std::atomic<long> made = 0, dropped = 0;
  const auto make = [&] {
    ++made;
    return thing_that([&dropped] { ++dropped; });
  };
  const auto work = [&](int number) {
    std::vector<std::unique_ptr<Thing>> mine;
    for (int turn = 0; turn < turns; ++turn) {
      OpenScope scope;
      for (int i = 0; i < things_a_turn; ++i) {
        mine.push_back(make());
        if (i % 3 == 1) scope->move_to(*shared, *mine.back());
        if (i % 3 == 2) scope->move_to_outer(*mine.back());
      }
      if ((turn + number) % 7 == 0) shared->dispose_everything();
      if ((turn + number) % 5 == 0) std::thread([&] { scope->dispose(); }).join();
      if (mine.size() > 40) mine.clear();
    }
  };

  const LiveCounts before = registry().live();
  std::vector<std::thread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(made, thread_count * turns * things_a_turn);
  EXPECT_EQ(dropped, made);
  EXPECT_EQ(shared->size(), 0);
  EXPECT_EQ(registry().live().aliases, before.aliases);
}

class Told final : public BirthObserver {
 public:
  void after_birth(DisposeScope&) override { ++count; }
  int count = 0;
};

TEST(DisposeScope, IsPlainUntilItIsObserved) {
  OpenScope scope;
  EXPECT_TRUE(scope->is_plain());
  EXPECT_FALSE(scope->observer());

  const Counted<Told> told(new Told);
  scope->observe(Counted<BirthObserver>(told.get()));

  EXPECT_FALSE(scope->is_plain());
  EXPECT_FALSE(scope->is_closed());
  EXPECT_EQ(scope->observer().get(), told.get());
  scope->stop_observing();
  EXPECT_TRUE(scope->is_plain());
  EXPECT_FALSE(scope->observer());
}

TEST(DisposeScope, StaysClosedWhereItsObserverStops) {
  OpenScope scope;
  scope->observe(Counted<BirthObserver>(new Told));
  scope->dispose();

  scope->stop_observing();

  EXPECT_TRUE(scope->is_closed());
  EXPECT_FALSE(scope->is_plain());
  EXPECT_FALSE(scope->observer());
}

TEST(DisposeScope, AdoptsWhatIsBornUnderAnObserver) {
  OpenScope scope;
  scope->observe(Counted<BirthObserver>(new Told));

  Thing thing;

  EXPECT_EQ(thing.scope(), &*scope);
  EXPECT_EQ(scope->size(), 1);
}

}  // namespace
}  // namespace garboard
