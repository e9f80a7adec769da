// Losses.
#pragma once

#include <cstdint>

#include "csrc/tensor/tensor.h"

namespace garboard {

enum class Reduction : std::uint8_t { none, mean, sum };

/// -log softmax(input)[target], from logits [rows, classes], or [classes] with a 0-d target; int64
/// targets. The mean is over the rows that are not ignored. Raises ShapeError, DTypeError, and
/// IndexOutOfRangeError for a target out of range.
Tensor cross_entropy(const Tensor& input, const Tensor& target, Reduction reduction,
                     std::int64_t ignore_index);
/// (input - target)^2, in equal sizes.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction);

}  // namespace garboard
