// What PyTorch's programs say about layouts where tensors are made, copied and converted.
#pragma once

#include <Python.h>

namespace garboard::python {

/// Whether `name=given` is one of `memory_format`, `layout` and `pin_memory` with a value that it
/// takes. A result is dense and row-major whatever they say, of the same elements.
/// Never true of `is_contiguous`, whose answer would be wrong.
bool is_layout_hint(const char* op, PyObject* name, PyObject* given) noexcept;

}  // namespace garboard::python
