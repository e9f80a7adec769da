// How far the rows of matrices are from each other.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Of each row of `x` [..., n, k] from each of `y` [..., m, k], whose other dims broadcast, by the
/// norm of `power`: 1, 2 or infinity. float32 or float64, on the CPU. Raises ShapeError, also for
/// another power, DTypeError and DeviceError.
Tensor distances(const Tensor& x, const Tensor& y, double power);
/// Of each row of `x` [n, k] from each later one: [n (n - 1) / 2]. Likewise.
Tensor distances_of_pairs(const Tensor& x, double power);

}  // namespace garboard
