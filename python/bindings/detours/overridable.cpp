#include "python/bindings/detours/overridable.h"

#include <structmember.h>

#include <cstddef>

#include "python/bindings/detours/overriding.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

struct Overridable {
  PyObject_HEAD vectorcallfunc call;
  PyObject* function;
  PyObject* attributes;
  PyObject* weak_references;
};

Overridable& at(PyObject* self) { return *reinterpret_cast<Overridable*>(self); }

PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t count,
                        PyObject* names) noexcept try {
  const Given given{nullptr, arguments, PyVectorcall_NARGS(count), names};
  if (PyObject* const result = overridden(self, given)) return result;
  return PyObject_Vectorcall(at(self).function, arguments, count, names);
} catch (...) {
  return raise_current();
}

PyObject* make_overridable(PyTypeObject* type, PyObject* arguments, PyObject* named) noexcept {
  PyObject* function;
  static const char* parameters[] = {"", nullptr};
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "O:_Overridable",
                                   const_cast<char**>(parameters), &function))
    return nullptr;
  if (!PyCallable_Check(function)) {
    PyErr_Format(PyExc_TypeError, "_Overridable: of type %s; a function is needed",
                 Py_TYPE(function)->tp_name);
    return nullptr;
  }
  PyObject* const self = type->tp_alloc(type, 0);
  if (!self) return nullptr;
  at(self).call = call_function;
  at(self).function = Py_NewRef(function);
  return self;
}

int traverse_overridable(PyObject* self, visitproc visit, void* arg) noexcept {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(at(self).function);
  Py_VISIT(at(self).attributes);
  return 0;
}

int drop_attributes(PyObject* self) noexcept {
  Py_CLEAR(at(self).attributes);
  return 0;  // the function stays, for whoever calls what is being collected
}

void end_overridable(PyObject* self) noexcept {
  PyTypeObject* const type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (at(self).weak_references) PyObject_ClearWeakRefs(self);
  Py_CLEAR(at(self).attributes);
  Py_CLEAR(at(self).function);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* repr_of_function(PyObject* self) noexcept { return PyObject_Repr(at(self).function); }

/// A function of a module, also where a class keeps it: inspection takes it for a routine.
PyObject* unbound(PyObject* self, PyObject*, PyObject*) noexcept { return Py_NewRef(self); }

PyObject* reduce_to_name(PyObject* self, PyObject*) noexcept {
  return PyObject_GetAttrString(self, "__qualname__");
}

}  // namespace

bool add_overridable(PyObject* module) {
  static PyMethodDef methods[] = {
      {"__reduce__", reduce_to_name, METH_NOARGS, "Pickles as its name, like a function."}, {}};
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(Overridable, call), READONLY},
      {"__dictoffset__", T_PYSSIZET, offsetof(Overridable, attributes), READONLY},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(Overridable, weak_references), READONLY},
      {}};
  static PyGetSetDef properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict},
                                     {}};
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(make_overridable)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse_overridable)},
      {Py_tp_clear, reinterpret_cast<void*>(drop_attributes)},
      {Py_tp_dealloc, reinterpret_cast<void*>(end_overridable)},
      {Py_tp_repr, reinterpret_cast<void*>(repr_of_function)},
      {Py_tp_descr_get, reinterpret_cast<void*>(unbound)},
      {Py_tp_methods, methods},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {Py_tp_doc, const_cast<char*>("A function whose calls classes and blocks take over.")},
      {}};
  static PyType_Spec spec{"garboard._engine._Overridable", sizeof(Overridable), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
                          slots};
  const Ref type(PyType_FromSpec(&spec));
  return type && PyModule_AddObjectRef(module, "_Overridable", type.get()) == 0;
}

}  // namespace garboard::python
