// Who holds what: one breadth-first search of the interpreter's references, from roots that the
// caller names to the objects in question. Edges are what tp_traverse visits, and the variables of
// running frames, which it does not. No Python runs and no reference is taken on the way.
#include <Python.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

#include "python/bindings/exchange/dlpack.h"
#include "python/bindings/interpreter/frame_variables.h"
#include "python/bindings/lifetime/addresses.h"
#include "python/bindings/lifetime/exit_callbacks.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// NumPy's dtype and array as its C interface promises them. The collector does not know arrays, so
/// that what they look into, or have as their elements, would have no holder.
struct ArrayElement {
  PyObject_HEAD;
  PyTypeObject* type;
  char kind;
  static constexpr char object = 'O';
};

struct Array {
  PyObject_HEAD;
  char* data;
  int dim_count;
  const std::intptr_t *sizes, *strides;  // in bytes
  PyObject* base;
  const ArrayElement* element;
};

/// Calls `meet` with each element of an array of objects; some may be null.
template <class Meet>
void visit_elements(const Array& array, Meet&& meet) {
  std::intptr_t count = 1;
  for (int i = 0; i < array.dim_count; ++i) count *= array.sizes[i];
  for (std::intptr_t at = 0; at < count; ++at) {
    const char* place = array.data;
    std::intptr_t rest = at;
    for (int i = array.dim_count; i-- > 0; rest /= array.sizes[i])
      place += rest % array.sizes[i] * array.strides[i];
    PyObject* element;
    std::memcpy(&element, place, sizeof element);
    if (element) meet(element);
  }
}

/// The class of NumPy's arrays, where the program has imported it; else null.
PyTypeObject* array_type() {
  const py::dict modules = py::module_::import("sys").attr("modules");
  if (!modules.contains("numpy")) return nullptr;
  const py::object found = py::getattr(modules["numpy"], "ndarray", py::none());
  return PyType_Check(found.ptr()) ? reinterpret_cast<PyTypeObject*>(found.ptr()) : nullptr;
}

/// A holder, and one object that it refers to.
using Reference = std::pair<py::object, py::object>;

/// Memory, not work, is what a search waits for: each object is somewhere else. So those that are
/// new are asked for a little before they are looked into, and those met before not at all.
class ReferenceSearch {
 public:
  ReferenceSearch(const std::vector<py::object>& targets, const std::vector<py::object>& skip,
                  const std::vector<Reference>& hidden) {
    for (const py::object& object : targets) places_.emplace(object.ptr(), none);
    for (const auto& [object, place] : places_) wanted_.add(object);
    missing_ = places_.size();
    for (const py::object& object : skip) seen_.add(object.ptr());
    for (const auto& [holder, held] : hidden) {
      held_in_hiding_.add(held.ptr());
      hidden_.push_back({holder.ptr(), held.ptr()});
    }
    std::ranges::sort(hidden_);
  }

  /// Follows `roots` to the end, or until every target has been met.
  void run(const std::vector<py::object>& roots) {
    parent_ = none;
    for (const py::object& root : roots) meet(root.ptr());
    while (missing_ > 0) {
      if (next_ == met_.size() && !join_all()) break;
      if (next_ + ahead < met_.size()) fetch(met_[next_ + ahead]);
      parent_ = static_cast<Position>(next_);
      follow(met_[next_++]);
    }
  }

  /// The objects from `target` to a root, both included; none where no root leads to it. Runs no
  /// Python: what was met is borrowed.
  std::vector<py::object> path_from(const py::object& target) const {
    std::vector<py::object> objects;
    for (auto at = places_.at(target.ptr()); at != none; at = parents_[at])
      objects.push_back(py::reinterpret_borrow<py::object>(met_[at]));
    return objects;
  }

 private:
  using Position = std::uint32_t;
  using Borrowed = std::pair<const PyObject*, const PyObject*>;
  struct Met {
    PyObject* object;
    Position parent;
  };
  static constexpr Position none = ~Position{0};
  static constexpr std::size_t ahead = 6;  // objects that are fetched while one is followed

  void meet(PyObject* object) {
    if (seen_.has(object) || (!hidden_.empty() && is_hidden(object))) return;
    seen_.add(object);
    __builtin_prefetch(object);
    if (wanted_.has(object)) return join_wanted(object);
    Met& oldest = waiting_[newest_++ % waiting_.size()];
    const Met joins = std::exchange(oldest, {object, parent_});
    if (joins.object) join(joins);
  }

  void join_wanted(PyObject* object) {
    join_all();  // whoever came before stands before
    places_.at(object) = static_cast<Position>(met_.size());
    met_.push_back(object);
    parents_.push_back(parent_);
    --missing_;
  }

