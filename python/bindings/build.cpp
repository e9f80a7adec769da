// Binds what was built and what it runs on.
#include <pybind11/pybind11.h>

#include "kernels/table.h"
#include "python/bindings/bindings.h"

namespace py = pybind11;

namespace garboard::python {

void bind_build(py::module_& m) {
  m.def("_instruction_set", &kernels::instruction_set,
        "The instruction set of the CPU kernels in use: baseline, v3 or v4.");
}

}  // namespace garboard::python
