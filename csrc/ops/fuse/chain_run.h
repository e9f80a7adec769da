// A chain's kernels over its pieces.
#pragma once

#include "csrc/ops/fuse/chain.h"

namespace garboard {

/// Writes what the last op of a program gives to `out`, which is dense.
void run_into(const View& out, const ChainProgram& program);
/// What that is reduced to, without a history; it is never in memory as a whole.
Tensor run_closed(const ChainProgram& program, const Closing& closing);

}  // namespace garboard
