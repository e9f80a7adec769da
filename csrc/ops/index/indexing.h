// Indices in place of dims, as in `x[i, :, j]`: read, written and added to.
#pragma once

#include <optional>
#include <vector>

#include "csrc/ops/op/operand.h"

namespace garboard {

/// What stands for the first dims of a tensor: an integer tensor, a bool or uint8 one that is a
/// mask of as many dims as it has itself, or nothing, for all of a dim.
using Indices = std::vector<Tensor>;

/// The elements that `indices` name, which broadcast to one shape. It stands where the indices
/// stood, or in front where they do not stand side by side. Raises IndexOutOfRangeError,
/// ShapeError, DTypeError.
Tensor index(const Tensor& input, const Indices& indices);
/// Writes `values`, of self's dtype and broadcast, where `index` would read, or adds them. Where an
/// element is named twice, the last in row-major order stays, and sums are added up in that order.
/// All indices are looked at before an element is written.
void index_put_(const Tensor& self, const Indices& indices, const Tensor& values,
                bool accumulate = false);

// One index of at most one dim, for `dim`.
Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index);
void index_add_(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source,
                Scalar alpha = Scalar::of(std::int64_t{1}));
void index_copy_(const Tensor& self, std::int64_t dim, const Tensor& index, const Tensor& source);
void index_fill_(const Tensor& self, std::int64_t dim, const Tensor& index, const Operand& value);

// Of the flattened tensor.
Tensor take(const Tensor& input, const Tensor& index);
void put_(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate);

/// Rows of `weight`, [count, width], for each number in `input`; row `padding_idx` gets no
/// gradient.
Tensor embedding(const Tensor& input, const Tensor& weight,
                 std::optional<std::int64_t> padding_idx = {});

}  // namespace garboard
