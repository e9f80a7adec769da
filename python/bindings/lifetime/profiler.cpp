// Binds the recording of ops.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/interpreter/unicode.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// `with record_function(name):`, entered and left on one thread.
class Label {
 public:
  void enter(const py::object& name) {
    const std::string_view said = to_text(name.ptr(), "record_function", "name");
    if (OpProfile::is_on()) op_.emplace(std::string(said), detail_of({nullptr, nullptr, 0}));
  }
  void leave() { op_.reset(); }

 private:
  std::optional<OpProfile::Op> op_;
};

/// Who records, by the number that it was told; 0 for nobody. Guarded by the GIL.
std::uint64_t recording = 0;

py::object stop(std::uint64_t owner) {
  if (owner && recording != owner) return py::none();
  OpProfile::Result result;
  recording = 0;
  set_detour(Detour::profile, false);
  {
    const WithoutGil others_may_run;  // one of them may be adding an event
    result = OpProfile::stop();
  }
  py::list events, memory;
  for (const OpProfile::Event& it : result.events) {
    events.append(py::make_tuple(it.name, it.detail, it.begin_ns, it.end_ns, it.parent, it.thread,
                                 it.allocated[0], it.freed[0], it.allocated[1], it.freed[1]));
  }
  for (const OpProfile::MemoryEvent& it : result.memory)
    memory.append(py::make_tuple(it.at_ns, it.bytes, it.serial, it.site, text(it.device)));
  return py::make_tuple(result.begin_ns, result.end_ns, events, memory);
}

}  // namespace

void bind_profiler(py::module_& m) {
  m.def(
      "_start_profile",
      [](std::uint64_t owner, bool shapes, bool memory, int depth) {
        if (!OpProfile::start(memory))
          throw Error("profile: another profile is running; stop it first");
        recording = owner;
        set_profiled_details(shapes, depth);
        set_detour(Detour::profile, true);
      },
      py::arg("owner"), py::arg("shapes"), py::arg("memory"), py::arg("stack_depth"),
      "Record every op, for an owner with a number.");
  m.def("_stop_profile", &stop, py::arg("owner"),
        "(begin, end, events, memory events), times in ns, of that owner's, or of 0, anybody's.");
  m.def("_is_profiling", &OpProfile::is_on, "Whether ops are recorded.");
  py::class_<Label>(m, "_Label", "An event around Python code.")
      .def(py::init<>())
      .def("enter", &Label::enter, py::arg("name"))
      .def("leave", &Label::leave);
}

}  // namespace garboard::python
