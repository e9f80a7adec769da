// The base of the modules of networks: how one is called, without a frame of the library's.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Adds `_ModuleBase`.
bool add_module_base(PyObject* module);

}  // namespace garboard::python
