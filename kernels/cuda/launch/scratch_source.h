// Where kernels get their scratch from.
#pragma once

#include "csrc/device/cuda_library.h"

namespace garboard::kernels::cuda {

/// Called once, before the first kernel.
void set_scratch_source(const ScratchSource& source);

}  // namespace garboard::kernels::cuda
