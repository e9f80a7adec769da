// Convolutions.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Zeros on each side of an input: so many, or as many in all as keep the length.
struct Padding {
  std::int64_t count = 0;
  bool is_same = false;
};

/// out[n, o, t] = bias[o] + sum over c, k of weight[o, c, k] input[n, c, t stride + k dilation -
/// padding]: [n, channels, length] or [channels, length] by [out channels, channels / groups,
/// taps]. `bias` may be empty. Raises ShapeError, DTypeError, DeviceError.
Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias, std::int64_t stride,
              const Padding& padding, std::int64_t dilation, std::int64_t groups);

}  // namespace garboard
