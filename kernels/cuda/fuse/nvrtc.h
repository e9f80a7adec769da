// C++ compiled for devices while a program runs.
#pragma once

#include <string>

namespace garboard::kernels::cuda {

/// Why there is no NVRTC of that version of CUDA, as a sentence; empty where there is. The first
/// call opens it, for good.
const std::string& lack_of_nvrtc(int major_version);

/// What devices of compute capability `capability`, 90 for 9.0, can load: their machine code, or,
/// of those that NVRTC does not know yet, what their driver compiles on. The text may include the
/// functors and chain_kernel.h. Only where lack_of_nvrtc has been asked and is empty. Thread-safe.
/// Raises DeviceError, which has what NVRTC says.
std::string compiled_by_nvrtc(const std::string& source, int capability);

}  // namespace garboard::kernels::cuda
