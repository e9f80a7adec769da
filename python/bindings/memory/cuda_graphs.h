// A part of what `bind_cuda` binds.
#pragma once

#include <pybind11/pybind11.h>

namespace garboard::python {

void bind_cuda_graphs(pybind11::module_& m);

}  // namespace garboard::python
