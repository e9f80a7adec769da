// Which scope is open here: per thread and asyncio task, through a context variable.
//
// The variable holds a cell. Opening a scope writes into it, which costs a fifth of setting the
// variable, where no other context can see it. A context whose cell others see, for a task was made
// from it or it from another, starts its own: what a task opens its creator never sees, and what
// the creator opens later the task never sees.
#pragma once

#include <Python.h>

#include "csrc/lifetime/birth.h"
#include "csrc/lifetime/dispose_scope.h"

namespace garboard::python {

/// Makes the context variable. Returns false with an exception set.
bool start_scope_stack();

/// The innermost open scope of the running context; borrowed, or null.
DisposeScope* current_scope() noexcept;

/// Makes `scope` the innermost one. Returns false with an exception set.
bool push_scope(DisposeScope* scope) noexcept;

/// Forgets a scope that has closed, where it is the innermost one of this context alone. Closed
/// scopes are skipped wherever they stand, so this is tidiness, not correctness.
void forget_closed_scopes() noexcept;

/// Stamps this thread's births with the running scope and the user's line, for the length of an op.
/// Python code can run inside an op (hooks, finalizers, `__index__`) and run ops of its own: each
/// puts back what it found.
class BirthStamp {
 public:
  BirthStamp() noexcept;
  ~BirthStamp() {
    // Code that ran meanwhile may have closed the scope.
    birth.scope = scope_ && scope_->is_closed() ? scope_->outer() : scope_.get();
    birth.site = site_;
  }
  BirthStamp(const BirthStamp&) = delete;
  BirthStamp& operator=(const BirthStamp&) = delete;

 private:
  Counted<DisposeScope> scope_;  // null, except in an op inside an op
  Site site_;
};

}  // namespace garboard::python
