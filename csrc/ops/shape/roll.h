// Elements moved along dims, round their ends.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// What leaves a dim at one end comes in at the other. Without `dims`, of all elements in their
/// order. Raises ShapeError.
Tensor roll(const Tensor& input, const Dims& shifts, const Dims& dims);

}  // namespace garboard
