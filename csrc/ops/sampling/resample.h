// Inputs sampled at other sizes.
#pragma once

#include "csrc/tensor/tensor.h"
#include "kernels/windows.h"

namespace garboard {

/// `places` along `dim`, place i of around element `scale` i: the nearest, or a mix of two or four.
/// Raises ShapeError, DTypeError, IndexOutOfRangeError.
Tensor resample(const Tensor& input, std::int64_t dim, std::int64_t places,
                kernels::Sampling sampling, bool aligns_corners, double scale);

}  // namespace garboard
