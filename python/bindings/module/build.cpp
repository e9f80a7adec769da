// Binds what was built and what it runs on.
#include <pybind11/pybind11.h>

#include "csrc/core/thread_pool.h"
#include "kernels/table.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {

void bind_build(py::module_& m) {
  m.def("_instruction_set", &kernels::instruction_set,
        "The instruction set of the CPU kernels in use: baseline, v3 or v4.");
  m.def(
      "_instruction_sets",
      [] {
        py::list names;
        for (const auto& set : kernels::instruction_sets()) names.append(set.name);
        return names;
      },
      "Those that were built and that this machine can run, the best first.");
  m.def("get_num_threads", &thread_count,
        R"(Return how many threads work on one operation on the CPU, the calling one among them.

At first the processors of the process's affinity mask, or fewer where its control group's quota
pays for fewer.

>>> gb.get_num_threads() >= 1
True
)");
  m.def("set_num_threads", &set_thread_count, py::arg("count"),
        R"(Let `count` threads work on one operation on the CPU from now on.

Results do not depend on it, to the bit. Short operations stay on one thread whatever it says.

Args:
    count: 1 to 256, the calling thread among them.

Raises:
    ShapeError: The count is out of range.

>>> before = gb.get_num_threads()
>>> gb.set_num_threads(1)
>>> gb.get_num_threads()
1
>>> gb.set_num_threads(before)
)");
}

}  // namespace garboard::python
