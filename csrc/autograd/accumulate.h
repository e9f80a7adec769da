// Where the parts of a gradient meet.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// `sum`, with `gradient` added: in place where nobody can tell.
void accumulate(Tensor& sum, Tensor gradient, bool is_recorded);

/// Adds to the `.grad` of a tensor.
void add_to_grad(const Tensor& tensor, Tensor gradient, bool is_recorded);

}  // namespace garboard
