// Products of matrices, for kernels that are made of them.
#pragma once

#include <cstdint>

#include "csrc/core/dtype.h"

namespace garboard::kernels::GARBOARD_ISA {

/// Strides are in elements, and any: transposed, stepped, negative, 0. That of a dim of size 1 is
/// what it is in a dense matrix.
struct Matrix {
  char* data;
  int item;  // bytes of an element
  std::int64_t rows, columns;
  std::int64_t row_stride, column_stride;
};

inline Matrix turned(const Matrix& m) {
  return {m.data, m.item, m.columns, m.rows, m.column_stride, m.row_stride};
}

/// out = a b, or out += a b; out's rows are dense and overlap nothing. Of half types, out and a may
/// be of floats; sums are, and are rounded once. The bits depend on sizes and strides alone. Inside
/// a chunk of work it keeps to one thread.
void multiply(DType dtype, const Matrix& out, const Matrix& a, const Matrix& b, bool accumulate);

}  // namespace garboard::kernels::GARBOARD_ISA
