#include "python/bindings/types/module_call.h"

#include <algorithm>
#include <array>

#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

PyObject *forward_name, *forward_hooks_name, *forward_pre_hooks_name, *no_hooks_name;
PyObject *with_hooks_name, *no_hook_name, *getattribute_name;

/// What a class or a base of it has, borrowed; null where none has.
PyObject* of_type(PyObject* self, PyObject* name) noexcept {
  return _PyType_Lookup(Py_TYPE(self), name);
}

/// What the program has put on the object itself. Null with an exception set where there is no
/// memory for it.
Ref own_dict_of(PyObject* self) noexcept { return Ref(PyObject_GenericGetDict(self, nullptr)); }

bool has(const Ref& attributes, PyObject* name) noexcept {
  return PyDict_GetItem(attributes.get(), name) != nullptr;
}

/// Whether `forward` is all that a call runs: no table of hooks but the empty one of the class.
bool is_without_hooks(PyObject* self, const Ref& attributes) noexcept {
  PyObject* const none = of_type(self, no_hooks_name);
  return none && of_type(self, forward_hooks_name) == none &&
         of_type(self, forward_pre_hooks_name) == none && !has(attributes, forward_hooks_name) &&
         !has(attributes, forward_pre_hooks_name);
}

/// The `forward` of the class where it is a plain function that nothing hides, borrowed; or null.
PyObject* plain_forward(PyObject* self, const Ref& attributes) noexcept {
  PyObject* const found = of_type(self, forward_name);
  const bool is_plain =
      found && PyFunction_Check(found) && !has(attributes, forward_name) &&
      of_type(self, getattribute_name) == _PyType_Lookup(&PyBaseObject_Type, getattribute_name);
  return is_plain ? found : nullptr;
}

PyObject* call_plainly(PyObject* forward, PyObject* self, PyObject* args,
                       PyObject* named) noexcept {
  constexpr std::size_t most = 8;
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(args));
  if (count >= most) {
    const Ref bound(PyMethod_New(forward, self));
    return bound ? PyObject_Call(bound.get(), args, named) : nullptr;
  }
  std::array<PyObject*, most> given{self};
  for (std::size_t i = 0; i < count; ++i)
    given[i + 1] = PyTuple_GET_ITEM(args, static_cast<Py_ssize_t>(i));
  const Ref lasting = Ref::borrow(forward);  // the program may replace it meanwhile
  return PyObject_VectorcallDict(forward, given.data(), count + 1, named);
}

PyObject* call_module(PyObject* self, PyObject* args, PyObject* named) noexcept {
  const Ref attributes = own_dict_of(self);
  if (!attributes) return nullptr;
  if (!is_without_hooks(self, attributes)) {
    const Ref none(named ? nullptr : PyDict_New());
    if (!named && !none) return nullptr;
    return PyObject_CallMethodObjArgs(self, with_hooks_name, args, named ? named : none.get(),
                                      nullptr);
  }
  if (PyObject* const forward = plain_forward(self, attributes))
    return call_plainly(forward, self, args, named);
  const Ref forward(PyObject_GetAttr(self, forward_name));
  return forward ? PyObject_Call(forward.get(), args, named) : nullptr;
}

PyObject* is_called_plainly(PyObject* self, PyObject*) noexcept {
  const Ref attributes = own_dict_of(self);
  if (!attributes) return nullptr;
  if (has(attributes, forward_name)) Py_RETURN_FALSE;
  if (is_without_hooks(self, attributes)) Py_RETURN_TRUE;
  return PyObject_CallMethodNoArgs(self, no_hook_name);
}

}  // namespace

bool add_module_base(PyObject* module) {
  forward_name = PyUnicode_InternFromString("forward");
  forward_hooks_name = PyUnicode_InternFromString("_forward_hooks");
  forward_pre_hooks_name = PyUnicode_InternFromString("_forward_pre_hooks");
  no_hooks_name = PyUnicode_InternFromString("_no_hooks");
  with_hooks_name = PyUnicode_InternFromString("_call_with_hooks");
  no_hook_name = PyUnicode_InternFromString("_has_no_hook");
  getattribute_name = PyUnicode_InternFromString("__getattribute__");
  if (!forward_name || !forward_hooks_name || !forward_pre_hooks_name || !no_hooks_name ||
      !with_hooks_name || !no_hook_name || !getattribute_name)
    return false;
  static PyMethodDef methods[] = {
      {"_is_called_plainly", is_called_plainly, METH_NOARGS,
       "True where a call runs the class's `forward` and nothing else."},
      {}};
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void*>(&call_module)},
      {Py_tp_methods, methods},
      {Py_tp_doc, const_cast<char*>("What is called by its `forward`, between its hooks.")},
      {}};
  static PyType_Spec spec{"garboard._engine._ModuleBase", sizeof(PyObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  const Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "_ModuleBase", type.get()) == 0;
}

}  // namespace garboard::python
