#include "python/bindings/exchange/foreign_objects.h"

#include <cstring>

#include "python/bindings/interpreter/errors.h"

namespace garboard::python {
namespace {

bool has_dims(PyObject* object) {
  const Ref ndim(PyObject_GetAttrString(object, "ndim"));
  const long dims = ndim && PyLong_Check(ndim.get()) ? PyLong_AsLong(ndim.get()) : 0;
  PyErr_Clear();
  return dims > 0;
}

}  // namespace

bool is_of_numpys(PyObject* object, std::string_view name) {
  constexpr std::string_view module = "numpy.";
  for (const PyTypeObject* type = Py_TYPE(object); type; type = type->tp_base) {
    const std::string_view full(type->tp_name);
    if (full.starts_with(module) && full.substr(module.size()).starts_with(name)) return true;
  }
  return false;
}

/// NumPy's complex numbers and times have the slot of real numbers too, and lose a part in it.
bool is_complex_number(PyObject* object) {
  return PyComplex_Check(object) || is_of_numpys(object, "complex") ||
         is_of_numpys(object, "clongdouble");
}
bool is_more_than_real(PyObject* object) {
  return is_complex_number(object) || is_of_numpys(object, "datetime64") ||
         is_of_numpys(object, "timedelta64");
}

bool is_foreign_number(PyObject* object) {
  const PyNumberMethods* const number = Py_TYPE(object)->tp_as_number;
  if (!number || PySequence_Check(object)) return false;
  return (number->nb_index || number->nb_float) && !is_more_than_real(object) && !has_dims(object);
}

Ref number_in_array(PyObject* object) {
  if (!is_of_numpys(object, "ndarray")) return {};
  const Ref ndim(checked(PyObject_GetAttrString(object, "ndim")));
  if (PyLong_AsLong(ndim.get()) != 0) return {};
  const Ref dtype(checked(PyObject_GetAttrString(object, "dtype")));
  const Ref kind(checked(PyObject_GetAttrString(dtype.get(), "kind")));
  const bool is_number = PyUnicode_GET_LENGTH(kind.get()) == 1 &&
                         std::strchr("biufc", static_cast<int>(PyUnicode_READ_CHAR(kind.get(), 0)));
  return is_number ? Ref(checked(PyObject_CallMethod(object, "item", nullptr))) : Ref{};
}

const char* way_to_a_tensor(PyObject* object) {
  if (is_of_numpys(object, "ndarray"))
    return ": gb.from_numpy(array) is a Tensor over the same memory";
  if (PyObject_HasAttrString(object, "__dlpack__"))
    return ": gb.from_dlpack(it) is a Tensor over the same memory";
  return "";
}

}  // namespace garboard::python
