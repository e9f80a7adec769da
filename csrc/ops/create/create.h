// Tensors made from nothing.
#pragma once

#include "csrc/core/scalar.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

/// Raises DTypeError for a number that `dtype` cannot hold: one beyond an integer dtype, NaN too.
void check_fits(const char* op, Scalar value, DType dtype);

/// Row-major and uninitialised. Raises ShapeError for a negative size, and where the sizes need
/// 2^63 bytes or more.
Tensor empty(const Dims& sizes, DType dtype, Device device = {}, const char* op = "empty");
/// As the one above for sizes that come from tensors: none is negative, and the device is there.
inline Tensor empty_of(const char* op, const Dims& sizes, DType dtype, Device device) {
  return Tensor::fresh(sizes, dtype, device, op);
}
/// As the contiguous `like`, in another dtype: the cheapest way to a result.
inline Tensor empty_like(const char* op, const Tensor& like, DType dtype) {
  return Tensor::fresh(like, dtype, op);
}
Tensor full(const Dims& sizes, Scalar value, DType dtype, Device device = {},
            const char* op = "full");
Tensor zeros(const Dims& sizes, DType dtype, Device device = {});
/// A 0-d tensor.
Tensor scalar_tensor(Scalar value, DType dtype, Device device = {});
/// start, start + step, ... up to but without `end`. In an integer dtype the count is that of the
/// numbers as given, and start and step are cut off towards zero, as in PyTorch: 0 to 3 by 0.5 is
/// six zeros. Raises ShapeError for a zero step or one that leads away from `end`, and for NaN.
Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype, Device device = {});
/// Ones on the diagonal of `rows` x `columns`.
Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Device device = {});

/// Writes `value` everywhere, in place.
void fill_(const Tensor& self, Scalar value);

}  // namespace garboard
