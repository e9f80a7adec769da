// Where results go that nobody knows the sizes of before: into `empty(0)`.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Whether `out` is as `empty(0)` makes it: it may get any sizes. A view, and what asks for a
/// gradient, may not.
bool can_grow(const Tensor& out);

/// Gives `out` these sizes, in memory of its own that is yet to be written, where it can grow and
/// has others. Comes after all that may refuse `out`.
void grow_empty(const char* op, const Tensor& out, const Dims& sizes);

}  // namespace garboard
