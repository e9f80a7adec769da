// A chain on a device that compiles it into one kernel.
#pragma once

#include "csrc/ops/fuse/chain.h"

namespace garboard {

/// Whether chains of tensors on `device` are put off.
bool fuses_on(Device device);

/// What the last op of a program gives, without a history. Where the chain cannot be compiled its
/// ops run one after the other; what goes between them is gone at once.
Tensor run_on_device(const ChainProgram& program);

}  // namespace garboard
