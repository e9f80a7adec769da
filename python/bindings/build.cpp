// Binds what was built and what it runs on.
#include <pybind11/pybind11.h>

#include "csrc/core/thread_pool.h"
#include "kernels/table.h"
#include "python/bindings/bindings.h"

namespace py = pybind11;

namespace garboard::python {

void bind_build(py::module_& m) {
  m.def("_instruction_set", &kernels::instruction_set,
        "The instruction set of the CPU kernels in use: baseline, v3 or v4.");
  m.def("get_num_threads", &thread_count,
        "Return how many threads work on one operation on the CPU, the calling one among them.\n\n"
        "At first the processors of the process's affinity mask, or fewer where its control\n"
        "group's quota pays for fewer.");
  m.def("set_num_threads", &set_thread_count, py::arg("count"),
        "Let `count` threads, 1 to 256, work on one operation on the CPU from now on.\n\n"
        "Results do not depend on it, to the bit. Short operations stay on one thread whatever\n"
        "it says. Raises `ShapeError` for a count that is out of range.");
}

}  // namespace garboard::python
