// Tensors of the host that devices copy from and to while the program goes on.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Whether its bytes lie in pinned memory.
inline bool is_pinned(const Tensor& tensor) { return tensor.storage()->is_pinned(); }

/// `input` itself where it is pinned, else a dense copy in pinned memory; its gradient passes
/// through. Raises DeviceError where `input` is not on the CPU, or there is no device to pin for;
/// and OutOfMemoryError.
Tensor pin_memory(const Tensor& input);

}  // namespace garboard
