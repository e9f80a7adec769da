// Tensors of numbers that say where elements are: what they may be, and what is said of bad ones.
#pragma once

#include "csrc/ops/shape/views.h"
#include "csrc/tensor/tensor.h"
#include "kernels/index_arguments.h"

namespace garboard {

/// Whether a negative number counts from the end of the dim, as in `x[-1]`, or is out of range.
enum class Negative : std::uint8_t { counts_from_end, is_refused };

/// `index` as kernels take it: in int64, without history. Raises DTypeError for what is neither
/// int64 nor int32, DeviceError where it is not with `input`.
Tensor index_numbers(const char* op, const Tensor& index, const Tensor& input);

/// A tensor without dims as one of one element, which has a dim to count along.
inline Tensor with_dims(const Tensor& tensor) {
  return tensor.ndim() ? tensor : reshape(tensor, {1});
}

/// Of a dim of `input`.
kernels::IndexedDim indexed_dim(const Tensor& input, int dim, Negative negative);

/// Raises IndexOutOfRangeError, which names a number of `index` that does not lie in a dim of
/// `size` elements; called where a kernel has met one.
[[noreturn]] void refuse_index(const char* op, const Tensor& index, int dim,
                               const kernels::IndexedDim& along);

/// `other`, or a copy of it where it shares bytes with `self`, which is about to be written.
Tensor apart_from(const Tensor& self, const Tensor& other);

}  // namespace garboard
