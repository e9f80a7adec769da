// When the last alias of a tensor with hooks has gone, a graph holds them, and the collector cannot
// look into a graph. A mirror is made of parts: one for each tensor and node, holding those that it
// holds, and the hooks. It stands for nothing that anybody else has a share of, since what C++
// holds is alive: there the mirror ends, and the hooks behind it stay as they are.
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
#include "python/bindings/tensor/graph_node.h"
#include "python/bindings/tensor/python_held.h"

namespace garboard::python {
namespace {

/// Stands for a tensor or a node, and for the references that its hooks have of their anchor, or
/// its rule of its context. Where it has such, it holds itself until it is cleared, as garbage, or
/// the mirror is taken down: the collector clears those before it first, and would end it with
/// them.
struct Part {
  PyObject_HEAD std::vector<Ref> behind;
  Counted<GradientHooks> hooks;
  std::vector<Counted<Foreign>> foreign;
};
PyTypeObject* part_type = nullptr;
// All there are, and those that hold themselves. Leaked, as the mirror is.
std::unordered_set<PyObject*>& parts = *new std::unordered_set<PyObject*>;
std::unordered_set<PyObject*>& self_held = *new std::unordered_set<PyObject*>;

Part& part_of(PyObject* self) { return *reinterpret_cast<Part*>(self); }

int part_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (self_held.contains(self)) Py_VISIT(self);
  const Part& part = part_of(self);
  for (const Ref& next : part.behind) Py_VISIT(next.get());
  for (const Counted<Foreign>& it : part.foreign) {
    const auto* const held = dynamic_cast<const PythonHeld*>(it.get());
    if (const int stop = held ? held->visit(visit, arg) : 0) return stop;
  }
  // An alias that a finalizer has made meanwhile took the reference over.
  if (PyObject* const anchor = part.hooks ? orphaned_anchor(*part.hooks) : nullptr)
    Py_VISIT(anchor);
  return 0;
}

int part_clear(PyObject* self) {
  const auto behind = std::move(part_of(self).behind);
  const auto foreign = std::move(part_of(self).foreign);
  if (self_held.erase(self)) Py_DECREF(self);
  for (const Counted<Foreign>& it : foreign) {
    if (auto* const held = dynamic_cast<PythonHeld*>(it.get())) held->clear();
  }
  return 0;
}

void part_dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  parts.erase(self);
  Py_TRASHCAN_BEGIN(self, part_dealloc)  // a graph may be deep
      std::destroy_at(&part_of(self).behind);
  std::destroy_at(&part_of(self).hooks);
  std::destroy_at(&part_of(self).foreign);
  PyObject_GC_Del(self);
  Py_DECREF(type);
  Py_TRASHCAN_END
}

Ref new_part(GradientHooks* hooks, const std::vector<Foreign*>& foreign) {
  Part* const part = PyObject_GC_New(Part, part_type);
  if (!part) throw PythonErrorSet();
  new (&part->behind) std::vector<Ref>;
  new (&part->hooks) Counted<GradientHooks>(hooks);
  new (&part->foreign) std::vector<Counted<Foreign>>;
  Ref self(reinterpret_cast<PyObject*>(part));
  parts.insert(self.get());
  for (Foreign* const it : foreign) part->foreign.emplace_back(it);
  if (hooks || !foreign.empty()) {
    self_held.insert(self.get());
    Py_INCREF(self.get());
  }
  PyObject_GC_Track(self.get());
  return self;
}

/// The part that stands for what each object holds.
template <class Object>
using PartsOf = std::unordered_map<Object*, Ref>;
struct Mirror {
  PartsOf<TensorObject> of_aliases;
  PartsOf<const GraphNode> of_handles;
};

/// What Python's objects, aliases and handles of nodes, reach through graphs.
class Survey {
 public:
  Survey() {
    find_aliases();
    GraphNode::for_each([&](const GraphNode& handle) {
      handles_.emplace_back(&handle, survey_.meet(handle.node.get()));
    });
    for (const auto& [object, place] : aliases_) survey_.note_share(place);
    for (const auto& [handle, place] : handles_) survey_.note_share(place);
    survey_.run();
  }

