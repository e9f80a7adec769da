// What turns a chain's text into a kernel: NVRTC, in nvrtc.cpp; a compiler of the host's where
// tests have no device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "csrc/device/device.h"

namespace garboard::kernels::cuda {

/// A kernel in the memory of the process; null: none.
using CompiledChain = void*;

/// Why nothing can be compiled, as a sentence; empty where it can. Looks once.
const std::string& lack_of_compiler();

/// The kernel `chain` of a text. Thread-safe; it takes some 0.2 s. Raises DeviceError, which says
/// what the compiler said.
CompiledChain compile_chain(const std::string& source, Device device);

/// Queues it. Raises DeviceError.
void launch_chain(CompiledChain chain, std::int64_t blocks, std::vector<std::uint64_t>& arguments,
                  Stream stream);

/// Waits for the device, on which it may run.
void discard_chain(CompiledChain chain, Device device) noexcept;

}  // namespace garboard::kernels::cuda
