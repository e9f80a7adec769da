// Copies between views that are dense along different dims.
#pragma once

#include "csrc/core/view.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Copies `x` to `out`, of x's sizes and dtype, where that pays: large ones of which each is dense
/// along a dim of its own. False, with nothing done, for all others.
bool copy_transposed(const View& out, const View& x);

}  // namespace garboard::kernels::GARBOARD_ISA
