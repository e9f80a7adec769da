// Matrix products.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// [n, k] x [k, m]. Raises ShapeError, DTypeError.
Tensor mm(const Tensor& a, const Tensor& b);
/// [batch, n, k] x [batch, k, m].
Tensor bmm(const Tensor& a, const Tensor& b);
/// Vectors, matrices and batches of them, the batch dims broadcast: NumPy's rules.
Tensor matmul(const Tensor& a, const Tensor& b);
/// input @ weight.T + bias: [..., in] x [out, in] + [out]. `bias` may be empty.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias);

}  // namespace garboard
