// Ops that are put off inside `gb.fuse`, so that chains of them run as one.
#pragma once

#include <Python.h>

#include "python/bindings/detours/profiled.h"

namespace garboard::python {

/// The alias of what the op `name` gives, which is computed later; null, with no exception set,
/// where the op has to run now. Throws PythonErrorSet.
PyObject* deferred_call(const char* name, const Given& given);

/// Adds `_FuseBlock`, `_fuse_depth` and `_deferred_count`.
bool add_deferring(PyObject* module);

}  // namespace garboard::python
