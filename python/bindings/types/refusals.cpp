#include "python/bindings/types/refusals.h"

#include <limits>
#include <string>
#include <string_view>

#include "python/bindings/interpreter/fast_function.h"
#include "python/bindings/interpreter/items.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/unicode.h"

namespace garboard::python {
namespace {

FastFunction pybind_call = nullptr;  // one function serves all that pybind11 binds
constexpr int call_flags = METH_FASTCALL | METH_KEYWORDS;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The parameters in pybind11's `    1. (self: Tensor, count: typing.SupportsInt | ...) -> None`.
/// Without `self`, if `is_bound`.
std::string parameters_in(const std::string& said, bool& is_bound) {
  const auto open = said.find('(', said.find("\n    1. "));
  const auto end = said.find('\n', open);
  std::string found = said.substr(open, said.rfind(')', end) + 1 - open);
  if (const auto arrow = found.rfind(") -> "); arrow != found.npos) found.resize(arrow + 1);
  is_bound = is_bound && found.starts_with("(self: ");
  if (is_bound) {
    const auto comma = found.find(", ");
    found = comma == found.npos ? "()" : "(" + found.substr(comma + 2);
  }
  replace_all(found, "typing.SupportsInt | typing.SupportsIndex", "int");
  replace_all(found, "typing.SupportsFloat | typing.SupportsIndex", "float");
  for (const char* module : {"typing.", "collections.abc.", "garboard._engine.", "garboard."})
    replace_all(found, module, "");
  return found;
}

constexpr Py_ssize_t most_types = 8;

/// `(int, name=str)`
std::string types_of(PyObject* const* given, Py_ssize_t count, Py_ssize_t first, PyObject* names) {
  std::string found = "(";
  const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
  for (Py_ssize_t i = first; i < count + named; ++i) {
    if (found.size() > 1) found += ", ";
    if (i - first == most_types) return found + "...)";
    if (i >= count) {
      found += text_or_mark(PyTuple_GET_ITEM(names, i - count)) + "=";
    }
    found += Py_TYPE(given[i])->tp_name;
  }
  return found + ")";
}

/// What is wrong with a value whose type would do, or nothing.
const char* fault_of(PyObject* value) {
  if (PyUnicode_Check(value) && !is_encodable(value))
    return "a text with half of a surrogate pair; ";
  if (!PyLong_Check(value)) return nullptr;
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  const bool is_far = overflow || number < 0 || number > std::numeric_limits<int>::max();
  return is_far ? "an integer out of range; " : nullptr;
}

void say(PyObject* const* given, Py_ssize_t count, PyObject* names, const std::string& said) {
  std::string name = said.substr(0, said.find('('));
  if (name.starts_with('_') && !name.starts_with("__")) name.erase(0, 1);  // its wrapper's name
  bool is_bound = count > 0;
  const std::string needed = parameters_in(said, is_bound);
  const Py_ssize_t first = is_bound ? 1 : 0;
  const char* fault = nullptr;
  const Py_ssize_t total = count + (names ? PyTuple_GET_SIZE(names) : 0);
  for (Py_ssize_t i = first; i < total && !fault; ++i) fault = fault_of(given[i]);
  PyErr_Format(PyExc_TypeError, "%s: %s%s given; %s needed", name.c_str(), fault ? fault : "",
               types_of(given, count, first, names).c_str(), needed.c_str());
}

/// pybind11 ends the process over a name it cannot encode.
bool are_names(PyObject* names) {
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i) {
    if (is_encodable(PyTuple_GET_ITEM(names, i))) continue;
    PyErr_SetString(PyExc_TypeError, "a parameter's name has half of a surrogate pair");
    return false;
  }
  return true;
}

PyObject* call(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) {
  if (!are_names(names)) return nullptr;
  PyObject* const result = pybind_call(self, given, count, names);
  if (result || !PyErr_ExceptionMatches(PyExc_TypeError)) return result;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const Ref text(PyObject_Str(value));
  const std::string said = text ? text_or_mark(text.get()) : "";
  const bool is_pybinds = said.find("(): incompatible ") != said.npos;
  PyErr_Clear();
  if (!is_pybinds) {
    PyErr_Restore(type, value, trace);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  say(given, count, names, said);
  return nullptr;
}

PyMethodDef* definition_of(PyObject* object) {
  if (object && PyInstanceMethod_Check(object)) object = PyInstanceMethod_GET_FUNCTION(object);
  return object && PyCFunction_CheckExact(object)
             ? reinterpret_cast<PyCFunctionObject*>(object)->m_ml
             : nullptr;
}

bool is_pybinds(const PyMethodDef* method) {
  return method && method->ml_flags == call_flags &&
         reinterpret_cast<FastFunction>(reinterpret_cast<void (*)()>(method->ml_meth)) ==
             pybind_call;
}

bool replace_in(PyObject* dict) {
  const Ref values(PyDict_Values(dict));
  if (!values) return false;
  const Items items(values.get(), "import", "a namespace");
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    PyMethodDef* const method = definition_of(items[i].get());
    if (is_pybinds(method))
      method->ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call));
  }
  return true;
}

}  // namespace

bool refuse_in_our_words(PyObject* module) {
  const Ref known(PyObject_GetAttrString(module, "_op_table"));
  const PyMethodDef* const method = definition_of(known.get());
  if (!method || method->ml_flags != call_flags) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ImportError, "pybind11 binds in another way");
    return false;
  }
  pybind_call = reinterpret_cast<FastFunction>(reinterpret_cast<void (*)()>(method->ml_meth));
  PyObject* const names = PyModule_GetDict(module);
  const Ref values(PyDict_Values(names));
  if (!values) return false;
  const Items items(values.get(), "import", "the module");
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const Ref value = items[i];
    if (PyType_Check(value.get()) &&
        !replace_in(reinterpret_cast<PyTypeObject*>(value.get())->tp_dict))
      return false;
  }
  return replace_in(names);
}

}  // namespace garboard::python
