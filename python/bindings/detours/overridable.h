// Functions written in Python, whose calls classes and blocks take over as those of the engine.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Adds the type `_Overridable`: an object of it calls the function that it is made of, but asks
/// the `__torch_function__` of blocks and arguments first. What answers is given the object itself.
bool add_overridable(PyObject* module);

}  // namespace garboard::python
