// Which scope is open in the running context; see context_cell.h.
#pragma once

#include <Python.h>

#include "csrc/lifetime/birth.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/tensor/grad_node.h"

namespace garboard::python {

/// The innermost open scope of the running context; borrowed, or null.
DisposeScope* current_scope() noexcept;

/// Makes `scope` the innermost one. Returns false with an exception set.
bool push_scope(DisposeScope* scope) noexcept;

/// Forgets a scope that has closed, where it is the innermost one of this context alone. Closed
/// scopes are skipped wherever they stand, so this is tidiness, not correctness.
void forget_closed_scopes() noexcept;

/// What every op begins with: its births are stamped with the running scope and the user's line,
/// and it is recorded as the context's grad mode says. Python code can run inside an op (hooks,
/// finalizers, `__index__`) and run ops of its own: each puts back what it found.
class BirthStamp {
 public:
  BirthStamp() noexcept;
  ~BirthStamp() {
    // Code that ran meanwhile may have closed the scope.
    birth.scope = scope_ && scope_->is_closed() ? scope_->outer() : scope_.get();
    birth.site = site_;
    grad_mode = mode_;
  }
  BirthStamp(const BirthStamp&) = delete;
  BirthStamp& operator=(const BirthStamp&) = delete;

 private:
  Counted<DisposeScope> scope_;  // null, except in an op inside an op
  Site site_;
  std::uint8_t mode_;
};

/// While it lives no scope is open in the running context: for code whose tensors belong to what
/// outlives scopes. Throws PythonErrorSet.
class OutsideScopes {
 public:
  OutsideScopes();
  ~OutsideScopes();
  OutsideScopes(const OutsideScopes&) = delete;
  OutsideScopes& operator=(const OutsideScopes&) = delete;

 private:
  Counted<DisposeScope> before_;
};

}  // namespace garboard::python
