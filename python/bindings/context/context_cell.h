// What is open in the running context, a Python thread's or an asyncio task's: scopes, grad
// mode, and blocks of devices.
//
// A context variable holds a cell. Opening something writes into it, which costs a fifth of setting
// the variable, where no other context can see it. A context whose cell others see, for a task was
// made from it or it from another, starts its own: what a task opens its creator never sees, and
// what the creator opens later the task never sees.
#pragma once

#ifndef Py_BUILD_CORE
#define Py_BUILD_CORE 1
#endif
#include <Python.h>
#include <internal/pycore_context.h>
#undef Py_BUILD_CORE

#include "csrc/lifetime/dispose_scope.h"
#include "python/bindings/context/default_devices.h"
#include "python/bindings/context/grad_modes.h"

namespace garboard::python {

struct ContextCell {
  PyObject_HEAD Counted<DisposeScope> innermost;  // may have closed
  GradModes grad;
  DefaultDevices made_on;

  DisposeScope* open_scope() const noexcept {
    DisposeScope* const scope = innermost.get();
    return scope && scope->is_closed() ? scope->outer() : scope;
  }
};

/// Makes the context variable. Returns false with an exception set.
bool start_context_cells();

namespace detail {
extern PyObject* cell_variable [[gnu::visibility("hidden")]];  // an access less for every op
ContextCell* find_cell() noexcept;
}  // namespace detail

/// The running context's; borrowed, or null where nothing was ever open. Looks first where
/// PyContextVar_Get looks first, without its two calls.
inline ContextCell* current_cell(PyThreadState* thread = PyThreadState_Get()) noexcept {
  auto* const cache = reinterpret_cast<PyContextVar*>(detail::cell_variable);
  if (cache->var_cached && cache->var_cached_tsid == thread->id &&
      cache->var_cached_tsver == thread->context_ver) [[likely]]
    return reinterpret_cast<ContextCell*>(cache->var_cached);
  return detail::find_cell();
}
/// The same, if no other context can see it; else null.
ContextCell* own_cell() noexcept;
/// The running context's own, made from what it inherited where need be. Null with an exception
/// set.
ContextCell* make_own_cell() noexcept;

}  // namespace garboard::python
