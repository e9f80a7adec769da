#include "csrc/lifetime/dispose_scope.h"

#include <unordered_set>
#include <utility>

#include "csrc/core/pool.h"
#include "csrc/core/text.h"
#include "csrc/lifetime/borrowing.h"
#include "csrc/lifetime/disposable.h"
#include "csrc/lifetime/lifetime_lock.h"
#include "csrc/lifetime/registry.h"
#include "csrc/lifetime/scope_statistics.h"

namespace garboard {

Share Disposable::end(DisposeScope* by) noexcept {
  if (!is_going_on()) return {};
  leave();
  if (by) ended_by_ = Counted<DisposeScope>(by);
  return take_share();
}

void Disposable::dispose(DisposeScope* by) noexcept {
  Share share;
  {
    const LifetimeLock lock;
    share = end(by);
  }
  Borrowing::drop(share);
}

std::string Disposable::describe_end() const {
  const std::string born = text("born at ", describe(site));
  if (!ended_by_) return text(born, " and disposed explicitly");
  if (ended_by_->name().empty()) return text(born, " and disposed by its scope");
  return text(born, " and disposed by scope \"", ended_by_->name(), "\"");
}

void* DisposeScope::operator new(std::size_t bytes) { return pool::take(bytes); }
void DisposeScope::operator delete(void* block, std::size_t bytes) noexcept {
  pool::give(block, bytes);
}

DisposeScope::DisposeScope(std::string name, Counted<DisposeScope> outer,
                           std::optional<std::int64_t> limit_bytes)
    : name_(std::move(name)), outer_(std::move(outer)) {
  registry().open(ledger_, outer_.get(), limit_bytes.value_or(-1));
}

void destroy(DisposeScope* scope) noexcept {
  scope->dispose();
  if (scope->drop()) delete scope;  // the last owner's share is still counted
}

DisposeScope* DisposeScope::outer() const noexcept {
  DisposeScope* scope = outer_.get();
  while (scope && scope->is_closed()) scope = scope->outer_.get();
  return scope;
}

ScopeLedger* DisposeScope::outer_ledger() const noexcept {
  const DisposeScope* scope = this;
  while (scope && !scope->ledger_.open) scope = scope->outer_.get();
  return scope ? scope->ledger_.open : nullptr;
}

void DisposeScope::attach(Disposable& object) noexcept {
  const LifetimeLock lock;
  if (object.scope_ == this || object.is_disposed() || is_closed()) return;
  if (object.scope_) {
    object.scope_->let_go(object);
  } else {
    ++object.counters().attached_to_scope_count;
  }
  adopt(object);
  object.moved_at = birth.site;
}

void DisposeScope::detach(Disposable& object) noexcept {
  const LifetimeLock lock;
  if (object.scope_ != this) return;
  let_go(object);
  object.moved_at = birth.site;
  ++object.counters().detached_from_scope_count;
}

void DisposeScope::move_to_outer(Disposable& object) noexcept {
  const LifetimeLock lock;
  if (object.scope_ != this) return;
  let_go(object);
  object.moved_at = birth.site;
  if (DisposeScope* const target = outer()) return target->adopt(object);
  ++object.counters().detached_from_scope_count;
}

void DisposeScope::move_to(DisposeScope& other, Disposable& object) noexcept {
  const LifetimeLock lock;
  if (object.scope_ != this || &other == this || other.is_closed()) return;
  let_go(object);
  other.adopt(object);
  object.moved_at = birth.site;
}

void DisposeScope::observe(Counted<BirthObserver> observer) noexcept {
  observer_ = std::move(observer);
  state_ = State::observed;
}

void DisposeScope::stop_observing() noexcept {
  auto expected = State::observed;  // a scope that has closed stays so
  state_.compare_exchange_strong(expected, State::plain);
}

Counted<BirthObserver> DisposeScope::observer() const noexcept {
  return state_ == State::observed ? observer_ : nullptr;
}

std::vector<Disposable*> DisposeScope::members() {
  std::vector<Disposable*> all;
  all.reserve(static_cast<std::size_t>(size_));
  const LifetimeLock lock;
  disposables_.for_each([&](Disposable& object) { all.push_back(&object); });
  return all;
}

// What is kept waits in a list of its own: a snapshot would dangle where ending one member ends
// another.
void DisposeScope::dispose_everything_but(const std::vector<Disposable*>& keep) {
  IntrusiveList<Disposable, InScope> kept;
  const auto move_all = [&](auto& from, auto& to, auto&& wanted) {
    const LifetimeLock lock;
    from.for_each([&](Disposable& object) {
      if (!wanted(object)) return;
      static_cast<Links<InScope>&>(object).unlink();
      to.push_back(object);
    });
  };
  const std::unordered_set<const Disposable*> spared(keep.begin(), keep.end());
  move_all(disposables_, kept, [&](Disposable& object) { return spared.contains(&object); });
  dispose_everything();
  move_all(kept, disposables_, [](Disposable& object) {
    object.moved_at = birth.site;
    return true;
  });
  if (is_closed()) dispose_everything();  // by what a member's end ran, or by another thread
}

// One at a time, the lock given up between: dropping a share frees graphs, and a Python object that
// goes with one may run code that disposes others.
void DisposeScope::dispose_everything() noexcept {
  while (true) {
    Share share;
    {
      const LifetimeLock lock;
      if (disposables_.empty()) return;
      share = disposables_.back().end(this);
    }
    Borrowing::drop(share);
  }
}

void DisposeScope::dispose() noexcept {
  if (birth.scope == this) birth.scope = outer();  // also when another thread has closed it
  {
    const LifetimeLock lock;
    if (state_.exchange(State::closed) == State::closed) return;
  }
  dispose_everything();
  registry().close(ledger_);
}

ScopeLedger DisposeScope::bytes() const noexcept { return registry().read(ledger_); }

OpenScope::OpenScope(std::string name)
    : scope_(new DisposeScope(std::move(name), Counted<DisposeScope>(birth.scope))) {
  birth.scope = scope_.get();
}

OpenScope::~OpenScope() { scope_->dispose(); }

}  // namespace garboard
