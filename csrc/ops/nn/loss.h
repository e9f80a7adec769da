// Losses.
#pragma once

#include <cstdint>

#include "csrc/core/scalar.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

enum class Reduction : std::uint8_t { none, mean, sum };

struct CrossEntropyOptions {
  Tensor weight = {};  // [classes], of the logits' dtype; empty: all 1. No
                       // gradient passes to it
  std::int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;  // in [0, 1]
};
/// -log softmax(input)[target], from logits [rows, classes], [groups, classes, places] with a
/// target [groups, places], or [classes] with a 0-d target; int64 targets. Smoothing spreads that
/// part of a target evenly over all classes. The mean is over the rows that are not ignored, each
/// counted as its target's weight. Raises ShapeError, DTypeError, and
/// IndexOutOfRangeError for a target out of range.
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     const CrossEntropyOptions& options = {});
/// -weight[target] input[target], of logarithms of probabilities in those sizes, likewise; `weight`
/// may be empty. Until backward the graph keeps the target and the weight alone.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                std::int64_t ignore_index, Reduction reduction);
/// (input - target)^2, in equal sizes.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction);
/// Half the squared distance, up to `turn`, and from there on its tangent; broadcast.
Tensor huber_loss(const Tensor& input, const Tensor& target, const Scalar& turn,
                  Reduction reduction);

}  // namespace garboard
