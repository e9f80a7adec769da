// Several tensors made one.
#pragma once

#include <vector>

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Along a dim they have; the other sizes are equal. Raises ShapeError.
Tensor cat(const std::vector<Tensor>& tensors, std::int64_t dim);
/// Along a new dim; all sizes are equal.
Tensor stack(const std::vector<Tensor>& tensors, std::int64_t dim);

}  // namespace garboard
