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

/// Whether the library has been opened, and there is a device. Opens nothing.
bool is_cuda_open() noexcept;

/// Raises DeviceError in the name of `op` unless the CUDA device `device` can be used.
void require_cuda(const char* op, Device device);

/// Raises DeviceError in the name of `op`.
const CudaProperties& cuda_properties(const char* op, Device device);

/// What the device could still give, whoever has the rest. Raises DeviceError.
std::size_t cuda_free_bytes(Device device);

/// How products and convolutions are computed on all devices, from now on. Opens nothing.
void choose_products(const ProductChoices& choices) noexcept;

/// Why chains run op by op on CUDA devices, or some did: a sentence; empty where all are compiled.
std::string why_not_fused();

/// As 91002 is 9.10.2; 0 where there is no device or cuDNN is not installed.
int cudnn_version();

}  // namespace garboard
