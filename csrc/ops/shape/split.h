// A tensor taken apart along a dim: views, one behind the other.
#pragma once

#include <vector>

#include "csrc/tensor/tensor.h"

namespace garboard {

// More than four million pieces are refused with a ShapeError.

/// Pieces of `size` along `dim`; the last one may be shorter. Raises ShapeError for a size below 1.
std::vector<Tensor> split(const Tensor& input, std::int64_t size, std::int64_t dim);
/// Pieces of these sizes. Raises ShapeError unless they add up to the dim's. Errors name `op`.
std::vector<Tensor> split_with_sizes(const char* op, const Tensor& input,
                                     const std::vector<std::int64_t>& sizes, std::int64_t dim);
/// At most `count` pieces of one size, but for the last.
std::vector<Tensor> chunk(const Tensor& input, std::int64_t count, std::int64_t dim);
/// `count` pieces whose sizes differ by one at most. Errors name `op`.
std::vector<Tensor> tensor_split(const char* op, const Tensor& input, std::int64_t count,
                                 std::int64_t dim);
/// Cut before each of `places`, which count as those of a slice do: x[:a], x[a:b], x[b:].
std::vector<Tensor> tensor_split(const char* op, const Tensor& input,
                                 const std::vector<std::int64_t>& places, std::int64_t dim);
/// Every index of `dim`, which goes.
std::vector<Tensor> unbind(const Tensor& input, std::int64_t dim);

}  // namespace garboard
