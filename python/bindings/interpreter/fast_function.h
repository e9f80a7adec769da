// A C function as Python calls it fastest.
#pragma once

#include <Python.h>

namespace garboard::python {

/// METH_FASTCALL | METH_KEYWORDS: `count` positional arguments at `given`, behind them one for each
/// of `names`, a tuple or null.
using FastFunction = PyObject* (*)(PyObject* self, PyObject* const* given, Py_ssize_t count,
                                   PyObject* names);

}  // namespace garboard::python
