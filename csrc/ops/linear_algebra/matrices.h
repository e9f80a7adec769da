// What ops of linear algebra have in common: checks, batches, memory for LAPACK, and its answers.
#pragma once

#include <climits>

#include "csrc/core/error.h"
#include "csrc/device/backend.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/composite/join.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/products/matmul.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/shape/windows.h"
#include "kernels/run.h"

namespace garboard::matrices {

inline void check_matrix(const char* op, const Tensor& x) {
  if (x.ndim() < 2)
    throw ShapeError(text(op, ": sizes ", x.sizes(), "; at least two dims are needed"));
  if (!has_gradient(x.dtype()) || is_half(x.dtype()))
    throw DTypeError(text(op, ": dtype ", name_of(x.dtype()),
                          "; float32, float64 or complex is needed, convert with to()"));
  for (const int dim : {x.ndim() - 2, x.ndim() - 1}) {
    if (x.size(dim) > INT_MAX / 2)
      throw ShapeError(text(op, ": sizes ", x.sizes(), "; sides below 2^30 are needed"));
  }
}

inline std::int64_t rows_of(const Tensor& x) { return x.size(x.ndim() - 2); }
inline std::int64_t columns_of(const Tensor& x) { return x.last_size(); }

inline void check_square(const char* op, const Tensor& x) {
  check_matrix(op, x);
  if (rows_of(x) != columns_of(x))
    throw ShapeError(text(op, ": matrices of sizes ", x.sizes(), "; square ones are needed"));
}

/// Raises unless both may meet in one product.
inline void check_pair(const char* op, const Tensor& a, const Tensor& b) {
  check_matrix(op, b);
  check_factors(op, a, b);
}

inline Tensor turned(const Tensor& x) { return transpose(x, -2, -1); }
/// Of real matrices the same.
inline Tensor adjoint(const Tensor& x) { return conj(turned(x)); }

/// Where LAPACK computes for `device`: on the host. What it is given comes there and what it gives
/// goes back, without history; a device that computes nothing keeps both.
inline Device lapack_device(Device device) { return computes(device) ? Device() : device; }
inline Tensor moved(const Tensor& x, Device device) {
  const GradModeGuard no_grad(false);
  return to(x, device);
}
/// A copy that LAPACK may write, row-major.
inline Tensor copy_for_lapack(const Tensor& x) {
  const Tensor there = moved(x, lapack_device(x.device()));
  const GradModeGuard no_grad(false);
  return there == x ? row_major_copy(x) : there;
}

/// The sizes of a batch: those before the last `own`.
inline Dims batch_sizes(const Tensor& x, int own = 2) {
  return Dims(std::span(x.sizes().data(), static_cast<std::size_t>(x.ndim() - own)));
}
inline Dims with(Dims batch, std::initializer_list<std::int64_t> own) {
  for (const std::int64_t size : own) batch.push_back(size);
  return batch;
}

/// A dense tensor with its batch in one dim before the last `own`.
inline View batched(const Tensor& x, int own = 2) {
  std::int64_t batch = 1;
  for (int i = 0; i < x.ndim() - own; ++i) batch *= x.size(i);
  Dims sizes{batch};
  for (int i = x.ndim() - own; i < x.ndim(); ++i) sizes.push_back(x.size(i));
  return make_view(x.data(), x.dtype(), sizes, contiguous_strides(sizes));
}

/// Matrices seen from the other side: of a dense tensor, without history.
inline Tensor seen_turned(const Tensor& dense) {
  Dims sizes = dense.sizes(), strides = dense.strides();
  const int last = sizes.size() - 1;
  std::swap(sizes[last], sizes[last - 1]);
  std::swap(strides[last], strides[last - 1]);
  return dense.alias_of_storage(sizes, strides, dense.offset());
}

/// A batch of matrices whose rows or columns are dense, with any stride between them: `x` as it is,
/// or copied into `copy`.
inline View readable(const Tensor& x, Tensor& copy) {
  const int n = x.ndim();
  const Dims strides = x.strides();
  const std::int64_t rows = rows_of(x), columns = columns_of(x);
  const bool by_rows = strides[n - 1] == 1 && strides[n - 2] >= columns;
  const bool by_columns = strides[n - 2] == 1 && strides[n - 1] >= rows;
  std::int64_t batch = 1, stride = 0;
  bool is_even = true;  // one stride for the whole batch
  for (int i = n - 3; i >= 0; --i) {
    if (x.size(i) == 1) continue;
    if (batch == 1)
      stride = strides[i];
    else
      is_even = is_even && strides[i] == stride * batch;
    batch *= x.size(i);
  }
  if (is_even && (by_rows || by_columns) && strides[n - 1] <= INT_MAX && strides[n - 2] <= INT_MAX)
    return make_view(x.data(), x.dtype(), {batch, rows, columns},
                     {stride, strides[n - 2], strides[n - 1]});
  copy = row_major_copy(x);
  return batched(copy);
}

/// How many parts a batch is worked on in, each with memory of its own.
inline std::int64_t parts_of(std::int64_t batch) {
  constexpr std::int64_t most = 16;
  return std::min(batch, most);
}

/// Memory for the length of a kernel, `each` elements a part.
inline Tensor memory_for(const char* op, std::int64_t batch, std::int64_t each, DType dtype,
                         Device device) {
  if (each > INT_MAX)
    throw ShapeError(text(op, ": LAPACK would need memory for ", each,
                          " elements a matrix; it takes fewer than 2^31"));
  return empty_of(op, {parts_of(batch), each}, dtype, device);
}

/// What LAPACK answers for each matrix: zeros, for what has no element is given to no kernel.
inline Tensor infos_of(const char* op, const Dims& batch, Device device) {
  const Tensor infos = empty_of(op, batch, DType::int32, device);
  fill_(infos, Scalar::of(std::int64_t{0}));
  return infos;
}

/// "linalg.cholesky: the matrix", or "linalg.cholesky: matrix 3 of the batch".
inline std::string named(const char* op, std::int64_t place, const Dims& batch) {
  if (batch.empty()) return text(op, ": the matrix");
  Dims at = batch;
  for (int i = batch.size() - 1; i >= 0; --i) {
    at[i] = place % batch[i];
    place /= batch[i];
  }
  return text(op, ": matrix ", at, " of the batch");
}

inline int info_at(const Tensor& infos, std::int64_t place) {
  return static_cast<const int*>(infos.data())[place];
}

}  // namespace garboard::matrices
