// What PyTorch's programs say about layouts where tensors are made, copied and converted.
#pragma once

#include <Python.h>

#include <cstdint>

#include "csrc/tensor/tensor.h"

namespace garboard::python {

/// Whether `name=given` is one of `memory_format`, `layout` and `pin_memory` with a value that it
/// takes. A result is dense and row-major whatever they say, of the same elements.
/// Asked where no parameter has the name: ops whose answers depend on it have one.
bool is_layout_hint(PyObject* name, PyObject* given) noexcept;

enum class MemoryFormat : std::uint8_t {
  left_out,
  preserved,
  row_major,
  channels_last,
  channels_last_3d,
};
/// What `given`, an object of PyTorch's names for memory formats or None, says. Raises TypeError.
MemoryFormat memory_format_of(const char* op, PyObject* given);

/// Whether what an op makes of a tensor lies in that one's order of dims, as where nothing is said.
/// Raises as `memory_format_of`.
inline bool keeps_order(const char* op, PyObject* format) {
  const MemoryFormat asked = memory_format_of(op, format);
  return asked == MemoryFormat::left_out || asked == MemoryFormat::preserved;
}

/// Whether the elements of `input` lie densely in the order that `format`, a memory format or None,
/// names: row-major, or with dim 1 going fastest. Raises TypeError for what is neither.
bool is_dense_in(const Tensor& input, PyObject* format);

}  // namespace garboard::python
