// Kernels that wider instructions do not make faster: what jumps from place to place, and what
// LAPACK does alone.
#pragma once

#include "kernels/roll_call.h"

namespace garboard::kernels {

/// Compiled with the least set alone, and of that in every table; their folders are named ONCE in
/// kernels/CMakeLists.txt.
using CompiledOnce = TypeList<SearchSorted, Eig, Eigh, Svd>;

}  // namespace garboard::kernels
