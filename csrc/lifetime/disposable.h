// What a scope can end: an alias of a tensor, or a packed sequence.
#pragma once

#include <string>

#include "csrc/core/counted.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/lifetime_lock.h"
#include "csrc/lifetime/owner.h"
#include "csrc/lifetime/record.h"
#include "csrc/lifetime/registry.h"
#include "csrc/lifetime/scope_statistics.h"

namespace garboard {

/// The share a disposable held, on its way out: dropped outside every lock, since a last share
/// frees memory and graphs.
struct Share {
  void* object = nullptr;
  void (*drop)(void*) noexcept = nullptr;
};

/// Base of an alias and of a packed sequence. Born into the innermost open scope, listed in the
/// registry, and ended once: by `dispose`, by a scope, or by its destructor.
///
/// Guarded by the LifetimeLock.
class Disposable : public Record, public Links<InScope> {
 public:
  enum class Kind : std::uint8_t { tensor, packed_sequence };

  Disposable(const Disposable&) = delete;
  Disposable& operator=(const Disposable&) = delete;

  /// Ends it. Idempotent; `by` is the scope that did it, if one did.
  void dispose(DisposeScope* by = nullptr) noexcept;

  bool is_disposed() const noexcept { return state_ == State::disposed; }
  /// There is no share: it was disposed, or is deferred.
  bool is_empty() const noexcept { return static_cast<int>(state_) & 2; }
  /// It lives, and its share is yet to be made.
  bool is_deferred() const noexcept { return state_ == State::deferred; }
  /// The scope that will end it, or null.
  DisposeScope* scope() const noexcept { return scope_; }
  Kind kind() const noexcept { return kind_; }

  OwnerKind owner = OwnerKind::python;
  /// Where it last left a scope, entered one or was spared: the line of the call.
  Site moved_at = unknown_site;

  /// The scope that ended it; null where it lives, or was disposed explicitly.
  const DisposeScope* ended_by() const noexcept { return ended_by_.get(); }
  /// `disposed by scope "step"` or `disposed explicitly`, with its birth site.
  std::string describe_end() const;

 protected:
  explicit Disposable(Kind kind) noexcept : kind_(kind) {}
  ~Disposable() = default;

  /// Enters the registry, the statistics and, when `in_scope`, the innermost open scope. After
  /// `finalize` it may be called again: that is the birth of another one at the same place. False
  /// where that scope is not plain, and may have an observer.
  inline bool be_born(bool in_scope) noexcept;
  /// What the derived class's destructor calls first; finalizing counts as disposing. True if the
  /// share was not taken before: then it is the destructor's to drop.
  inline bool finalize() noexcept;
  /// Says of what has just been born that its share comes later, and then that it has come.
  void defer() noexcept { state_ = State::deferred; }
  void settle() noexcept { state_ = State::live; }
  /// Hands out the share; called once, under the LifetimeLock.
  virtual Share take_share() noexcept = 0;

 private:
  friend class DisposeScope;
  enum class State : std::uint8_t { unborn, live, disposed, deferred };  // by bits: going on, empty
  bool is_going_on() const noexcept { return static_cast<int>(state_) & 1; }
  inline void enter(DisposeScope* scope) noexcept;  // the lock is held
  Share end(DisposeScope* by) noexcept;             // likewise
  inline void leave() noexcept;                     // likewise
  ScopeCounters& counters() const noexcept {
    return kind_ == Kind::tensor ? statistics_->tensors : statistics_->packed_sequences;
  }

  DisposeScope* scope_ = nullptr;
  ThreadStatistics* statistics_ = nullptr;
  Counted<DisposeScope> ended_by_;
  Kind kind_;
  State state_ = State::unborn;
  bool is_counted_ = true;
};

// Inline from here on: at the birth and the end of every result of an op.

void DisposeScope::adopt(Disposable& object) noexcept {
  object.scope_ = this;
  disposables_.push_back(object);
  ++size_;
}

void DisposeScope::let_go(Disposable& object) noexcept {
  static_cast<Links<InScope>&>(object).unlink();
  object.scope_ = nullptr;
  --size_;
}

[[gnu::always_inline]] void Disposable::enter(DisposeScope* scope) noexcept {
  ++counters().thread_total_live_count;
  if (scope) {
    scope->adopt(*this);
    ++counters().created_in_scope_count;
  } else {
    ++counters().created_outside_scope_count;
  }
}

// Two ways out, each with an unlock of its own: carried to one end, the answer would cost every
// birth a test.
[[gnu::always_inline]] bool Disposable::be_born(bool in_scope) noexcept {
  statistics_ = &thread_statistics();  // may allocate, and lock
  lifetime_spin_lock.lock();
  state_ = State::live;
  is_counted_ = in_scope;
  moved_at = unknown_site;
  registry().add_alias(*this);
  DisposeScope* const scope = birth.scope;
  if (in_scope && scope && !scope->is_plain()) [[unlikely]] {
    // A scope that another thread has just closed no longer ends anything.
    enter(scope->is_closed() ? scope->outer() : scope);
    lifetime_spin_lock.unlock();
    return false;
  }
  if (in_scope) enter(scope);
  lifetime_spin_lock.unlock();
  return true;
}

[[gnu::always_inline]] void Disposable::leave() noexcept {
  state_ = State::disposed;
  if (is_counted_) --counters().thread_total_live_count;
  if (scope_) {  // also what was born uncounted: attaching it was counted
    ++counters().disposed_in_scope_count;
    scope_->let_go(*this);
  } else if (is_counted_) {
    ++counters().disposed_outside_scope_count;
  }
  registry().remove_alias(*this);
}

[[gnu::always_inline]] bool Disposable::finalize() noexcept {
  {
    const LifetimeLock lock;
    if (is_going_on()) {
      leave();
      return true;
    }
  }
  ended_by_ = {};  // without the lock, which ending a scope takes
  return false;
}

}  // namespace garboard
