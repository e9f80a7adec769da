// Softmax along a dim, and its logarithm.
#pragma once

#include <cstdint>
#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// exp(x_i - max x) / sum_j exp(x_j - max x). Raises DTypeError unless floating.
Tensor softmax(const Tensor& input, std::int64_t dim, std::optional<DType> dtype = {});
/// x_i - max x - log sum_j exp(x_j - max x).
Tensor log_softmax(const Tensor& input, std::int64_t dim, std::optional<DType> dtype = {});

}  // namespace garboard
