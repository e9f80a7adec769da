// A tensor's elements as Python's numbers.
#pragma once

#include <Python.h>

#include "csrc/core/scalar.h"
#include "csrc/tensor/tensor.h"

namespace garboard::python {

/// The only element. Raises ShapeError where there are more or none.
Scalar item_of(const Tensor& tensor, const char* op);

/// Of a number of Python's or NumPy's, or of what has `__complex__`.
Complex<double> complex_value(PyObject* object);

/// A Python number of the dtype's category.
PyObject* number_of(Scalar scalar) noexcept;
/// Nested lists of numbers; a number for a 0-d tensor. A new reference; may throw.
PyObject* list_of(const Tensor& tensor);

}  // namespace garboard::python
