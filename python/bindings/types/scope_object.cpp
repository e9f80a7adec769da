// Entering and leaving a scope costs what these few C functions cost, hence no pybind11 here. What
// walks nests of containers, decorates functions or formats stands in garboard/_scopes.py.
#include "python/bindings/types/scope_object.h"

#include <cstdint>

#include <structmember.h>

// Our objects hold C++ members, which offsetof is only conditionally made for; GCC supports it.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "csrc/core/bytes.h"
#include "csrc/core/error.h"
#include "csrc/lifetime/disposable.h"
#include "csrc/lifetime/registry.h"
#include "python/bindings/call/arguments.h"
#include "python/bindings/call/methods.h"
#include "python/bindings/context/blocks.h"
#include "python/bindings/context/generator_scopes.h"
#include "python/bindings/context/scope_stack.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/fast_function.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/unicode.h"
#include "python/bindings/tensor/packed_sequence.h"
#include "python/bindings/tensor/tensor_object.h"
#include "python/bindings/types/scope_docs.h"

namespace garboard::python {
namespace {

struct ScopeObject {
  PyObject_HEAD PyObject* weak_references;
  PyObject* name;               // a string, or None
  std::int64_t limit_bytes;     // negative: none
  Counted<DisposeScope> scope;  // null until it is opened
  bool was_entered;
};
PyTypeObject* scope_type = nullptr;

ScopeObject& of(PyObject* self) { return *reinterpret_cast<ScopeObject*>(self); }

PyObject* new_object(PyTypeObject* type, PyObject* name, std::int64_t limit_bytes) noexcept {
  auto* const self = reinterpret_cast<ScopeObject*>(type->tp_alloc(type, 0));
  if (!self) return nullptr;
  self->name = Py_NewRef(name);
  self->limit_bytes = limit_bytes;
  new (&self->scope) Counted<DisposeScope>;
  return reinterpret_cast<PyObject*>(self);
}

PyObject* close(PyObject* self) noexcept;

void dealloc(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  if (of(self).was_entered && ends_by_interrupt()) Py_DECREF(close(self));
  if (of(self).weak_references) PyObject_ClearWeakRefs(self);
  of(self).scope.~Counted();
  Py_CLEAR(of(self).name);
  type->tp_free(self);
  Py_DECREF(type);
}

std::int64_t bytes_from(PyObject* limit) {
  if (limit == Py_None) return -1;
  if (PyUnicode_Check(limit))
    return static_cast<std::int64_t>(
        parse_bytes(to_text(limit, "dispose_scope", "limit"), "dispose_scope: limit"));
  const std::int64_t bytes = to_integer(limit, "dispose_scope", "limit");
  if (bytes < 0)
    throw ShapeError(text("dispose_scope: limit ", bytes, "; it must not be negative"));
  return bytes;
}

/// `@dispose_scope` without a call gives the function in the place of the name. A module can be
/// called too, but nobody decorates one.
bool is_decorated(PyObject* name) {
  return PyCallable_Check(name) && !PyType_Check(name) && !has_attribute(name, "_scope_members");
}

PyObject* scope_new(PyTypeObject* type, PyObject* arguments, PyObject* names) noexcept try {
  static const char* keywords[] = {"name", "limit", nullptr};
  PyObject *name = Py_None, *limit = Py_None;
  if (!PyArg_ParseTupleAndKeywords(arguments, names, "|O$O:dispose_scope",
                                   const_cast<char**>(keywords), &name, &limit))
    return nullptr;
  if (is_decorated(name)) {
    const Ref scope(checked(new_object(type, Py_None, bytes_from(limit))));
    return PyObject_CallOneArg(scope.get(), name);
  }
  if (name != Py_None && !PyUnicode_Check(name))
    throw_type_error(
        "dispose_scope: name is of type %s; a string, a function to decorate, or None is needed",
        Py_TYPE(name)->tp_name);
  // Exact: a subclass may say something else when it is shown.
  const Ref text(name == Py_None ? Py_NewRef(name) : checked(PyUnicode_FromObject(name)));
  return new_object(type, text.get(), bytes_from(limit));
} catch (...) {
  return raise_current();
}

/// `DisposeScope("step")` without building a tuple: the usual call.
PyObject* make_fast(PyObject* type, PyObject* const* given, std::size_t flagged,
                    PyObject* names) noexcept try {
  const Py_ssize_t count = PyVectorcall_NARGS(flagged);
  if (!names && count <= 1 && (count == 0 || given[0] == Py_None || PyUnicode_CheckExact(given[0])))
    return new_object(reinterpret_cast<PyTypeObject*>(type), count ? given[0] : Py_None, -1);
  const Ref tuple(checked(PyTuple_New(count)));
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(tuple.get(), i, Py_NewRef(given[i]));
  const Ref dict(checked(PyDict_New()));
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    if (PyDict_SetItem(dict.get(), PyTuple_GET_ITEM(names, i), given[count + i]) < 0)
      return nullptr;
  }
  return scope_new(reinterpret_cast<PyTypeObject*>(type), tuple.get(), dict.get());
} catch (...) {
  return raise_current();
}

PyObject* enter(PyObject* self, PyObject*) noexcept try {
  ScopeObject& object = of(self);
  if (object.scope)
    throw Error("dispose_scope: this scope was opened before; make a new one for each with");
  const std::string_view name =
      object.name == Py_None ? "" : to_text(object.name, "dispose_scope", "name");
  Counted<DisposeScope> scope(
      new DisposeScope(std::string(name), Counted<DisposeScope>(current_scope()),
                       object.limit_bytes < 0 ? std::nullopt : std::optional(object.limit_bytes)));
  observe_if_a_generator_opens(*scope);
  if (!push_scope(scope.get())) return nullptr;
  object.scope = std::move(scope);
  object.was_entered = true;
  return Py_NewRef(self);
} catch (...) {
  return raise_current();
}

// Shares are dropped here, and with them Python hooks that may raise: an exception on its way
// through the block must survive that.
PyObject* close(PyObject* self) noexcept {
  if (!of(self).scope) return Py_NewRef(Py_None);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const Counted<DisposeScope> scope = of(self).scope;
  scope->dispose();
  forget_closed_scopes();
  PyErr_Restore(type, value, traceback);
  Py_RETURN_NONE;
}
PyObject* leave(PyObject* self, PyObject* const*, Py_ssize_t) noexcept { return close(self); }
PyObject* dispose(PyObject* self, PyObject*) noexcept { return close(self); }

DisposeScope& opened(PyObject* self, const char* op) {
  DisposeScope* const scope = of(self).scope.get();
  if (!scope)
    throw Error(text(op, ": a scope that was never opened; use it in a with statement first"));
  return *scope;
}

/// What a call gave, back to it: the one thing, or the tuple of them.
PyObject* given_back(PyObject* const* given, Py_ssize_t count) {
  if (count == 1) return Py_NewRef(given[0]);
  PyObject* const tuple = checked(PyTuple_New(count));
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SET_ITEM(tuple, i, Py_NewRef(given[i]));
  return tuple;
}

/// A function of garboard/_scopes.py, which walks what is no tensor. Imported on first use.
PyObject* walker(const char* name) {
  const Ref module(checked(PyImport_ImportModule("garboard._scopes")));
  return checked(PyObject_GetAttrString(module.get(), name));
}

/// The same method for the tensors of modules, optimizers and nests.
PyObject* for_nests(PyObject* self, const char* op, PyObject* other, PyObject* const* given,
                    Py_ssize_t count) {
  const Ref walk(walker("act_on_nests"));
  const Ref name(checked(PyUnicode_FromString(op)));
  std::vector<PyObject*> arguments{self, name.get(), other};
  arguments.insert(arguments.end(), given, given + count);
  return checked(PyObject_Vectorcall(walk.get(), arguments.data(), arguments.size(), nullptr));
}

bool are_disposables(PyObject* const* given, Py_ssize_t count) {
  return std::all_of(given, given + count, disposable_of);
}

template <class Act>
PyObject* for_each(PyObject* self, PyObject* const* given, Py_ssize_t count, const char* op,
                   Act&& act, PyObject* other = Py_None) noexcept try {
  DisposeScope& scope = opened(self, op);
  if (!are_disposables(given, count)) return for_nests(self, op, other, given, count);
  const BirthStamp stamp;                   // the line of this call is where they were moved
  for (Py_ssize_t i = 0; i < count; ++i) {  // all, before any is touched
    if (disposable_of(given[i])->is_disposed())
      living_disposable(given[i], text("scope.", op).c_str(), "an argument");
  }
  for (Py_ssize_t i = 0; i < count; ++i) act(scope, *disposable_of(given[i]));
  return given_back(given, count);
} catch (...) {
  return raise_current();
}

PyObject* move_to_outer(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept {
  return for_each(self, given, count, "move_to_outer",
                  [](DisposeScope& scope, Disposable& it) { scope.move_to_outer(it); });
}
PyObject* detach(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept {
  return for_each(self, given, count, "detach",
                  [](DisposeScope& scope, Disposable& it) { scope.detach(it); });
}
PyObject* attach(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept {
  return for_each(self, given, count, "attach", [](DisposeScope& scope, Disposable& it) {
    if (scope.is_closed()) throw Error("attach: a closed scope; it would end nothing any more");
    scope.attach(it);
  });
}
PyObject* move_to_other(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count < 1 || !PyObject_TypeCheck(given[0], scope_type))
    throw_type_error("move_to_other: the first argument must be the other DisposeScope");
  DisposeScope& other = opened(given[0], "move_to_other");
  if (other.is_closed())
    throw Error("move_to_other: a closed scope; it would end nothing any more");
  return for_each(
      self, given + 1, count - 1, "move_to_other",
      [&](DisposeScope& scope, Disposable& it) { scope.move_to(other, it); }, given[0]);
} catch (...) {
  return raise_current();
}

PyObject* dispose_everything(PyObject* self, PyObject*) noexcept try {
  opened(self, "dispose_everything").dispose_everything();
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}
PyObject* dispose_everything_but(PyObject* self, PyObject* const* given, Py_ssize_t count) noexcept
    try {
  DisposeScope& scope = opened(self, "dispose_everything_but");
  if (!are_disposables(given, count))
    return for_nests(self, "dispose_everything_but", Py_None, given, count);
  const BirthStamp stamp;
  std::vector<Disposable*> keep;
  for (Py_ssize_t i = 0; i < count; ++i) keep.push_back(disposable_of(given[i]));
  scope.dispose_everything_but(keep);
  return given_back(given, count);
} catch (...) {
  return raise_current();
}

PyObject* get_disposables(PyObject* self, void*) noexcept try {
  std::vector<Ref> all;  // references first: making the tuple may collect garbage
  if (of(self).scope) {
    for (const Disposable* const member : of(self).scope->members()) {
      if (PyObject* const object = object_of(*member)) all.emplace_back(object);
    }
  }
  PyObject* const tuple = checked(PyTuple_New(static_cast<Py_ssize_t>(all.size())));
  for (std::size_t i = 0; i < all.size(); ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), all[i].release());
  return tuple;
} catch (...) {
  return raise_current();
}

Py_ssize_t scope_length(PyObject* self) noexcept {
  return of(self).scope ? of(self).scope->size() : 0;
}
int contains(PyObject* self, PyObject* object) noexcept try {
  const auto& scope = of(self).scope;
  if (!scope) return 0;
  if (const Disposable* const one = disposable_of(object)) return one->scope() == scope.get();
  const Ref holds(walker("holds"));
  const Ref answer(checked(PyObject_CallFunctionObjArgs(holds.get(), self, object, nullptr)));
  return answer.get() == Py_True;
} catch (...) {
  raise_current();
  return -1;
}
int is_true(PyObject*) noexcept { return 1; }  // an empty scope is a scope

PyObject* get_name(PyObject* self, void*) { return Py_NewRef(of(self).name); }
PyObject* get_is_disposed(PyObject* self, void*) {
  return PyBool_FromLong(of(self).scope && of(self).scope->is_closed());
}
PyObject* get_is_open(PyObject* self, void*) {
  return PyBool_FromLong(of(self).scope && !of(self).scope->is_closed());
}
PyObject* get_limit(PyObject* self, void*) {
  if (of(self).limit_bytes < 0) Py_RETURN_NONE;
  return PyLong_FromLongLong(of(self).limit_bytes);
}
PyObject* get_outer(PyObject* self, void*) {
  return scope_object(of(self).scope ? of(self).scope->outer() : nullptr);
}

/// `{"cpu": 1024}`: the devices that ever had bytes here, the CPU always.
PyObject* bytes_by_device(const std::array<std::int64_t, max_devices>& bytes,
                          const std::array<std::int64_t, max_devices>& ever) {
  Ref dict(checked(PyDict_New()));
  for (int slot = 0; slot < max_devices; ++slot) {
    const auto at = static_cast<std::size_t>(slot);
    if (slot != 0 && ever[at] == 0) continue;
    const Ref number(checked(PyLong_FromLongLong(bytes[at])));
    if (PyDict_SetItemString(dict.get(), text(Device::at_slot(slot)).c_str(), number.get()) < 0)
      throw PythonErrorSet();
  }
  return dict.release();
}
PyObject* get_live_bytes(PyObject* self, void*) noexcept try {
  const ScopeLedger ledger = of(self).scope ? of(self).scope->bytes() : ScopeLedger{};
  return bytes_by_device(ledger.live_bytes, ledger.peak_bytes);
} catch (...) {
  return raise_current();
}
PyObject* get_peak_bytes(PyObject* self, void*) noexcept try {
  const ScopeLedger ledger = of(self).scope ? of(self).scope->bytes() : ScopeLedger{};
  return bytes_by_device(ledger.peak_bytes, ledger.peak_bytes);
} catch (...) {
  return raise_current();
}

/// The serials of the storages that an open scope's `live_bytes` counts, oldest first.
PyObject* get_births(PyObject* self, void*) noexcept try {
  std::vector<std::uint64_t> found;
  const auto& scope = of(self).scope;
  if (scope && !scope->is_closed()) {
    found.reserve(static_cast<std::size_t>(registry().live().storages) + 256);
    registry().for_each_storage([&, own = scope->open_ledger()](const StorageRecord& it) {
      const ScopeLedger* at = it.ledger;
      while (at && at != own) at = at->outer;
      if (at && found.size() < found.capacity()) found.push_back(it.serial);
    });
  }
  Ref list(checked(PyList_New(static_cast<Py_ssize_t>(found.size()))));
  for (std::size_t i = 0; i < found.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                    checked(PyLong_FromUnsignedLongLong(found[i])));
  return list.release();
} catch (...) {
  return raise_current();
}

PyObject* scope_repr(PyObject* self) {
  const auto& scope = of(self).scope;
  const char* const state = !scope ? "not open" : scope->is_closed() ? "disposed" : "open";
  return PyUnicode_FromFormat("DisposeScope(name=%R, %s, %zd disposables)", of(self).name, state,
                              scope_length(self));
}

template <class Function>
PyCFunction fast(Function* function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
}

}  // namespace

PyObject* scope_object(DisposeScope* scope) noexcept {
  if (!scope) Py_RETURN_NONE;
  const Counted<DisposeScope> share(scope);
  const Ref name(scope->name().empty()
                     ? Py_NewRef(Py_None)
                     : PyUnicode_FromStringAndSize(scope->name().data(),
                                                   static_cast<Py_ssize_t>(scope->name().size())));
  if (!name) return nullptr;
  PyObject* const object = new_object(scope_type, name.get(), -1);
  if (object) of(object).scope = share;
  return object;
}

namespace {
PyObject* scope_compare(PyObject* a, PyObject* b, int op) {
  if (!PyObject_TypeCheck(b, scope_type) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  const bool same = a == b || (of(a).scope && of(a).scope == of(b).scope);
  return PyBool_FromLong(same == (op == Py_EQ));
}
Py_hash_t hash(PyObject* self) {
  const void* const key = of(self).scope ? static_cast<const void*>(of(self).scope.get()) : self;
  return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(key) >> 4);  // never -1
}
}  // namespace

bool add_scope_type(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", enter, METH_NOARGS, "Open the scope: what is made from now on belongs to it."},
      {"__exit__", fast(leave), METH_FASTCALL, "Dispose what is in the scope, and close it."},
      {"move_to_outer", fast(move_to_outer), METH_FASTCALL, docs::move_to_outer},
      {"move_to_other", fast(move_to_other), METH_FASTCALL, docs::move_to_other},
      {"detach", fast(detach), METH_FASTCALL, docs::detach},
      {"attach", fast(attach), METH_FASTCALL, docs::attach},
      {"dispose_everything", dispose_everything, METH_NOARGS, docs::dispose_everything},
      {"dispose_everything_but", fast(dispose_everything_but), METH_FASTCALL,
       docs::dispose_everything_but},
      {"dispose", dispose, METH_NOARGS, docs::dispose},
      {}};
  static PyGetSetDef properties[] = {
      {"name", get_name, nullptr, "The name it was given, or None.", nullptr},
      {"is_disposed", get_is_disposed, nullptr, "True once the scope has closed.", nullptr},
      {"is_open", get_is_open, nullptr, "True between opening and closing the scope.", nullptr},
      {"_limit", get_limit, nullptr, "The budget in bytes, or None.", nullptr},
      {"outer", get_outer, nullptr, "The nearest open scope around this one, or None.", nullptr},
      {"disposables", get_disposables, nullptr,
       "The members now, oldest first: a tuple of tensors and packed sequences.", nullptr},
      {"live_bytes", get_live_bytes, nullptr,
       "The bytes of the storages born inside that still live, by the device's name; once closed, "
       "those at the close.",
       nullptr},
      {"peak_bytes", get_peak_bytes, nullptr,
       "The most bytes that lived at once, by the device's name.", nullptr},
      {"_births", get_births, nullptr,
       "The serials of the storages in `live_bytes`, oldest first; none once closed.", nullptr},
      {}};
  static PyMemberDef members[] = {
      {"__weaklistoffset__", T_PYSSIZET, offsetof(ScopeObject, weak_references), READONLY, nullptr},
      {}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, slot(dealloc)},
                                {Py_tp_new, slot(scope_new)},
                                {Py_tp_repr, slot(scope_repr)},
                                {Py_tp_hash, slot(hash)},
                                {Py_tp_richcompare, slot(scope_compare)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, properties},
                                {Py_tp_members, members},
                                {Py_sq_length, slot(scope_length)},
                                {Py_sq_contains, slot(contains)},
                                {Py_nb_bool, slot(is_true)},
                                {Py_tp_doc, const_cast<char*>(docs::dispose_scope)},
                                {0, nullptr}};
  static PyType_Spec spec = {"garboard.DisposeScope", sizeof(ScopeObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  scope_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!scope_type) return false;
  scope_type->tp_vectorcall = make_fast;
  return PyModule_AddObjectRef(module, "DisposeScope", reinterpret_cast<PyObject*>(scope_type)) ==
         0;
}

}  // namespace garboard::python
