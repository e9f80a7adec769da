// Binds the recording of ops, and what only Python knows of one: its sizes and its stack.
#include "python/bindings/profiler.h"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <string_view>

#include "csrc/core/error.h"
#include "csrc/core/text.h"
#include "python/bindings/bindings.h"
#include "python/bindings/gil.h"
#include "python/bindings/ref.h"
#include "python/bindings/tensor_object.h"
#include "python/bindings/unicode.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

// Guarded by the GIL.
bool records_shapes = false;
int stack_depth = 0;

void add_sizes(std::string& sizes, PyObject* object) {
  if (!object || !is_tensor(object) || alias_of(object).is_disposed()) return;
  if (!sizes.empty()) sizes += ", ";
  sizes += text(alias_of(object).tensor().sizes());
}

/// The innermost lines first, each `file:line function`.
std::string stack() {
  std::string lines;
  Ref frame(reinterpret_cast<PyObject*>(PyThreadState_GetFrame(PyThreadState_Get())));
  for (int depth = 0; frame && depth < stack_depth; ++depth) {
    auto* const at = reinterpret_cast<PyFrameObject*>(frame.get());
    const Ref code(reinterpret_cast<PyObject*>(PyFrame_GetCode(at)));
    const auto* const of = reinterpret_cast<PyCodeObject*>(code.get());
    lines += text('\n', text_or_mark(of->co_filename), ':', PyFrame_GetLineNumber(at), ' ',
                  text_or_mark(of->co_qualname));
    frame = Ref(reinterpret_cast<PyObject*>(PyFrame_GetBack(at)));
  }
  return lines;
}

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

py::tuple stop() {
  OpProfile::Result result;
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

std::string detail_of(const Given& given) {
  std::string detail;
  if (records_shapes) {
    add_sizes(detail, given.self);
    for (Py_ssize_t i = 0; i < given.count; ++i) add_sizes(detail, given.arguments[i]);
  }
  return stack_depth ? detail + stack() : detail;
}

void bind_profiler(py::module_& m) {
  m.def(
      "_start_profile",
      [](bool shapes, bool memory, int depth) {
        if (!OpProfile::start(memory))
          throw Error("profile: another profile is running; stop it first");
        records_shapes = shapes;
        stack_depth = depth;
      },
      py::arg("shapes"), py::arg("memory"), py::arg("stack_depth"), "Record every op.");
  m.def("_stop_profile", &stop, "(begin, end, events, memory events), times in ns.");
  m.def("_is_profiling", &OpProfile::is_on, "Whether ops are recorded.");
  py::class_<Label>(m, "_Label", "An event around Python code.")
      .def(py::init<>())
      .def("enter", &Label::enter, py::arg("name"))
      .def("leave", &Label::leave);
}

}  // namespace garboard::python
