// What becomes of an error of CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>

namespace garboard::kernels::cuda {

/// Every call of CUDA's stands in this. Raises OutOfMemoryError where memory is wanting, else
/// DeviceError; the message names the calling function. Work that failed earlier, on the device, is
/// reported by whichever call comes after it.
void ok(cudaError_t status, std::source_location at = std::source_location::current());

}  // namespace garboard::kernels::cuda
