// Sizes and strides as Python sees them: `garboard.Size`, a tuple of ints.
#pragma once

#include <Python.h>

#include "csrc/core/dims.h"

namespace garboard::python {

/// Makes the type and adds it to `module`, as `_Size`: `Size` in a signature is whatever gives
/// sizes. False with an exception set.
bool add_size(PyObject* module);

bool is_size_object(PyObject* object) noexcept;

/// A new reference. Those asked for again are the same object: to find it takes a third of the time
/// of making a tuple and its numbers. A few are kept, whatever is asked for.
PyObject* size_object(const Dims& dims);

}  // namespace garboard::python
