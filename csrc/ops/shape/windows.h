// Views that look along more than one stride of their input: diagonals, windows, strides of one's
// own; and what a gradient does where such a view meets an element more than once.
#pragma once

#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Sizes and strides of one's own over the input's storage, from `offset`, or where the input
/// starts. Raises ShapeError where they leave the storage, or a stride is negative; GradientError
/// where the input has a history and they leave what that covers.
Tensor as_strided(const Tensor& input, const Dims& sizes, const Dims& strides,
                  std::optional<std::int64_t> offset);
/// Every window of `size` elements along `dim`, `step` apart; the elements of a window lie along a
/// new last dim.
Tensor unfold(const Tensor& input, std::int64_t dim, std::int64_t size, std::int64_t step);
/// What lies `offset` above the diagonal of two dims, along a new last dim.
Tensor diagonal(const Tensor& input, std::int64_t offset, std::int64_t dim1, std::int64_t dim2);
/// Zeros whose diagonals along two new dims are the last dim of the input.
Tensor diag_embed(const Tensor& input, std::int64_t offset, std::int64_t dim1, std::int64_t dim2);

/// A dim along which elements are met that other dims meet too, the shorter of two where either
/// will do; -1 where each is met once. Strides of which the larger ones do not pass over what the
/// smaller ones reach count as such, too: no view that ops make of a dense tensor has them.
int dim_that_overlaps(const Dims& sizes, const Dims& strides);

/// Writes `gradient` into `zeros`, a view of zeros of its sizes: what meets an element more than
/// once is added up.
void sum_into(const Tensor& zeros, const Tensor& gradient);

}  // namespace garboard
