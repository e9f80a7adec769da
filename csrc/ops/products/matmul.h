// Matrix products.
#pragma once

#include "csrc/tensor/tensor.h"

namespace garboard {

/// Raises DTypeError unless both are of one dtype, and of numbers; DeviceError.
void check_factors(const char* op, const Tensor& a, const Tensor& b);
/// Of two matrices, or with 3 dims of batches of as many; the op is called `op`.
Tensor multiplied(const char* op, const Tensor& a, const Tensor& b, int ndim);

/// [n, k] x [k, m]. Raises ShapeError, DTypeError.
Tensor mm(const Tensor& a, const Tensor& b);
/// [batch, n, k] x [batch, k, m].
Tensor bmm(const Tensor& a, const Tensor& b);
/// Vectors, matrices and batches of them, the batch dims broadcast: NumPy's rules.
Tensor matmul(const Tensor& a, const Tensor& b);
/// input @ weight.T + bias: [..., in] x [out, in] + [out]. `bias` may be empty.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias);

}  // namespace garboard
