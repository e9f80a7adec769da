// The Python object `DisposeScope`.
#pragma once

#include <Python.h>

#include "csrc/lifetime/dispose_scope.h"

namespace garboard::python {

/// Makes the type and adds it to `module`. False with an exception set.
bool add_scope_type(PyObject* module);

/// The object of a scope that Python opened, as a new reference; None for null.
PyObject* scope_object(DisposeScope* scope) noexcept;

}  // namespace garboard::python
