// A chain's kernels over its pieces.
#pragma once

#include "csrc/ops/fuse/chain.h"

namespace garboard {

/// What the last op of a program gives, without a history.
Tensor run_pieces(const ChainProgram& program);
/// What that is reduced to, without a history; it is never in memory as a whole.
Tensor run_closed(const ChainProgram& program, const Closing& closing);

}  // namespace garboard
