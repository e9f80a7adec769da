// The driver's virtual-memory calls.
#pragma once

#include "csrc/device/cuda_library.h"

namespace garboard::kernels::cuda {

extern const CudaVirtualMemory virtual_memory;

}  // namespace garboard::kernels::cuda
