// What compiles chains for kinds of devices: a device that does says so when it is opened.
#pragma once

#include "csrc/device/device.h"

namespace garboard {

namespace kernels {
struct ChainCompiler;
}

/// For good, before anything lives on such a device.
void set_chain_compiler(DeviceKind kind, const kernels::ChainCompiler& compiler) noexcept;

/// Null where nothing does.
const kernels::ChainCompiler* chain_compiler_of(Device device) noexcept;

}  // namespace garboard
