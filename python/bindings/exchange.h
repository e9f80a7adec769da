// Data in and out: numbers, nested lists, buffers, NumPy arrays.
#pragma once

#include <Python.h>

#include <optional>

#include "csrc/core/scalar.h"
#include "csrc/tensor/tensor.h"

namespace garboard::python {

/// A new tensor with a copy of `data`: a number, a nest of lists and tuples, a tensor, or anything
/// with the buffer protocol (a NumPy array). Raises ShapeError for ragged lists, TypeError.
Tensor tensor_from(PyObject* data, const char* op, std::optional<DType> dtype, Device device = {});

/// A tensor that shares the memory of `array`, which must have the buffer protocol; the storage
/// keeps it alive. Negative strides are refused by nobody; other byte orders and dtypes are.
Tensor tensor_around(PyObject* array, const char* op);

/// The only element. Raises ShapeError where there are more or none.
Scalar item_of(const Tensor& tensor, const char* op);

/// A Python number of the dtype's category.
PyObject* number_of(Scalar scalar) noexcept;
/// Nested lists of numbers; a number for a 0-d tensor. A new reference; may throw.
PyObject* list_of(const Tensor& tensor);
/// A NumPy array over the tensor's memory, which stays valid while the array lives.
PyObject* numpy_of(PyObject* tensor);

}  // namespace garboard::python
