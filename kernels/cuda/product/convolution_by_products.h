// Convolutions as products of matrices, where no library is that has kernels for them.
#pragma once

#include "csrc/device/device.h"
#include "kernels/cuda/product/convolution_shape.h"

namespace garboard::kernels::cuda {

inline constexpr std::int64_t columns_bytes = std::int64_t{64} << 20;

/// Queues a convolution without its bias, some samples at a time: a matrix of what each place meets
/// is written to scratch, of `most_bytes` unless one sample takes more, and multiplied. False, with
/// nothing queued, where there are so few channels that it would not be worth it. Raises
/// OutOfMemoryError, and what products raise.
bool convolve_by_products(const Convolution& of, ConvolutionPart part, Stream stream,
                          std::int64_t most_bytes = columns_bytes);

}  // namespace garboard::kernels::cuda
