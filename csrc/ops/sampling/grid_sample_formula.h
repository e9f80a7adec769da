// The gradient of sampling by a grid, by ops: for passes that are recorded themselves.
#pragma once

#include "csrc/ops/sampling/grid_sample.h"
#include "csrc/tensor/grad_node.h"

namespace garboard {

/// What was sampled, of `sizes` [n, channels, *plane], the grid, [n, *places, dims], and the
/// gradient of the result, all with their histories. `input` is read for the gradient of the grid
/// alone.
struct GridSampleFormula {
  Dims sizes;
  Tensor input, grid, grad;
  GridOptions options;

  /// Gradients of input and grid, of those that are wanted.
  Grads run(bool of_input, bool of_grid) const;
};

}  // namespace garboard
