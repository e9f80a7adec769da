// Gated linear units (Dauphin et al., "Language modeling with gated convolutional networks",
// arXiv:1612.08083).
#pragma once

#include <cstdint>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// The first half along a dim times the logistic function of the second. Raises ShapeError where
/// the size is odd, IndexOutOfRangeError, and DTypeError unless floating.
Tensor glu(const Tensor& input, std::int64_t dim);

}  // namespace garboard
