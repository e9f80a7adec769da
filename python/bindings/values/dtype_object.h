// dtypes and devices as Python sees them: `garboard.float32`, `garboard.device("cuda:0")`.
#pragma once

#include <Python.h>

#include "csrc/core/dtype.h"
#include "csrc/device/device.h"

namespace garboard::python {

/// Makes the types and the dtypes and adds them to `module`, under PyTorch's other names too. False
/// with an exception set.
bool add_dtypes_and_devices(PyObject* module);

/// Borrowed: there is one object a dtype.
PyObject* dtype_object(DType dtype) noexcept;
/// A new reference.
PyObject* device_object(Device device);

/// From a dtype, or from Python's float, int and bool. Raises TypeError, naming `op`.
DType to_dtype(PyObject* object, const char* op);
bool is_dtype(PyObject* object) noexcept;
/// From a device or a string such as "cpu", "cuda" or "cuda:1". Raises DeviceError.
Device to_device(PyObject* object, const char* op);
bool is_device(PyObject* object) noexcept;

}  // namespace garboard::python
