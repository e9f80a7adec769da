// Discrete Fourier transforms, the three that all others are made of.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// What a transform divides by: of the number of its elements, all dims together.
enum class FourierScale : std::uint8_t { one, root, all };

/// Of complex numbers along `dims`, or, where not `forward`, back. Raises DTypeError for others,
/// IndexOutOfRangeError for a dim that is not there and ShapeError for one that is named twice.
Tensor fft_c2c(const Tensor& input, const Dims& dims, FourierScale scale, bool forward);
/// Of float32 or float64 along `dims`: along the last of them the first half, of n / 2 + 1, whose
/// mirror image the rest is; or all of it, where not `onesided`. Raises ShapeError without a dim.
Tensor fft_r2c(const Tensor& input, const Dims& dims, FourierScale scale, bool onesided);
/// Back to `last_size` real numbers along the last of `dims`, of its first half. Raises ShapeError
/// where that is not as long as it must be.
Tensor fft_c2r(const Tensor& input, const Dims& dims, FourierScale scale, std::int64_t last_size);

}  // namespace garboard
