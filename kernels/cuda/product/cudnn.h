// Convolutions by cuDNN, where it is installed.
#pragma once

#include "csrc/device/device.h"
#include "kernels/cuda/product/convolution_shape.h"

namespace garboard::kernels::cuda {

/// Queues a convolution without its bias; of half types with sums in float32, and in an order that
/// is the same in every run. The library is opened at the first one. False, with nothing queued,
/// where it is not installed or has no way to do it. Weak: null where no source defines it. Raises
/// DeviceError, and OutOfMemoryError where there is no room for any way's scratch.
[[gnu::weak]] bool convolve_by_cudnn(const Convolution& of, ConvolutionPart part, Stream stream);

/// The version of cuDNN, as 91002 is 9.10.2; 0 where it is not installed.
[[gnu::weak]] int cudnn_version();

}  // namespace garboard::kernels::cuda
