#include "python/bindings/call/layout_hints.h"

#include <string_view>

#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/ref.h"

namespace garboard::python {
namespace {

/// Whether elements lie densely with dim 1 going fastest, behind it the last dim and so on: what
/// PyTorch calls channels last. A dim of size 1 may have any stride.
bool is_dense_in_channels(const Tensor& input) {
  const int last = input.ndim() - 1;
  std::int64_t stride = 1;
  for (int place = 0; place <= last; ++place) {
    const int dim = place == 0 ? 1 : place == last ? 0 : last + 1 - place;
    if (input.size(dim) == 1) continue;
    if (input.stride(dim) != stride) return false;
    stride *= input.size(dim);
  }
  return true;
}

}  // namespace

bool is_layout_hint(PyObject* name, PyObject* given) noexcept {
  const auto is_named = [&](const char* text) {
    return PyUnicode_CompareWithASCIIString(name, text) == 0;
  };
  if (is_named("pin_memory")) return given == Py_None || PyBool_Check(given);
  if (!is_named("memory_format") && !is_named("layout")) return false;
  // The values are of types of _arguments/layouts.py, which are called as the parameters are.
  return given == Py_None || PyUnicode_CompareWithASCIIString(name, Py_TYPE(given)->tp_name) == 0;
}

MemoryFormat memory_format_of(const char* op, PyObject* given) {
  if (given == Py_None) return MemoryFormat::left_out;
  if (Py_TYPE(given)->tp_name != std::string_view("memory_format"))
    throw_type_error("%s: memory_format is of type %s; one such as gb.channels_last is needed", op,
                     Py_TYPE(given)->tp_name);
  const Ref text(PyObject_GetAttrString(given, "_name"));
  const auto is_named = [&](const char* name) {
    return text && PyUnicode_CompareWithASCIIString(text.get(), name) == 0;
  };
  if (is_named("channels_last")) return MemoryFormat::channels_last;
  if (is_named("channels_last_3d")) return MemoryFormat::channels_last_3d;
  return is_named("preserve_format") ? MemoryFormat::preserved : MemoryFormat::row_major;
}

bool is_dense_in(const Tensor& input, PyObject* format) {
  switch (memory_format_of("is_contiguous", format)) {
    case MemoryFormat::channels_last:
      return input.ndim() == 4 && is_dense_in_channels(input);
    case MemoryFormat::channels_last_3d:
      return input.ndim() == 5 && is_dense_in_channels(input);
    default:
      return input.is_contiguous();
  }
}

}  // namespace garboard::python
