// Calls in the order of arguments that ops had once, which programs of those days still give.
#pragma once

#include <Python.h>

#include "python/bindings/call/arguments.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

/// The result of an op that was given its factors where tensors are due, as `x.add_(0.1, y)` for
/// `x.add_(y, alpha=0.1)`, after a FutureWarning; null where `name` has no such order, or the call
/// is not in it. Raises what the op does.
Ref called_in_older_order(const char* name, const Call& call, PyObject* function);

/// Whether there is an older order of `name`.
bool has_older_order(const char* name) noexcept;

}  // namespace garboard::python
