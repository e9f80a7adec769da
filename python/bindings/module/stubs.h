// The op tables as Python sees them, for the stub file and the tests of the tables.
#pragma once

#include <pybind11/pybind11.h>

namespace garboard::python {

void bind_stubs(pybind11::module_& m);

}  // namespace garboard::python
