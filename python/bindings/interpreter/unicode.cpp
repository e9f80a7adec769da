#include "python/bindings/interpreter/unicode.h"

#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {

bool is_encodable(PyObject* string) noexcept {
  if (PyUnicode_AsUTF8(string)) return true;
  PyErr_Clear();
  return false;
}

std::string_view to_text(PyObject* object, const char* op, const char* argument) {
  if (!PyUnicode_Check(object))
    throw_type_error("%s: %s is of type %s; a string is needed", op, argument,
                     Py_TYPE(object)->tp_name);
  Py_ssize_t length = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(object, &length);
  if (data) return {data, static_cast<std::size_t>(length)};
  const Ref exact(checked(PyUnicode_FromObject(object)));  // a subclass may say something else
  PyErr_Format(PyExc_ValueError,
               "%s: %s is %.80A; a text without half of a surrogate pair is needed", op, argument,
               exact.get());
  throw PythonErrorSet();
}

namespace {

/// Whether a message shows the value, and not its type alone, as `_arguments/texts.py` does.
bool is_plain(PyObject* given) {
  if (PyLong_CheckExact(given)) {
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(given, &overflow);
    return !overflow;
  }
  return given == Py_None || PyUnicode_CheckExact(given) || PyBytes_CheckExact(given) ||
         PyBool_Check(given) || PyFloat_CheckExact(given);
}

}  // namespace

void throw_no_choice(const char* op, const char* argument, PyObject* given, const char* needed) {
  const Ref errors(checked(PyImport_ImportModule("garboard._arguments.errors")));
  const Ref kind(checked(PyObject_GetAttrString(errors.get(), "ChoiceError")));
  if (is_plain(given))
    PyErr_Format(kind.get(), "%s: %s %.80R; %s is needed", op, argument, given, needed);
  else
    PyErr_Format(kind.get(), "%s: %s of type %s; %s is needed", op, argument,
                 Py_TYPE(given)->tp_name, needed);
  throw PythonErrorSet();
}

std::string text_or_mark(PyObject* string) noexcept {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  Py_ssize_t length = 0;
  const char* const data = PyUnicode_AsUTF8AndSize(string, &length);
  const std::string found = data ? std::string(data, static_cast<std::size_t>(length)) : "?";
  PyErr_Restore(type, value, trace);
  return found;
}

}  // namespace garboard::python
