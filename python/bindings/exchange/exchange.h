// Data in and out: nested lists, buffers, NumPy arrays.
#pragma once

#include <Python.h>

#include <optional>
#include <vector>

#include "csrc/tensor/tensor.h"

namespace garboard::python {

/// A new tensor with a copy of `data`: a number, a nest of lists and tuples, a tensor, or anything
/// with the buffer protocol (a NumPy array). Raises ShapeError for ragged lists, TypeError.
Tensor tensor_from(PyObject* data, const char* op, std::optional<DType> dtype, Device device = {});

/// A tensor that shares the memory of `array`, which must have the buffer protocol; the storage
/// keeps it alive. Negative strides are refused by nobody; other byte orders and dtypes are.
Tensor tensor_around(PyObject* array, const char* op);

/// A NumPy array over the tensor's memory, which stays valid while the array lives. By `force` over
/// that of a detached copy on the CPU, where the tensor itself has none to show.
PyObject* numpy_of(PyObject* tensor, bool force);

/// The buffer protocol of the type `Tensor`.
void add_buffer_slots(std::vector<PyType_Slot>& slots);

}  // namespace garboard::python
