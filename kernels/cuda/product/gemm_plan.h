// How cuBLAS is told of a product. It thinks in columns, and a row-major matrix is the transposed
// of a column-major one: out = a b is asked for as out^T = b^T a^T, and nothing is moved.
#pragma once

#include <algorithm>
#include <cstdint>

#include "csrc/core/view.h"

namespace garboard::kernels::cuda {

/// The last two dims of a view, and the step from batch to batch. A stride along a dim of size 1
/// means nothing: it gets the value that suits a dense matrix.
struct MatrixLayout {
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
  std::int64_t batch_stride;

  explicit MatrixLayout(const View& x)
      : rows(x.sizes[x.ndim() - 2]),
        columns(x.sizes[x.ndim() - 1]),
        row_stride(x.strides[x.ndim() - 2]),
        column_stride(x.strides[x.ndim() - 1]),
        batch_stride(x.ndim() > 2 ? x.strides[0] : 0) {
    if (columns == 1) column_stride = 1;
    if (rows == 1) row_stride = std::max<std::int64_t>(columns, column_stride);
  }

  bool has_dense_rows() const { return column_stride == 1 && row_stride >= columns; }
  bool has_dense_columns() const { return row_stride == 1 && column_stride >= rows; }
  /// Otherwise the matrix must be copied first.
  bool suits_blas() const { return has_dense_rows() || has_dense_columns(); }
};

/// A product as BLAS is asked for it, in columns: c = x y + beta c, for each of a batch.
struct Gemm {
  struct Operand {
    const void* data;
    bool is_transposed;
    std::int64_t leading, step;  // from column to column, from product to product

    Operand(const View& view, const MatrixLayout& m)
        : data(view.data),
          is_transposed(!m.has_dense_rows()),
          leading(is_transposed ? m.column_stride : m.row_stride),
          step(m.batch_stride) {}
  };

  DType dtype;
  std::int64_t rows, columns, depth, batch;  // c is rows x columns
  Operand x, y;
  double beta;
  void* c;
  std::int64_t leading, step;  // c's
};

/// out = a b, or out += a b. `a` and `b` suit BLAS, `out` has dense rows.
inline Gemm plan_gemm(const View& out, const View& a, const View& b, bool accumulate) {
  const MatrixLayout target(out), left(a), right(b);
  return {.dtype = out.dtype,
          .rows = target.columns,
          .columns = target.rows,
          .depth = left.columns,
          .batch = out.ndim() > 2 ? out.sizes[0] : 1,
          .x = {b, right},
          .y = {a, left},
          .beta = accumulate ? 1.0 : 0.0,
          .c = out.data,
          .leading = target.row_stride,
          .step = target.batch_stride};
}

}  // namespace garboard::kernels::cuda
