#include "python/bindings/detours/protocol.h"

#include <string_view>

#include "python/bindings/detours/overriding.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

bool is_plain(PyObject* object, Asked whom) {
  if (!object || object == Py_None || PyLong_Check(object) || PyFloat_Check(object) ||
      PyUnicode_Check(object))
    return true;
  return is_tensor(object) && (whom == Asked::others || !overrides(Py_TYPE(object)));
}

/// Adds the type of `object` where it takes calls over and is not there yet: before the first one
/// that it is made of.
void add_type(Ref& types, PyObject* object, Asked whom) {
  if (is_plain(object, whom)) return;
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (!has_attribute(type, protocol) || is_of_torch(Py_TYPE(object))) return;
  if (!types) types = Ref(checked(PyList_New(0)));
  const Items there(types.get(), protocol, "the types");
  Py_ssize_t place = 0;
  for (bool is_before = false; place < there.size() && !is_before; place += !is_before) {
    const Ref other = there[place];
    if (other.get() == type) return;
    is_before = PyType_IsSubtype(Py_TYPE(object), reinterpret_cast<PyTypeObject*>(other.get()));
  }
  if (PyList_Insert(types.get(), place, type) < 0) throw PythonErrorSet();
}

void add_types(Ref& types, PyObject* object, const char* op, Asked whom) {
  if (!object || !Items::can_read(object)) return add_type(types, object, whom);
  const Items items(object, op, "an argument");
  for (Py_ssize_t i = 0; i < items.size(); ++i) add_type(types, items[i].get(), whom);
}

}  // namespace

bool is_of_torch(PyTypeObject* type) {
  PyObject* const bases = type->tp_mro;
  for (Py_ssize_t i = 0; bases && i < PyTuple_GET_SIZE(bases); ++i) {
    auto* const base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(bases, i));
    if (std::string_view(base->tp_name) == "torch.Tensor") return true;
    if (std::string_view(base->tp_name) != "Tensor" || base == tensor_type) continue;
    const Ref home(PyObject_GetAttrString(reinterpret_cast<PyObject*>(base), "__module__"));
    if (!home) PyErr_Clear();
    if (home && PyUnicode_Check(home.get()) &&
        PyUnicode_CompareWithASCIIString(home.get(), "torch") == 0)
      return true;
  }
  return false;
}

Ref function_named(const char* name, bool is_method) {
  static constexpr const char* homes[] = {"garboard", "garboard.nn.functional", "garboard._engine"};
  if (!is_method) {
    for (const char* home : homes) {
      PyObject* const module = PyImport_GetModule(Ref(PyUnicode_FromString(home)).get());
      if (!module) continue;
      const Ref owner(module);
      if (Ref found(PyObject_GetAttrString(module, name)); found) return found;
      PyErr_Clear();
    }
  }
  Ref found(checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_type), name)));
  if (Py_TYPE(found.get()) != &PyGetSetDescr_Type) return found;
  return Ref(checked(PyObject_GetAttrString(found.get(), "__get__")));
}

Ref types_to_ask(const char* name, const Given& given, Asked whom) {
  Ref types;
  if (given.self) add_type(types, given.self, whom);
  for (Py_ssize_t i = 0; i < given.count + given.name_count(); ++i)
    add_types(types, given.arguments[i], name, whom);
  return types ? Ref(checked(PyList_AsTuple(types.get()))) : Ref();
}

Ref asked_for(PyObject* method, PyObject* types, PyObject* function, const Given& given) {
  const Py_ssize_t first = given.self ? 1 : 0;
  const Ref arguments(checked(PyTuple_New(first + given.count)));
  if (given.self) PyTuple_SET_ITEM(arguments.get(), 0, Py_NewRef(given.self));
  for (Py_ssize_t i = 0; i < given.count; ++i)
    PyTuple_SET_ITEM(arguments.get(), first + i, Py_NewRef(given.arguments[i]));
  const Ref named(checked(PyDict_New()));
  for (Py_ssize_t i = 0; i < given.name_count(); ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(given.names, i),
                       given.arguments[given.count + i]) < 0)
      throw PythonErrorSet();
  return Ref(checked(PyObject_CallFunctionObjArgs(method, function, types, arguments.get(),
                                                  named.get(), nullptr)));
}

Ref ask(PyObject* types, PyObject* function, const Given& given) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(types); ++i) {
    const Ref method(checked(PyObject_GetAttrString(PyTuple_GET_ITEM(types, i), protocol)));
    Ref result = asked_for(method.get(), types, function, given);
    if (result.get() != Py_NotImplemented) return result;
  }
  return {};
}

}  // namespace garboard::python