  bool found_orphans() const {
    return std::ranges::any_of(
        things(), [](const Thing& it) { return orphans_of(it) || !foreign_of(it).empty(); });
  }

  /// The mirror's part of each object that has one.
  Mirror mirror() const {
    std::vector<Ref> made(things().size());
    for (std::size_t i = 0; i < things().size(); ++i) {
      if (!things()[i].is_kept)
        made[i] = new_part(orphans_of(things()[i]), foreign_of(things()[i]));
    }
    for (std::size_t i = 0; i < things().size(); ++i) {
      if (!made[i]) continue;
      for (const std::size_t next : things()[i].behind) {
        if (made[next]) part_of(made[i].get()).behind.push_back(Ref::borrow(made[next].get()));
      }
    }
    Mirror found;
    for (const auto& [object, place] : aliases_) {
      if (made[place]) found.of_aliases.emplace(object, Ref::borrow(made[place].get()));
    }
    for (const auto& [handle, place] : handles_) {
      if (made[place]) found.of_handles.emplace(handle, Ref::borrow(made[place].get()));
    }
    return found;
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

  GraphSurvey survey_;
  std::vector<std::pair<TensorObject*, std::size_t>> aliases_;
  std::vector<std::pair<const GraphNode*, std::size_t>> handles_;
};

// Leaked: at the process's end there may be no interpreter any more to let go of objects.
Mirror& mirror = *new Mirror;

template <class Object>
int traverse_part(const PartsOf<Object>& of_objects, Object* object, visitproc visit, void* arg) {
  if (of_objects.empty()) return 0;
  if (const auto it = of_objects.find(object); it != of_objects.end()) Py_VISIT(it->second.get());
  return 0;
}

template <class Object>
void leave(PartsOf<Object>& of_objects, Object* object) noexcept {
  if (of_objects.empty()) return;
  const auto node = of_objects.extract(object);
}

void raise_mirror() {
  const Survey survey;
  if (!survey.found_orphans()) return;
  mirror = survey.mirror();
  for (const auto& [object, part] : mirror.of_aliases) watch_alias(*object);
}

void take_mirror_down() noexcept {
  // Out of the tables first: ending a part may end an alias, which looks itself up.
  const auto old = std::exchange(mirror, {});
  // While all of them live: the parts may be the last that hold some.
  for (const auto& [object, part] : old.of_aliases) stop_watching_alias(*object);
  const auto held = std::exchange(self_held, {});
  // Parts may hold each other. One that stayed would stand for what the next mirror stands for,
  // too, and the collector would take off twice what is held once.
  while (!parts.empty()) {
    const Ref self = Ref::borrow(*parts.begin());
    parts.erase(self.get());
    const auto behind = std::exchange(part_of(self.get()).behind, {});
    const auto foreign = std::exchange(part_of(self.get()).foreign, {});
    const auto hooks = std::exchange(part_of(self.get()).hooks, {});
  }
  for (PyObject* const part : held) Py_DECREF(part);
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
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(part_dealloc)},
                                {Py_tp_traverse, reinterpret_cast<void*>(part_traverse)},
                                {Py_tp_clear, reinterpret_cast<void*>(part_clear)},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "garboard._engine.GraphHooks", sizeof(Part), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  part_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  static PyMethodDef method = {"watch_graphs", on_collection, METH_VARARGS, nullptr};
  const Ref collector(PyImport_ImportModule("gc"));
  const Ref callbacks(collector ? PyObject_GetAttrString(collector.get(), "callbacks") : nullptr);
  const Ref listener(PyCFunction_New(&method, nullptr));
  return part_type && callbacks && listener && PyList_Append(callbacks.get(), listener.get()) == 0;
}

int traverse_mirror(TensorObject& object, visitproc visit, void* arg) {
  return traverse_part(mirror.of_aliases, &object, visit, arg);
}

int traverse_mirror(const GraphNode& handle, visitproc visit, void* arg) {
  return traverse_part(mirror.of_handles, &handle, visit, arg);
}

void leave_mirror(TensorObject& object) noexcept { leave(mirror.of_aliases, &object); }

void leave_mirror(const GraphNode& handle) noexcept { leave(mirror.of_handles, &handle); }

}  // namespace garboard::python
