// When the last alias of a tensor with hooks has gone, a graph holds them, and the collector cannot
// look into a graph. A mirror is made of lists: one for each tensor and node, holding those that it
// holds, and at its end the hooks. It stands for nothing that anybody else has a share of, since
// what C++ holds is alive: there the mirror ends, and the hooks behind it stay as they are.
#include "python/bindings/tensor/graph_mirror.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "csrc/autograd/graph_survey.h"
#include "csrc/core/exclusive.h"
#include "csrc/lifetime/lifetime_lock.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/anchors.h"
#include "python/bindings/tensor/python_held.h"

namespace garboard::python {
namespace {

/// Stands for the reference that the hooks of a graph have of their anchor, or that a node's rule
/// has of its context. It holds itself until it is cleared, as garbage, or the mirror is taken
/// down: the collector clears the lists first, and would end it with them.
struct Orphan {
  PyObject_HEAD Counted<GradientHooks> hooks;
  std::vector<Counted<Foreign>> foreign;
};
PyTypeObject* orphan_type = nullptr;
// Those that hold themselves. Leaked, as the mirror is.
std::unordered_set<PyObject*>& orphans = *new std::unordered_set<PyObject*>;

int orphan_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (orphans.contains(self)) Py_VISIT(self);
  const auto& [head, hooks, foreign] = *reinterpret_cast<Orphan*>(self);
  for (const Counted<Foreign>& it : foreign) {
    const auto* const held = dynamic_cast<const PythonHeld*>(it.get());
    if (const int stop = held ? held->visit(visit, arg) : 0) return stop;
  }
  // An alias that a finalizer has made meanwhile took the reference over.
  if (PyObject* const anchor = hooks ? orphaned_anchor(*hooks) : nullptr) Py_VISIT(anchor);
  return 0;
}

int orphan_clear(PyObject* self) {
  const auto foreign = std::move(reinterpret_cast<Orphan*>(self)->foreign);
  if (orphans.erase(self)) Py_DECREF(self);
  for (const Counted<Foreign>& it : foreign) {
    if (auto* const held = dynamic_cast<PythonHeld*>(it.get())) held->clear();
  }
  return 0;
}

void orphan_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  reinterpret_cast<Orphan*>(self)->hooks.~Counted();
  std::destroy_at(&reinterpret_cast<Orphan*>(self)->foreign);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

Ref new_orphan(GradientHooks* hooks, const std::vector<Foreign*>& foreign) {
  Orphan* const orphan = PyObject_GC_New(Orphan, orphan_type);
  if (!orphan) throw PythonErrorSet();
  new (&orphan->hooks) Counted<GradientHooks>(hooks);
  new (&orphan->foreign) std::vector<Counted<Foreign>>;
  for (Foreign* const it : foreign) orphan->foreign.emplace_back(it);
  Ref self(reinterpret_cast<PyObject*>(orphan));
  orphans.insert(Py_NewRef(self.get()));
  PyObject_GC_Track(self.get());
  return self;
}

/// What the aliases reach through graphs.
class Survey {
 public:
  Survey() {
    find_aliases();
    for (const auto& [object, place] : aliases_) survey_.note_share(place);
    survey_.run();
  }

  bool found_orphans() const {
    return std::ranges::any_of(
        things(), [](const Thing& it) { return orphans_of(it) || !foreign_of(it).empty(); });
  }

  /// The mirror's part of each alias that has one.
  std::unordered_map<TensorObject*, Ref> mirror() const {
    std::vector<Ref> lists(things().size());
    for (std::size_t i = 0; i < things().size(); ++i) {
      if (!things()[i].is_kept) lists[i] = Ref(checked(PyList_New(0)));
    }
    for (std::size_t i = 0; i < things().size(); ++i) {
      if (things()[i].is_kept) continue;
      for (const std::size_t next : things()[i].behind) {
        if (lists[next]) append(lists[i], lists[next]);
      }
      GradientHooks* const hooks = orphans_of(things()[i]);
      const std::vector<Foreign*> foreign = foreign_of(things()[i]);
      if (hooks || !foreign.empty()) append(lists[i], new_orphan(hooks, foreign));
    }
    std::unordered_map<TensorObject*, Ref> parts;
    for (const auto& [object, place] : aliases_) {
      if (lists[place]) parts.emplace(object, Ref::borrow(lists[place].get()));
    }
    return parts;
  }

