// Sizes and strides as Python sees them.
#pragma once

#include <Python.h>

#include "csrc/core/dims.h"

namespace garboard::python {

/// A new reference. Those asked for again are the same object: to find it takes a third of the time
/// of making a tuple and its numbers. A few are kept, whatever is asked for.
PyObject* tuple_of(const Dims& dims);

}  // namespace garboard::python
