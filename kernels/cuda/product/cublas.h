// Products of floating matrices, by cuBLAS.
#pragma once

#include "csrc/device/device.h"
#include "kernels/cuda/product/gemm_plan.h"

namespace garboard::kernels::cuda {

/// Queues a product; of half types with sums in float32. The library is opened at the first one.
/// Raises DeviceError where it is not found.
void multiply(const Gemm& gemm, Stream stream);

}  // namespace garboard::kernels::cuda
