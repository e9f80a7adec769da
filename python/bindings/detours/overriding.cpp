#include "python/bindings/detours/overriding.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "python/bindings/context/scope_stack.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/detours/protocol.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

PyObject* declines = nullptr;       // `_disabled_torch_function_impl`; never ends
PyObject* protocol_name = nullptr;  // likewise
constinit thread_local bool is_off = false;
int all_takers = 0;  // on all threads; guarded by the GIL

/// The blocks that are open on a thread, the innermost last. Python's state of the thread owns
/// them: one that ends inside a block, or that another never leaves, ends them with it.
using Takers = std::vector<PyObject*>;
constinit thread_local Takers* takers = nullptr;

bool has_takers() noexcept { return takers && !takers->empty(); }

void end_takers(PyObject* capsule) noexcept {
  auto* const ended = static_cast<Takers*>(PyCapsule_GetPointer(capsule, protocol));
  if (takers == ended) takers = nullptr;
  all_takers -= static_cast<int>(ended->size());
  set_detour(Detour::blocks, all_takers > 0);
  for (PyObject* const block : *ended) Py_DECREF(block);
  delete ended;
}

/// Those of this thread, made where there are none yet.
Takers& own_takers() {
  if (takers) return *takers;
  auto made = std::make_unique<Takers>();
  const Ref capsule(checked(PyCapsule_New(made.get(), protocol, end_takers)));
  takers = made.release();
  PyObject* const of_thread = PyThreadState_GetDict();  // borrowed
  if (!of_thread || PyDict_SetItemString(of_thread, "garboard.takers", capsule.get()) < 0)
    throw PythonErrorSet();
  return *takers;
}

/// While it lives, nobody overrides the calls of this thread.
class Off {
 public:
  Off() : before_(std::exchange(is_off, true)) {}
  ~Off() { is_off = before_; }

 private:
  bool before_;
};

/// While it lives, the innermost block asks those around it.
class Inside {
 public:
  Inside() : block_(takers->back()) { takers->pop_back(); }
  ~Inside() { own_takers().push_back(Py_NewRef(block_.get())); }
  PyObject* get() const { return block_.get(); }

 private:
  Ref block_;
};

bool is_overriding(PyTypeObject* type) {
  const Ref method(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), protocol_name));
  if (!method) PyErr_Clear();
  return method && method.get() != declines;
}

Ref asked_of_block(PyObject* function, const Given& given) {
  const Inside block;
  const Ref method(checked(PyObject_GetAttrString(block.get(), protocol)));
  return asked_for(method.get(), Ref(checked(PyTuple_New(0))).get(), function, given);
}

bool is_one(PyObject* object) { return object && overrides(Py_TYPE(object)); }

bool has_one(PyObject* object, const char* op) {
  if (!object || !Items::can_read(object)) return is_one(object);
  const Items items(object, op, "an argument");
  for (Py_ssize_t i = 0; i < items.size(); ++i)
    if (is_one(items[i].get())) return true;
  return false;
}

bool has_one(const Given& given, const char* op) {
  if (std::string_view(op) == "tensor") return false;  // it copies elements, of whatever class
  if (is_one(given.self)) return true;
  for (Py_ssize_t i = 0; i < given.count + given.name_count(); ++i)
    if (has_one(given.arguments[i], op)) return true;
  return false;
}

/// What an operator knows what to do with; it leaves all else to the other operand.
bool is_operand(PyObject* object) {
  return is_tensor(object) || PyFloat_Check(object) || PyComplex_Check(object) ||
         PyIndex_Check(object);
}

PyObject* asked(const char* name, const Given& given) {
  if (is_off || (!has_takers() && !has_one(given, name))) return nullptr;
  const Ref function = function_named(name, given.self != nullptr);
  if (has_takers()) return asked_of_block(function.get(), given).release();
  const Ref types = types_to_ask(name, given, Asked::tensors_too);
  if (!types) return nullptr;  // a metaclass that answers otherwise the second time
  if (Ref result = ask(types.get(), function.get(), given); result) return result.release();
  throw_type_error("%s: each class that was asked declines; one that takes the call is needed",
                   name);
}

/// The elements with the class: of a list, a tuple or what is made of one.
Ref converted(PyObject* result, PyTypeObject* type) {
  if (is_tensor(result)) {
    if (PyObject_TypeCheck(result, type)) return Ref::borrow(result);
    return Ref(checked(wrap_as(type, tensor_of(result, protocol))));
  }
  if (!Items::can_read(result)) return Ref::borrow(result);
  const Items items(result, protocol, "the result");
  const Ref list(checked(PyList_New(0)));
  for (Py_ssize_t i = 0; i < items.size(); ++i)
    if (PyList_Append(list.get(), converted(items[i].get(), type).get()) < 0)
      throw PythonErrorSet();
  auto* const sequence = reinterpret_cast<PyObject*>(Py_TYPE(result));
  return Ref(checked(PyObject_CallOneArg(sequence, list.get())));
}

void push(PyObject* block) {
  own_takers().push_back(Py_NewRef(block));
  if (++all_takers == 1) set_detour(Detour::blocks, true);
}

/// Null where there is none: of a block that another thread began.
Ref pop() noexcept {
  if (!has_takers()) return Ref();
  Ref block(takers->back());
  takers->pop_back();
  if (--all_takers == 0) set_detour(Detour::blocks, false);
  return block;
}

