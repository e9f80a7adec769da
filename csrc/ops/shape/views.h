// Other looks at the same bytes. Every result shares its input's storage and version.
#pragma once

#include <optional>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// `dim` in [0, ndim), from [-ndim, ndim). Raises IndexOutOfRangeError. A 0-d tensor has dim 0 and
/// -1.
int checked_dim(const char* op, std::int64_t dim, int ndim);

/// A bit for each of `dims`. Raises ShapeError where one is named twice.
unsigned distinct_dims(const char* op, const Dims& dims, int ndim);

/// Raises ShapeError where `input` has as many dims as a tensor can have.
void check_room(const char* op, const Tensor& input);

/// The elements in row-major order, in other sizes, one of which may be -1: "what is left". Raises
/// ShapeError where the strides do not allow it.
Tensor view(const Tensor& input, const Dims& sizes);
/// The same bytes as elements of another dtype; no gradient passes, except to the same dtype. The
/// last dim grows or shrinks where elements do. Raises ShapeError where it cannot.
Tensor reinterpreted(const Tensor& input, DType dtype);
/// As `view`, or a copy where the strides do not allow one.
Tensor reshape(const Tensor& input, const Dims& sizes);
Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1);
/// Swaps the dims of a matrix; leaves what has fewer as it is. Raises ShapeError for more than two.
Tensor t(const Tensor& input);
/// The dims in reverse order.
Tensor reversed(const Tensor& input);
Tensor permute(const Tensor& input, const Dims& dims);
/// Each of `dims` from its end to its start, by strides below 0. Raises ShapeError where one is
/// named twice.
Tensor turned(const Tensor& input, const Dims& dims);
/// Sizes of 1 widened by stride 0; -1 keeps a size.
Tensor expand(const Tensor& input, const Dims& sizes);
/// Without the dims of size 1, or without those of `dims` whose size is 1.
Tensor squeeze(const Tensor& input, const std::optional<Dims>& dims = std::nullopt);
Tensor unsqueeze(const Tensor& input, std::int64_t dim);
/// `length` elements along `dim`, from `start`.
Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start, std::int64_t length);
/// Without `dim`, at `index` of it; negative counts from the end.
Tensor select(const Tensor& input, std::int64_t dim, std::int64_t index);
/// Every `step`-th element along `dim`, `length` of them, from `start`; all in range already.
Tensor slice(const Tensor& input, int dim, std::int64_t start, std::int64_t length,
             std::int64_t step);
/// dims `from` to `to` made one.
Tensor flatten(const Tensor& input, std::int64_t from, std::int64_t to);
/// All of the input, as a view.
Tensor alias(const Tensor& input);
/// Shares storage and version, has no history.
Tensor detach(const Tensor& input);

}  // namespace garboard
