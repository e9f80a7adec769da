// Layers of recurrent networks.
#pragma once

#include "csrc/tensor/tensor.h"
#include "kernels/sequences.h"

namespace garboard {

/// One layer in one direction. Gates stand in PyTorch's order: of lstm input, forget, candidate,
/// output; of gru reset, update, candidate.
struct RecurrentLayer {
  kernels::Cell cell;
  Tensor input_weight, hidden_weight;  // [gates * hidden, features], [gates * hidden, hidden]
  Tensor input_bias, hidden_bias;      // [gates * hidden], or empty
  bool is_reversed = false;
};

/// Runs sequences, longest first, through a layer: those of step t are rows [sum of batch_sizes
/// before t, + batch_sizes[t]) of `input`, [rows, features]. `first`, and `first_cell` of lstm
/// alone, are [sequences, hidden]. Returns [rows + sequences, hidden], of lstm [rows + 2 sequences,
/// hidden]: the hidden state at each row, then each sequence's last state, then its last cell. Half
/// types are computed with in float32, from the first step to the last, and rounded once. A pass
/// that is recorded itself computes the steps again, by ops. Raises ShapeError, DTypeError,
/// DeviceError.
Tensor recurrent_layer(const RecurrentLayer& layer, const Tensor& input, const Tensor& first,
                       const Tensor& first_cell, const Tensor& batch_sizes);

}  // namespace garboard
