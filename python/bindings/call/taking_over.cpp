#include "python/bindings/call/taking_over.h"

#include "python/bindings/call/older_order.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/tensor/tensor_object.h"

namespace garboard::python {
namespace {

constexpr const char* protocol = "__torch_function__";

bool is_plain(PyObject* object) {
  return !object || object == Py_None || is_tensor(object) || PyLong_Check(object) ||
         PyFloat_Check(object) || PyUnicode_Check(object);
}

/// Adds the type of `object` where it takes calls over and is not there yet.
void add_type(PyObject* types, PyObject* object) {
  if (is_plain(object)) return;
  PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(object));
  if (!PyObject_HasAttrString(type, protocol)) return;
  const int is_there = PySequence_Contains(types, type);
  if (is_there < 0 || (!is_there && PyList_Append(types, type) < 0)) throw PythonErrorSet();
}

void add_types(PyObject* types, PyObject* object, const char* op) {
  if (!object || !Items::can_read(object)) return add_type(types, object);
  const Items items(object, op, "an argument");
  for (Py_ssize_t i = 0; i < items.size(); ++i) add_type(types, items[i].get());
}

/// The function or method as programs name it: a class knows what it takes over by the object.
Ref function_named(const char* name, bool is_method) {
  static constexpr const char* homes[] = {"garboard", "garboard.nn.functional"};
  if (!is_method) {
    for (const char* home : homes) {
      PyObject* const module = PyImport_GetModule(Ref(PyUnicode_FromString(home)).get());
      if (!module) continue;
      const Ref owner(module);
      if (Ref found(PyObject_GetAttrString(module, name)); found) return found;
      PyErr_Clear();
    }
  }
  return Ref(checked(PyObject_GetAttrString(reinterpret_cast<PyObject*>(tensor_type), name)));
}

/// What the first class that answers returns; where none does, what the op returns if the call is
/// in its older order, or null.
Ref taken_over(const char* name, const Call& call) {
  const Ref types(checked(PyList_New(0)));
  const Py_ssize_t all = call.count + call.name_count();
  for (Py_ssize_t i = 0; i < all; ++i) add_types(types.get(), call.given[i], name);
  if (PyObject_Size(types.get()) == 0) {
    if (!has_older_order(name)) return {};
    return called_in_older_order(name, call, function_named(name, call.input != nullptr).get());
  }

  const Py_ssize_t first = call.input ? 1 : 0;
  const Ref arguments(checked(PyTuple_New(first + call.count)));
  if (call.input) PyTuple_SET_ITEM(arguments.get(), 0, Py_NewRef(call.input));
  for (Py_ssize_t i = 0; i < call.count; ++i)
    PyTuple_SET_ITEM(arguments.get(), first + i, Py_NewRef(call.given[i]));
  const Ref named(checked(PyDict_New()));
  for (Py_ssize_t i = 0; i < call.name_count(); ++i)
    if (PyDict_SetItem(named.get(), PyTuple_GET_ITEM(call.names, i), call.given[call.count + i]) <
        0)
      throw PythonErrorSet();

  const Ref function = function_named(name, call.input != nullptr);
  const Ref asked(checked(PyList_AsTuple(types.get())));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(asked.get()); ++i) {
    const Ref method(checked(PyObject_GetAttrString(PyTuple_GET_ITEM(asked.get(), i), protocol)));
    Ref result(checked(PyObject_CallFunctionObjArgs(method.get(), function.get(), asked.get(),
                                                    arguments.get(), named.get(), nullptr)));
    if (result.get() != Py_NotImplemented) return result;
  }
  return {};
}

}  // namespace

PyObject* raise_or_take_over(const char* name, const Call& call) noexcept {
  raise_current();
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  try {
    if (Ref result = taken_over(name, call); result) {
      Py_XDECREF(type);
      Py_XDECREF(value);
      Py_XDECREF(traceback);
      return result.release();
    }
  } catch (...) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return raise_current();
  }
  PyErr_Restore(type, value, traceback);
  return nullptr;
}

}  // namespace garboard::python
