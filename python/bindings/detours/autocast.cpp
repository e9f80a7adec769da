#include "python/bindings/detours/autocast.h"

#include <utility>

#include "python/bindings/detours/detours.h"
#include "python/bindings/interpreter/errors.h"

namespace garboard::python {
namespace {

// Guarded by the GIL. Both are there, or neither: what an op wants by its name, and who is asked.
PyObject* wants = nullptr;
PyObject* recasts = nullptr;

PyObject* call_set_autocast(PyObject*, PyObject* const* given, Py_ssize_t count) noexcept try {
  if (count != 2) throw_type_error("_set_autocast: %zd arguments; 2 are needed", count);
  const bool is_on = given[0] != Py_None;
  if (is_on && !PyDict_Check(given[0]))
    throw_type_error("_set_autocast: the table is of type %s; a dict or None is needed",
                     Py_TYPE(given[0])->tp_name);
  set_detour(Detour::autocast, is_on);
  const Ref last_table(std::exchange(wants, is_on ? Py_NewRef(given[0]) : nullptr));
  const Ref last_function(std::exchange(recasts, is_on ? Py_NewRef(given[1]) : nullptr));
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

/// Whether a result is to be written where the caller says, as it is then.
bool has_out(const Given& given) {
  const Py_ssize_t count = given.names ? PyTuple_GET_SIZE(given.names) : 0;
  for (Py_ssize_t i = 0; i < count; ++i)
    if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(given.names, i), "out") == 0)
      return given.arguments[given.count + i] != Py_None;
  return false;
}

}  // namespace

Recast::Recast(const char* name, const Given& given) : given_(given) {
  if (!wants || has_out(given)) return;
  const Ref table = Ref::borrow(wants), function = Ref::borrow(recasts);
  const Ref key(checked(PyUnicode_FromString(name)));
  PyObject* const want = PyDict_GetItemWithError(table.get(), key.get());
  if (!want) {
    if (PyErr_Occurred()) throw PythonErrorSet();
    return;
  }
  const Py_ssize_t before = given.self ? 1 : 0;
  const Py_ssize_t count = given.count + (given.names ? PyTuple_GET_SIZE(given.names) : 0);
  Ref call(checked(PyTuple_New(1 + before + count)));
  PyTuple_SET_ITEM(call.get(), 0, Py_NewRef(want));
  if (before) PyTuple_SET_ITEM(call.get(), 1, Py_NewRef(given.self));
  for (Py_ssize_t i = 0; i < count; ++i)
    PyTuple_SET_ITEM(call.get(), 1 + before + i, Py_NewRef(given.arguments[i]));
  held_ = Ref(checked(PyObject_CallObject(function.get(), call.get())));
  if (held_.get() == Py_None) return;
  if (!PyTuple_Check(held_.get()) || PyTuple_GET_SIZE(held_.get()) != before + count)
    throw_type_error("autocast: %s recast to what is of type %s; as many arguments are needed",
                     name, Py_TYPE(held_.get())->tp_name);
  for (Py_ssize_t i = 0; i < count; ++i)
    arguments_.push_back(PyTuple_GET_ITEM(held_.get(), before + i));
  if (before) given_.self = PyTuple_GET_ITEM(held_.get(), 0);
  given_.arguments = arguments_.data();
}

bool add_autocast(PyObject* module) {
  static PyMethodDef functions[] = {
      {"_set_autocast",
       reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call_set_autocast)),
       METH_FASTCALL,
       "Have the arguments of ops in a table, by name, recast by a function of what the table says "
       "and of them; it returns as many, or None. No table: no longer."},
      {}};
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace garboard::python
