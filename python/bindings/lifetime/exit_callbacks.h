// What `atexit` keeps, read where the interpreter keeps it: in a C array, to which no object leads.
#pragma once

#include <Python.h>

namespace garboard::python {

/// A new list of (function, arguments, named arguments), the first registered first; null with an
/// exception set. What stands for no argument is None.
PyObject* registered_at_exit();

}  // namespace garboard::python
