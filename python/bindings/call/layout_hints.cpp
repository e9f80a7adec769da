#include "python/bindings/call/layout_hints.h"

#include <string_view>

namespace garboard::python {

bool is_layout_hint(const char* op, PyObject* name, PyObject* given) noexcept {
  if (op == std::string_view("is_contiguous")) return false;
  const auto is_named = [&](const char* text) {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  if (is_named("pin_memory")) return given == Py_None || PyBool_Check(given);
  if (!is_named("memory_format") && !is_named("layout")) return false;
  // The values are of types of _arguments/layouts.py, which are called as the parameters are.
  return given == Py_None || PyUnicode_CompareWithASCIIString(name, Py_TYPE(given)->tp_name) == 0;
}

}  // namespace garboard::python
