// `out=` and `pin_memory=`: results go into tensors given for them, or into pinned memory.
#pragma once

#include <Python.h>

#include <span>

#include "python/bindings/call/arguments.h"

namespace garboard::python {

/// Writes what was made into what `out=` was given, and returns a new reference to that; or pins
/// it. Raises ShapeError, DTypeError, DeviceError, GradientError.
PyObject* written(const Arguments& given, const Tensor& made);
/// The same of several, with nothing written unless all fit: a new tuple. Raises ShapeError where
/// `out` holds more or fewer.
PyObject* written(const Arguments& given, std::span<const Tensor> made);

}  // namespace garboard::python
