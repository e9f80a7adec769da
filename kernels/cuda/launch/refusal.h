// What is said of a kernel that CUDA has not got.
#pragma once

#include "csrc/core/dtype.h"
#include "csrc/core/error.h"
#include "csrc/core/text.h"

namespace garboard::kernels::cuda {

[[noreturn]] inline void throw_lacking(const char* op) {
  throw DeviceError(text(op,
                         ": tensors on a CUDA device; it has a kernel for the CPU alone, move them "
                         "with to(\"cpu\")"));
}

/// Of a kernel that is there, but not for `dtype`.
[[noreturn]] inline void throw_lacking_dtype(const char* op, DType dtype) {
  throw DeviceError(text(op, ": tensors of dtype ", name_of(dtype),
                         " on a CUDA device; it has a kernel for the CPU alone, move them with "
                         "to(\"cpu\"), or convert them"));
}

}  // namespace garboard::kernels::cuda
