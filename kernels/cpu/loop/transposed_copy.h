// Copies between views that are dense along different dims.
#pragma once

#include "csrc/core/view.h"
#include "kernels/cpu/loop/loop.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Copies `x` to `out` where that pays: large ones of equal sizes of which each is dense along a
/// dim of its own. False, with nothing done, for all others. Where the dtypes differ `convert` is
/// what makes elements of the one from those of the other.
bool copy_transposed(const View& out, const View& x, Stretch convert = nullptr);

}  // namespace garboard::kernels::GARBOARD_ISA
