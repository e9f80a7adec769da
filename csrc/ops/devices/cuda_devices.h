// The CUDA devices of the process. Their library is opened on first use; here, where kernels and
// memory are both known, it is introduced to the kernel table and to the allocators.
#pragma once

#include <string>

#include "csrc/device/cuda_library.h"

namespace garboard {

/// How many CUDA devices can be used, at most max_cuda_devices. Never raises; the first call of any
/// function here opens the library.
int cuda_device_count() noexcept;

/// Why there is none: a sentence, which begins as open_cuda_library says. Empty if there is one.
const std::string& why_no_cuda() noexcept;

/// Raises DeviceError in the name of `op` unless the CUDA device `device` can be used.
void require_cuda(const char* op, Device device);

/// As its maker calls it: `NVIDIA H200`.
std::string cuda_device_name(Device device);

}  // namespace garboard
