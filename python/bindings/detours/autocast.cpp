#include "python/bindings/detours/autocast.h"

#include <utility>

#include "python/bindings/context/blocks.h"
#include "python/bindings/detours/detours.h"
#include "python/bindings/interpreter/errors.h"

namespace garboard::python {
namespace {

// Guarded by the GIL. Both are there, or neither: what an op wants by its name, and who is asked.
PyObject* wants = nullptr;
PyObject* recasts = nullptr;
Py_ssize_t open_count = 0;  // of blocks, in all contexts

void note_blocks(int more) noexcept {
  if (open_count == 0 && more < 0) return;
  open_count += more;
  set_detour(Detour::autocast, open_count > 0);
}

PyObject* call_set_autocast(PyObject*, PyObject* const* given, Py_ssize_t number) noexcept try {
  if (number != 3) throw_type_error("_set_autocast: %zd arguments; 3 are needed", number);
  if (!PyDict_Check(given[0]))
    throw_type_error("_set_autocast: the table is of type %s; a dict is needed",
                     Py_TYPE(given[0])->tp_name);
  set_detour(Detour::autocast, false);
  open_count = 0;
  const Ref last_table(std::exchange(wants, Py_NewRef(given[0])));
  const Ref last_function(std::exchange(recasts, Py_NewRef(given[1])));
  watch_stack(given[2], note_blocks);
  Py_RETURN_NONE;
} catch (...) {
  return raise_current();
}

PyObject* call_autocast_count(PyObject*, PyObject*) noexcept {
  return PyLong_FromSsize_t(open_count);
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
  if (open_count == 0 || has_out(given)) return;
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
       "and of them, while the stack of a context variable has entries; it returns as many, or "
       "None."},
      {"_autocast_count", call_autocast_count, METH_NOARGS,
       "How many entries there are, in all contexts."},
      {}};
  return PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace garboard::python
