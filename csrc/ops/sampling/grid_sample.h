// Planes sampled wherever a grid says.
#pragma once

#include "csrc/tensor/tensor.h"
#include "kernels/windows.h"

namespace garboard {

struct GridOptions {
  kernels::Sampling sampling = kernels::Sampling::linear;  // cubic of two dims of space alone
  kernels::Beyond beyond = kernels::Beyond::zeros;
  bool aligns_corners = false;
};

/// [n, channels, *places] of input [n, channels, *sizes], two or three of them, and grid [n,
/// *places, 2 or 3], whose numbers go from -1 to 1 along each dim, the last one first. Raises
/// ShapeError, DTypeError, DeviceError.
Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridOptions& options);

}  // namespace garboard
