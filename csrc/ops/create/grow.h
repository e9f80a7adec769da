// Where results go that nobody knows the sizes of before: into `empty(0)`.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Gives `out` these sizes, in memory of its own, where it is as `empty(0)` makes it. A view, what
/// asks for a gradient and what has elements stay as they are, for the op to accept or refuse.
void grow_empty(const char* op, const Tensor& out, const Dims& sizes);

}  // namespace garboard
