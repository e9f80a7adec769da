// Types whose objects the engine alone makes.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Lets no Python code make a half-made object of a type that pybind11 has put into `module`, or
/// pass an object of one for one of another: `__new__` refuses by itself, nothing inherits from the
/// types, and their objects keep their class, for pybind11 reads their memory as the class says.
/// From then on nothing is set on a type but on `open`, which gets more in Python. Called once,
/// after all is bound. False with an error set.
bool seal_types(PyObject* module, PyTypeObject* open);

}  // namespace garboard::python
