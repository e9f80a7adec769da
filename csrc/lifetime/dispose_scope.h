// Dispose scopes: what is born while a scope is open ends when it closes, unless moved or detached.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "csrc/core/counted.h"
#include "csrc/core/intrusive_list.h"
#include "csrc/lifetime/scope_ledger.h"

namespace garboard {

class Disposable;
class DisposeScope;
struct InScope;

/// Is told of what is born in a scope; see `DisposeScope::observe`.
class BirthObserver : public RefCounted {
 public:
  virtual ~BirthObserver() = default;
  /// May raise: then what was born ends at once.
  virtual void after_birth(DisposeScope& scope) = 0;
};

/// Disposes an open scope first. What it ends names it as the reason and so shares it: then it
/// lives on until that is gone.
void destroy(DisposeScope* scope) noexcept;

/// One dispose scope. It holds its disposables weakly: an object whose last owner goes dies at once
/// and leaves the scope, so a scope can shorten a life and never lengthens one.
///
/// Scopes may close in any order and on any thread; a closed one is skipped wherever an outer scope
/// is looked for. Guarded by the LifetimeLock.
class DisposeScope final : public RefCounted {
 public:
  /// Opens inside `outer` (null: none). `limit_bytes`: a budget for what is born inside, over all
  /// devices. The caller decides whether it becomes `birth.scope`.
  DisposeScope(std::string name, Counted<DisposeScope> outer,
               std::optional<std::int64_t> limit_bytes = std::nullopt);

  const std::string& name() const noexcept { return name_; }
  bool is_closed() const noexcept { return state_ == State::closed; }
  /// False once it has closed, and while it has an observer: births look at this one byte.
  bool is_plain() const noexcept { return state_ == State::plain; }
  /// The nearest scope around this one that is still open, or null.
  DisposeScope* outer() const noexcept;
  int size() const noexcept { return size_; }
  /// A number for the name, by whoever counts names; 0: not counted yet.
  std::atomic<std::uint32_t> name_number{0};

  /// Makes `object`, which is in no scope or another, a member of this one. Counts as attaching
  /// where it was in none.
  void attach(Disposable& object) noexcept;
  /// From here on, these do nothing to an object that is not a member.
  void detach(Disposable& object) noexcept;
  /// Hands `object` to the outer scope; where there is none, that is detaching.
  void move_to_outer(Disposable& object) noexcept;
  void move_to(DisposeScope& other, Disposable& object) noexcept;

  /// Disposes the members, youngest first, except those `keep` asks to spare; stays open.
  void dispose_everything_but(const std::vector<Disposable*>& keep);
  /// Disposes the members, youngest first; stays open.
  void dispose_everything() noexcept;
  /// Disposes everything and closes; where it was this thread's innermost scope, the one around it
  /// is from now on. Idempotent.
  void dispose() noexcept;

  /// A snapshot, oldest first.
  std::vector<Disposable*> members();

  /// The ledger that counts what is born inside: this scope's or, once it has closed, that of the
  /// nearest open one around it; null where there is none. Under the registry's storage lock.
  ScopeLedger* open_ledger() const noexcept { return ledger_.open ? ledger_.open : outer_ledger(); }
  /// Bytes born inside, at this moment or at the close of a closed scope.
  ScopeLedger bytes() const noexcept;

  /// Has `observer` told of each birth here, by whoever makes a handle of it, until it is told to
  /// stop. Before the scope is shared.
  void observe(Counted<BirthObserver> observer) noexcept;
  void stop_observing() noexcept;
  /// Null, too, once the scope has closed.
  Counted<BirthObserver> observer() const noexcept;

  static void* operator new(std::size_t bytes);
  static void operator delete(void* block, std::size_t bytes) noexcept;

 private:
  friend class Disposable;
  friend void destroy(DisposeScope* scope) noexcept;
  ScopeLedger* outer_ledger() const noexcept;
  ~DisposeScope() = default;                       // only through Counted
  inline void adopt(Disposable& object) noexcept;  // the lock is held; object is in no scope
  inline void let_go(Disposable& object) noexcept;

  std::string name_;
  Counted<DisposeScope> outer_;  // counted: it may close before this one
  IntrusiveList<Disposable, InScope> disposables_;
  int size_ = 0;
  enum class State : std::uint8_t { plain, observed, closed };
  std::atomic<State> state_ = State::plain;  // closed under the lock; read by whoever is born
  Counted<BirthObserver> observer_;          // until the end: it may be running
  LedgerSlot ledger_;
};

/// Opens a scope for a block of C++ and makes it this thread's innermost one.
class OpenScope {
 public:
  explicit OpenScope(std::string name = {});
  ~OpenScope();
  OpenScope(const OpenScope&) = delete;
  OpenScope& operator=(const OpenScope&) = delete;

  DisposeScope* operator->() const noexcept { return scope_.get(); }
  DisposeScope& operator*() const noexcept { return *scope_; }

 private:
  Counted<DisposeScope> scope_;
};

}  // namespace garboard
