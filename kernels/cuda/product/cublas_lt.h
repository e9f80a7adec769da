// Products with a bias, in one kernel of cuBLASLt's.
#pragma once

#include "csrc/device/device.h"
#include "kernels/cuda/product/gemm_plan.h"

namespace garboard::kernels::cuda {

/// Queues c = x y + bias, which has an element for each row of c; sums are float32's. False, with
/// nothing queued, where the library is not installed or has no kernel for it. Weak: null where no
/// source defines it. Raises DeviceError and OutOfMemoryError.
[[gnu::weak]] bool multiply_with_bias(const Gemm& gemm, const void* bias, Stream stream);

}  // namespace garboard::kernels::cuda
