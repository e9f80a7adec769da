// Several tensors made one.
#pragma once

#include <vector>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Along a dim they have; the other sizes are equal. Raises ShapeError.
Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim);
/// Along a new dim; all sizes are equal.
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim);
/// Zeros with matrices along the diagonal; what has one dim is a row, what has none one element.
Tensor block_diag(const std::vector<Tensor>& tensors);

}  // namespace garboard
