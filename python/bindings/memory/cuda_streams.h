// A part of what `bind_cuda` binds.
#pragma once

#include <pybind11/pybind11.h>

#include "csrc/device/device.h"

namespace garboard::python {

/// The CUDA device of that number. Raises DeviceError in the name of `op` unless it can be used.
Device usable_cuda(const char* op, int number);

void bind_cuda_streams(pybind11::module_& m);

}  // namespace garboard::python
