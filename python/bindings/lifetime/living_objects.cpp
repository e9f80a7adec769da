// Objects of Python's by their class: of those that the garbage collector knows, and of those that
// these refer to. A leak report asks for modules and graph nodes among a million objects.
#include <Python.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

py::list tracked_objects() {
  return py::module_::import("gc").attr("get_objects")();
}

std::vector<py::object> instances(const std::vector<py::type>& kinds) {
  std::unordered_map<PyTypeObject*, bool> known;  // a million objects are of a thousand classes
  const auto is_one = [&](PyTypeObject* type) {
    const auto [at, is_new] = known.try_emplace(type);
    if (is_new) {
      at->second = std::ranges::any_of(kinds, [&](const py::type& kind) {
        return PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(kind.ptr()));
      });
    }
    return at->second;
  };
  std::vector<py::object> found;
  PyTypeObject* former = nullptr;
  bool was_one = false;
  for (const py::handle object : tracked_objects()) {
    PyTypeObject* const type = Py_TYPE(object.ptr());
    if (std::exchange(former, type) != type) was_one = is_one(type);
    if (was_one) found.push_back(py::reinterpret_borrow<py::object>(object));
  }
  return found;
}

struct Sought {
  const PyTypeObject* kind;
  std::vector<PyObject*> met;  // borrowed: no Python runs before they are shared
};

int note_if_sought(PyObject* object, void* given) {
  auto* const sought = static_cast<Sought*>(given);
  if (Py_TYPE(object) == sought->kind) sought->met.push_back(object);
  return 0;
}

std::vector<py::object> referred(const py::type& kind) {
  Sought sought{reinterpret_cast<PyTypeObject*>(kind.ptr()), {}};
  for (const py::handle object : tracked_objects()) {
    if (const traverseproc traverse = Py_TYPE(object.ptr())->tp_traverse)
      traverse(object.ptr(), note_if_sought, &sought);
  }
  std::ranges::sort(sought.met);
  const auto repeated = std::ranges::unique(sought.met);
  sought.met.erase(repeated.begin(), repeated.end());
  std::vector<py::object> found;
  for (PyObject* const object : sought.met)
    found.push_back(py::reinterpret_borrow<py::object>(object));
  return found;
}

}  // namespace

void bind_living_objects(py::module_& m) {
  m.def("_instances", &instances, py::arg("kinds"),
        "The objects of these classes among those that the garbage collector knows.");
  m.def("_referred", &referred, py::arg("kind"),
        "The objects of this very class that those which the garbage collector knows refer to.");
}

}  // namespace garboard::python
