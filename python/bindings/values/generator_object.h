// Random generators as Python sees them: the part of `garboard.Generator` that functions draw from.
#pragma once

#include <Python.h>

#include "csrc/ops/random/generator.h"

namespace garboard::python {

/// Adds the type `Generator` to `module`; False with an exception set.
bool add_generator_type(PyObject* module);

/// The one that is drawn from, the standard one for None. Raises TypeError, naming `op`.
Generator& to_generator(PyObject* object, const char* op);

}  // namespace garboard::python
