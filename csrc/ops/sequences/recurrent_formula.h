// The gradient of a recurrent layer by ops, for passes that are recorded themselves.
#pragma once

#include "csrc/tensor/grad_node.h"
#include "csrc/tensor/tensor.h"
#include "kernels/sequences.h"

namespace garboard {

/// What a layer was computed from and the gradient of what it gave, all with their histories.
/// `gates` are what the input adds, [rows, gates * hidden]; `first_cell` is of lstm alone, `bias`
/// may be empty; `grad` is laid out as the layer's output.
struct RecurrentFormula {
  kernels::Cell cell;
  bool is_reversed;
  Tensor gates, weight, bias, first, first_cell, batch_sizes, grad;

  /// Gradients of gates, weight, bias, first and first_cell. The steps are computed again.
  Grads run() const;
};

}  // namespace garboard
