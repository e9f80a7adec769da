// Ops that bring slices to mean 0 and variance 1.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// (input - mean) / sqrt(variance + epsilon) * weight + bias, over the last
/// dims, whose sizes are `sizes`; weight and bias have those, or are empty. The
/// variance is divided by the count. Of a half type they may be float32. Raises
/// ShapeError, DTypeError, DeviceError.
Tensor layer_norm(const Tensor& input, const Dims& sizes, const Tensor& weight, const Tensor& bias,
                  double epsilon);

}  // namespace garboard
