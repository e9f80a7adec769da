// Who holds what: one breadth-first search of the interpreter's references, from roots that the
// caller names to the objects in question. Edges are what tp_traverse visits, and the variables of
// running frames, which it does not. No Python runs and no reference is taken on the way.
#include <Python.h>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "python/bindings/exchange/dlpack.h"
#include "python/bindings/interpreter/frame_variables.h"
#include "python/bindings/lifetime/exit_callbacks.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// Objects in the order in which they came, each once. Open addressing over their positions: a
/// search meets millions, and an object takes 16 to 28 bytes here.
class Objects {
 public:
  using Position = std::uint32_t;
  static constexpr Position none = ~Position{0};

  /// Adds `object` if it is new and `may_join()`; tells whether it was added.
  template <class Asked>
  bool add_if(PyObject* object, Asked&& may_join) {
    if (4 * (all_.size() + 1) > 3 * buckets_.size()) grow();
    Position& bucket = find(object);
    if (bucket != none || !may_join()) return false;
    bucket = static_cast<Position>(all_.size());
    all_.push_back(object);
    return true;
  }
  void add(PyObject* object) {
    add_if(object, [] { return true; });
  }
  Position position_of(const PyObject* object) { return find(object); }
  bool has(const PyObject* object) { return find(object) != none; }
  PyObject* operator[](std::size_t position) const { return all_[position]; }
  std::size_t size() const { return all_.size(); }

 private:
  Position& find(const PyObject* object) {
    const std::size_t mask = buckets_.size() - 1;
    auto i = (reinterpret_cast<std::uintptr_t>(object) >> 4) * 0x9E3779B97F4A7C15u >> 20;
    while (buckets_[i & mask] != none && all_[buckets_[i & mask]] != object) ++i;
    return buckets_[i & mask];
  }
  void grow() {
    buckets_.assign(buckets_.size() * 2, none);
    for (std::size_t i = 0; i < all_.size(); ++i) find(all_[i]) = static_cast<Position>(i);
  }

  std::vector<Position> buckets_ = std::vector<Position>(1 << 10, none);
  std::vector<PyObject*> all_;
};

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

class ReferenceSearch {
 public:
  ReferenceSearch(const std::vector<py::object>& targets, const std::vector<py::object>& skip,
                  const std::vector<Reference>& hidden) {
    for (const py::object& object : targets) wanted_.add(object.ptr());
    missing_ = wanted_.size();
    for (const py::object& object : skip) skipped_.add(object.ptr());
    for (const auto& [holder, held] : hidden) {
      held_in_hiding_.add(held.ptr());
      hidden_.push_back({holder.ptr(), held.ptr()});
    }
    std::ranges::sort(hidden_);
  }

  /// Follows `roots` to the end, or until every target has been met.
  void run(const std::vector<py::object>& roots) {
    parent_ = Objects::none;
    for (const py::object& root : roots) meet(root.ptr());
    while (next_ < met_.size() && missing_ > 0) {
      parent_ = static_cast<Objects::Position>(next_);
      follow(met_[next_++]);
    }
  }

  /// The objects from `target` to a root, both included; none where no root leads to it. Runs no
  /// Python: what was met is borrowed.
  std::vector<py::object> path_from(const py::object& target) {
    std::vector<py::object> objects;
    for (auto at = met_.position_of(target.ptr()); at != Objects::none; at = parents_[at])
      objects.push_back(py::reinterpret_borrow<py::object>(met_[at]));
    return objects;
  }

 private:
  void meet(PyObject* object) {
    const bool leads_on =
        PyObject_IS_GC(object) || is_array(object) || PyCapsule_CheckExact(object);
    if (!leads_on && !wanted_.has(object)) return;
    // Most references lead to what was met before, so that is asked before all else.
    const bool is_new = met_.add_if(object, [&] {
      if (!hidden_.empty() && is_hidden(object)) return false;
      return skipped_.size() == 0 || !skipped_.has(object);
    });
    if (!is_new) return;
    parents_.push_back(parent_);
    missing_ -= wanted_.has(object);
  }

  using Borrowed = std::pair<const PyObject*, const PyObject*>;

  bool is_hidden(PyObject* object) {
    if (parent_ == Objects::none || !held_in_hiding_.has(object)) return false;
    const Borrowed reference(met_[parent_], object);
    return std::ranges::binary_search(hidden_, reference);
  }

  bool is_array(PyObject* object) const {
    return array_type_ && PyObject_TypeCheck(object, array_type_);
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
    if (!PyObject_IS_GC(object)) return;
    if (PyFrame_Check(object)) visit_frame_variables(object, visit, this);
    if (const traverseproc traverse = Py_TYPE(object)->tp_traverse) traverse(object, visit, this);
  }

  void follow_array(const Array& array) {
    if (array.base) return meet(array.base);  // whose elements a view has
    if (array.element->kind != ArrayElement::object) return;
    visit_elements(array, [this](PyObject* element) { meet(element); });
  }

  PyTypeObject* array_type_ = array_type();
  Objects wanted_, skipped_, held_in_hiding_;
  std::vector<Borrowed> hidden_;  // sorted
  Objects met_;                   // the queue as well: what stands before `next_` has been followed
  std::vector<Objects::Position> parents_;
  std::size_t next_ = 0;
  Objects::Position parent_ = Objects::none;
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
