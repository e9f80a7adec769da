// Chains as one kernel each, compiled when the first of a kind runs.
#pragma once

#include "kernels/fused_chain.h"

namespace garboard::kernels::cuda {

/// NVRTC's, by the cache of each device.
extern const ChainCompiler chain_compiler;

}  // namespace garboard::kernels::cuda
