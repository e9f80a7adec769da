// Marks in the work of streams.
#pragma once

#include "csrc/device/cuda_library.h"

namespace garboard::kernels::cuda {

extern const CudaEvents events;

}  // namespace garboard::kernels::cuda