  /// Puts those who wait into the queue; tells whether there was one that leads on.
  bool join_all() {
    const std::size_t before = met_.size();
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      const Met joins = std::exchange(waiting_[newest_++ % waiting_.size()], {});
      if (joins.object) join(joins);
    }
    return met_.size() > before;
  }

  void join(Met it) {
    if (!is_tracked(it.object) && !is_array(it.object) && !PyCapsule_CheckExact(it.object)) return;
    met_.push_back(it.object);
    parents_.push_back(it.parent);
  }

  bool is_hidden(PyObject* object) {
    if (parent_ == none || !held_in_hiding_.has(object)) return false;
    const Borrowed reference(met_[parent_], object);
    return std::ranges::binary_search(hidden_, reference);
  }

  /// PyObject_IS_GC, inline.
  static bool is_tracked(PyObject* object) {
    PyTypeObject* const type = Py_TYPE(object);
    return PyType_IS_GC(type) && (!type->tp_is_gc || type->tp_is_gc(object));
  }

  bool is_array(PyObject* object) const {
    return array_type_ && PyObject_TypeCheck(object, array_type_);
  }

  /// Asks memory for an object that will be followed soon, and for the table of a dict.
  static void fetch(PyObject* object) {
    constexpr std::size_t line = 64;
    const auto ask = [](const void* at) {
      __builtin_prefetch(at);
      __builtin_prefetch(static_cast<const char*>(at) + line);
    };
    ask(object);
    if (PyDict_CheckExact(object)) ask(reinterpret_cast<const PyDictObject*>(object)->ma_keys);
  }

  static int visit(PyObject* object, void* search) {
    static_cast<ReferenceSearch*>(search)->meet(object);
    return 0;
  }

  void follow(PyObject* object) {
    // Static types are no business of the collector's, and their tp_traverse says so by aborting.
    if (is_array(object)) follow_array(*reinterpret_cast<const Array*>(object));
    if (PyCapsule_CheckExact(object)) {
      if (PyObject* const kept = kept_by_capsule(object)) meet(kept);
    }
    if (!is_tracked(object)) return;
    if (PyFrame_Check(object)) visit_frame_variables(object, visit, this);
    if (const traverseproc traverse = Py_TYPE(object)->tp_traverse) traverse(object, visit, this);
  }

  void follow_array(const Array& array) {
    if (array.base) return meet(array.base);  // whose elements a view has
    if (array.element->kind != ArrayElement::object) return;
    visit_elements(array, [this](PyObject* element) { meet(element); });
  }

  PyTypeObject* array_type_ = array_type();
  std::unordered_map<PyObject*, Position> places_;  // where the targets are among `met_`
  Addresses wanted_, held_in_hiding_;
  std::vector<Borrowed> hidden_;   // sorted
  Addresses seen_;                 // what was met, leads on or not, and what is skipped
  std::array<Met, 16> waiting_{};  // a ring: their memory is on its way
  std::size_t newest_ = 0;
  std::vector<PyObject*> met_;  // the queue as well: what stands before `next_` has been followed
  std::vector<Position> parents_;
  std::size_t next_ = 0;
  Position parent_ = none;
  std::size_t missing_ = 0;
};

py::list holder_paths(const std::vector<std::vector<py::object>>& phases,
                      const std::vector<py::object>& targets, const std::vector<py::object>& skip,
                      const std::vector<Reference>& hidden) {
  ReferenceSearch search(targets, skip, hidden);
  for (const std::vector<py::object>& roots : phases) search.run(roots);
  // References to all of them first: making a list may run anything.
  std::vector<std::vector<py::object>> found;
  for (const py::object& target : targets) found.push_back(search.path_from(target));
  py::list paths;
  for (auto& path : found) {
    std::ranges::reverse(path);
    paths.append(path.empty() ? py::none() : py::cast(path));
  }
  return paths;
}

/// What hangs on the threads themselves: their dicts, and the exceptions they are handling.
py::list thread_roots() {
  std::vector<py::object> found;
  const auto add = [&](PyObject* object) {
    if (object) found.push_back(py::reinterpret_borrow<py::object>(object));
  };
  for (PyThreadState* thread = PyInterpreterState_ThreadHead(PyInterpreterState_Get()); thread;
       thread = PyThreadState_Next(thread)) {
    add(thread->dict);
    for (const _PyErr_StackItem* at = thread->exc_info; at; at = at->previous_item) {
      if (at->exc_value && at->exc_value != Py_None) add(at->exc_value);
    }
  }
  py::list roots;
  for (const py::object& root : found) roots.append(root);
  return roots;
}

py::object exit_callbacks() { return py::reinterpret_steal<py::object>(registered_at_exit()); }

py::object variables_of(const py::object& frame) {
  if (!PyFrame_Check(frame.ptr()))
    throw py::type_error("_frame_variables: a frame object is needed");
  return py::reinterpret_steal<py::object>(frame_variables(frame.ptr()));
}

}  // namespace

void bind_holders(py::module_& m) {
  m.def("_holder_paths", &holder_paths, py::arg("phases"), py::arg("targets"), py::arg("skip"),
        py::arg("hidden") = std::vector<Reference>(),
        "For each target the objects from a root to it, or None. The roots of a phase are followed "
        "to the end before the next phase begins; what is in skip is never met. Each (holder, "
        "held) of hidden is a reference that is not followed.");
  m.def("_exit_callbacks", &exit_callbacks,
        "(function, arguments, named arguments) of what the interpreter calls when it ends.");
  m.def("_thread_roots", &thread_roots,
        "The dict of each thread, and the exceptions it is handling.");
  m.def("_frame_variables", &variables_of, py::arg("frame"),
        "(name, value) of the variables bound in a frame.");
}

}  // namespace garboard::python
