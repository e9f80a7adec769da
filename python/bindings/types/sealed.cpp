#include "python/bindings/types/sealed.h"

#include <algorithm>
#include <vector>

#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

PyTypeObject* root = nullptr;  // which all that pybind11 makes inherits from
newfunc pybind_new = nullptr;

/// Which are sealed, by their address: they live as long as the process.
std::vector<PyTypeObject*>& sealed_types() {
  static auto* const types = new std::vector<PyTypeObject*>;  // never destroyed
  return *types;
}

// pybind11 throws, through Python's own frames, where the root itself is asked for an object, as
// `copyreg` does for the old protocols of pickle. What other modules made of the root is as ever.
PyObject* new_of_root(PyTypeObject* type, PyObject* arguments, PyObject* names) {
  if (type != root && std::ranges::count(sealed_types(), type) == 0)
    return pybind_new(type, arguments, names);
  PyErr_Format(PyExc_TypeError,
               "%s: __new__ alone, or an old protocol of pickle; the engine makes such objects, "
               "and they are not pickled",
               type->tp_name);
  return nullptr;
}

// A function of its own: where it were the root's, `__new__` of the root would take the type.
PyObject* new_by_call(PyTypeObject* type, PyObject* arguments, PyObject* names) {
  return pybind_new(type, arguments, names);
}

}  // namespace

bool seal_types(PyObject* module, PyTypeObject* open) {
  root = open->tp_base;
  pybind_new = root->tp_new;
  root->tp_new = new_of_root;
  root->tp_flags &= ~Py_TPFLAGS_BASETYPE;  // what inherits from it in Python has nothing to hold
  PyType_Modified(root);
  const Ref values(PyDict_Values(PyModule_GetDict(module)));
  if (!values) return false;
  const Items items(values.get(), "import", "the module");
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const Ref value = items[i];
    if (!PyType_Check(value.get())) continue;
    auto* const type = reinterpret_cast<PyTypeObject*>(value.get());
    if (type->tp_base != root) continue;
    type->tp_new = new_by_call;
    type->tp_flags &= ~Py_TPFLAGS_BASETYPE;
    if (type != open) type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
    PyType_Modified(type);
    sealed_types().push_back(type);
  }
  return true;
}

}  // namespace garboard::python
