// DLPack: memory shared with other libraries through capsules of one form.
// https://dmlc.github.io/dlpack/latest/python_spec.html
#pragma once

#include <Python.h>

#include "csrc/tensor/tensor.h"

namespace garboard::python {

/// A new capsule over the tensor's memory, which stays valid until whoever takes it lets go of it.
/// Only a versioned one tells whether it may be written, and whether it `is_copy`. The tensor has
/// to lie on the CPU, and to require no gradient.
PyObject* dlpack_capsule(PyObject* tensor, bool is_versioned, bool is_copy);

/// A tensor over the memory of a capsule, which is taken by that; the storage keeps the memory.
/// Raises TypeError for what is no capsule, or was taken; ShapeError, DTypeError and DeviceError
/// for what no tensor can be, and BufferError for a version yet to come.
Tensor tensor_of_dlpack(PyObject* capsule);

/// What a capsule of ours keeps the memory by, also one that NumPy has put into another of its own;
/// null for all others. Borrowed. Runs no Python.
PyObject* kept_by_capsule(PyObject* capsule) noexcept;

}  // namespace garboard::python
