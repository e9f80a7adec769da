// Elements chosen by a bool mask, and where it is true.
#pragma once

#include <vector>

#include "csrc/ops/op/operand.h"

namespace garboard {

/// The coordinates of what is not zero, [count, ndim], int64, in row-major order.
Tensor nonzero(const Tensor& input);
/// The same, one tensor a dim; of a tensor without dims, which counts as one of one dim.
std::vector<Tensor> nonzero_places(const Tensor& input);

/// The elements of `input` where `mask` is true, both broadcast, in row-major order; one dim.
Tensor masked_select(const Tensor& input, const Tensor& mask);
/// Writes the first elements of `source`, of self's dtype, where `mask`, broadcast, is true. Raises
/// ShapeError where there are too few.
void masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source);
/// The same where `source` is to have one element for each that is true.
void masked_put_(const Tensor& self, const Tensor& mask, const Tensor& source);
/// Writes `value`, a number or a tensor without dims, where `mask`, broadcast, is true.
void masked_fill_(const Tensor& self, const Tensor& mask, const Operand& value);
Tensor masked_fill(const Tensor& input, const Tensor& mask, const Operand& value);

}  // namespace garboard
