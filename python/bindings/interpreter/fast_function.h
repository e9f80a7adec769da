// C functions as Python has them: called fastest, and in the slots of a type.
#pragma once

#include <Python.h>

namespace garboard::python {

/// METH_FASTCALL | METH_KEYWORDS: `count` positional arguments at `given`, behind them one for each
/// of `names`, a tuple or null.
using FastFunction = PyObject* (*)(PyObject* self, PyObject* const* given, Py_ssize_t count,
                                   PyObject* names);

/// A function, or a type to stand on, as PyType_Slot has it.
template <class Pointed>
void* slot(Pointed* pointed) {
  return reinterpret_cast<void*>(pointed);
}

}  // namespace garboard::python