PyObject* call_push(PyObject*, PyObject* block) noexcept try {
  push(block);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* call_pop(PyObject*, PyObject*) noexcept {
  Ref block = pop();
  return block ? block.release() : Py_NewRef(Py_None);
}

PyObject* enter(PyObject* self, PyObject*) noexcept try {
  push(self);
  return Py_NewRef(self);
} catch (...) {
  return raise_current();
}

PyObject* leave(PyObject*, PyObject*) noexcept {
  const Ref block = pop();
  Py_RETURN_NONE;
}

// Its ends are C, for Ctrl-C: see context/blocks.h.
bool add_block(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__enter__", enter, METH_NOARGS, "Take over the calls of this thread; returns the block."},
      {"__exit__", leave, METH_VARARGS, "End the innermost block."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("A block that takes over the calls of a thread.")},
      {}};
  static PyType_Spec spec{"garboard._engine._OverrideBlock", sizeof(PyObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "_OverrideBlock", type.get()) == 0;
}

PyObject* set_overriding(PyObject*, PyObject* given) noexcept {
  if (given == Py_None) return PyBool_FromLong(!is_off);
  const int is_on = PyObject_IsTrue(given);
  if (is_on < 0) return nullptr;
  return PyBool_FromLong(!std::exchange(is_off, !is_on));
}

/// What `__torch_function__` is given.
struct ProtocolCall {
  PyObject *function, *types, *args = nullptr, *kwargs = nullptr;

  ProtocolCall(PyObject* arguments, PyObject* named) {
    static const char* parameters[] = {"func", "types", "args", "kwargs", nullptr};
    if (!PyArg_ParseTupleAndKeywords(arguments, named, "OO|OO:__torch_function__",
                                     const_cast<char**>(parameters), &function, &types, &args,
                                     &kwargs))
      throw PythonErrorSet();
    if (kwargs == Py_None) kwargs = nullptr;
    if (kwargs && !PyDict_Check(kwargs))
      throw_type_error("__torch_function__: kwargs is of type %s; a dict is needed",
                       Py_TYPE(kwargs)->tp_name);
  }

  Ref given() const { return Ref(checked(args ? PySequence_Tuple(args) : PyTuple_New(0))); }
  /// No class takes over what it calls.
  Ref result_of(PyObject* given) const {
    const Off off;
    return Ref(checked(PyObject_Call(function, given, kwargs)));
  }
};

PyObject* call_as_it_is(PyObject*, PyObject* arguments, PyObject* named) noexcept try {
  const ProtocolCall call(arguments, named);
  return call.result_of(call.given().get()).release();
} catch (...) {
  return raise_current();
}

}  // namespace

bool overrides(PyTypeObject* type) {
  return !is_off && type != tensor_type && PyType_IsSubtype(type, tensor_type) &&
         is_overriding(type);
}

void note_subclass(PyTypeObject* type) noexcept {
  static bool is_noted = false;  // guarded by the GIL
  if (is_noted || !is_overriding(type)) return;
  is_noted = true;
  set_detour(Detour::classes, true);
}

PyObject* overridden(const char* name, const Given& given) {
  const std::string place = given.is_in_place ? std::string(name) + '_' : name;
  if (given.is_operator) {
    if (!is_operand(given.self) || !is_operand(given.arguments[0])) return nullptr;
    if (!is_tensor(given.self)) {
      PyObject* const both[] = {given.self, given.arguments[0]};
      return asked(name, {nullptr, both, 2});
    }
  }
  return asked(place.c_str(), given);
}

PyObject* overridden(PyObject* function, const Given& given) {
  if (is_off) return nullptr;
  if (has_takers()) return asked_of_block(function, given).release();
  const Ref types = types_to_ask(protocol, given, Asked::tensors_too);
  return types ? ask(types.get(), function, given).release() : nullptr;
}

PyObject* call_for_class(PyObject* cls, PyObject* arguments, PyObject* named) noexcept try {
  const ProtocolCall call(arguments, named);
  const Ref asked(checked(PySequence_Tuple(call.types)));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(asked.get()); ++i) {
    const int is_ours = PyObject_IsSubclass(cls, PyTuple_GET_ITEM(asked.get(), i));
    if (is_ours < 0) return nullptr;
    if (!is_ours) Py_RETURN_NOTIMPLEMENTED;
  }
  const Ref given = call.given();
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(given.get()); ++i)
    if (is_of_torch(Py_TYPE(PyTuple_GET_ITEM(given.get(), i)))) Py_RETURN_NOTIMPLEMENTED;
  const Ref result = call.result_of(given.get());
  const BirthStamp stamp;
  return converted(result.get(), reinterpret_cast<PyTypeObject*>(cls)).release();
} catch (...) {
  return raise_current();
}

bool add_overriding(PyObject* module) {
  static PyMethodDef functions[] = {
      {"_push_override", call_push, METH_O, "Have a block take over the calls of this thread."},
      {"_pop_override", call_pop, METH_NOARGS,
       "End the innermost block of that; returns it, or None."},
      {"_set_overriding", set_overriding, METH_O,
       "Say whether classes may take over calls on this thread; returns what was so before."},
      {"_disabled_torch_function_impl",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_as_it_is)),
       METH_VARARGS | METH_KEYWORDS, "Take nothing over: the protocol of what is a plain Tensor."},
      {}};
  if (PyModule_AddFunctions(module, functions) < 0 || !add_block(module)) return false;
  declines = PyObject_GetAttrString(module, "_disabled_torch_function_impl");
  protocol_name = PyUnicode_InternFromString(protocol);
  return declines && protocol_name;
}

}  // namespace garboard::python