 private:
  using Thing = GraphSurvey::Thing;
  const std::vector<Thing>& things() const { return survey_.things(); }

  /// The hooks that it alone holds, if there are any.
  static GradientHooks* orphans_of(const Thing& thing) {
    GradientHooks* const hooks = thing.is_kept ? nullptr : thing.hooks();
    return hooks && orphaned_anchor(*hooks) ? hooks : nullptr;
  }

  static std::vector<Foreign*> foreign_of(const Thing& thing) {
    return thing.is_kept ? std::vector<Foreign*>() : thing.foreign();
  }

  void find_aliases() {
    std::vector<const Disposable*> found;
    found.reserve(static_cast<std::size_t>(registry().live().aliases) + 64);
    {
      const LifetimeLock lock;
      registry().for_each_alias([&](Record& it) {
        const auto& alias = static_cast<Disposable&>(it);
        if (alias.kind() == Disposable::Kind::tensor && found.size() < found.capacity())
          found.push_back(&alias);
      });
    }
    for (const Disposable* const alias : found) {
      const Ref object(object_of(*alias));
      if (!object || alias->is_empty()) continue;
      auto* const handle = reinterpret_cast<TensorObject*>(object.get());
      aliases_.emplace_back(handle, survey_.meet(handle->alias.tensor().body()));
    }
  }

  static void append(const Ref& list, const Ref& item) {
    if (PyList_Append(list.get(), item.get()) != 0) throw PythonErrorSet();
  }

  GraphSurvey survey_;
  std::vector<std::pair<TensorObject*, std::size_t>> aliases_;
};

// Leaked: at the process's end there may be no interpreter any more to let go of objects.
std::unordered_map<TensorObject*, Ref>& mirror = *new std::unordered_map<TensorObject*, Ref>;

void raise_mirror() {
  const Survey survey;
  if (!survey.found_orphans()) return;
  mirror = survey.mirror();
  for (const auto& [object, part] : mirror) watch_alias(*object);
}

void take_mirror_down() noexcept {
  // Out of the table first: ending a part may end an alias, which looks itself up.
  const auto old = std::exchange(mirror, {});
  const auto ended = std::exchange(orphans, {});
  for (PyObject* const orphan : ended) Py_DECREF(orphan);
  for (const auto& [object, part] : old) stop_watching_alias(*object);
}

PyObject* on_collection(PyObject*, PyObject* arguments) noexcept {
  const char* phase;
  PyObject* about;
  if (!PyArg_ParseTuple(arguments, "sO!", &phase, &PyDict_Type, &about)) return nullptr;
  take_mirror_down();
  const Ref generation = Ref::borrow(PyDict_GetItemString(about, "generation"));
  const bool is_full =
      generation && PyLong_CheckExact(generation.get()) && PyLong_AsLong(generation.get()) == 2;
  const bool is_start = std::string_view(phase) == "start";
  // Somebody computes without the GIL: the graphs may change under our eyes.
  if (!is_full || !Exclusive::now()) Py_RETURN_NONE;
  try {
    if (is_start && (orphan_count() > 0 || PythonHeld::count() > 0)) raise_mirror();
    if (!is_start) end_cyclic_gradients();  // now that what Python held of them has gone
  } catch (...) {  // without memory for it the collector sees what it always sees
    PyErr_Clear();
    take_mirror_down();
  }
  Py_RETURN_NONE;
}

}  // namespace

bool start_graph_mirror() {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(orphan_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(orphan_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(orphan_clear)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "garboard._engine.GraphHooks", sizeof(Orphan), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  orphan_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  static PyMethodDef method = {"watch_graphs", on_collection, METH_VARARGS, nullptr};
  const Ref collector(PyImport_ImportModule("gc"));
  const Ref callbacks(collector ? PyObject_GetAttrString(collector.get(), "callbacks") : nullptr);
  const Ref listener(PyCFunction_New(&method, nullptr));
  return orphan_type && callbacks && listener &&
         PyList_Append(callbacks.get(), listener.get()) == 0;
}

int traverse_mirror(TensorObject& object, visitproc visit, void* arg) {
  if (mirror.empty()) return 0;
  if (const auto it = mirror.find(&object); it != mirror.end()) Py_VISIT(it->second.get());
  return 0;
}

void leave_mirror(TensorObject& object) noexcept {
  if (!mirror.empty()) mirror.erase(&object);
}

}  // namespace garboard::python
