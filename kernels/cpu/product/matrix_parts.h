// Parts of matrices, and copies of them.
#pragma once

#include <cstdint>

#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/tuning.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A dense copy, in `memory`.
inline Matrix packed(const Matrix& m, char* memory) {
  gather(m.item, memory, m.data, {m.rows, m.columns, m.row_stride, m.column_stride});
  return {memory, m.item, m.rows, m.columns, m.columns, 1};
}

inline std::int64_t bytes_of(const Matrix& m) { return m.rows * m.columns * m.item; }

/// Rows [first, last) of a matrix.
inline Matrix rows_of(Matrix m, std::int64_t first, std::int64_t last) {
  m.data += first * m.row_stride * m.item;
  m.rows = last - first;
  return m;
}

inline Matrix columns_of(const Matrix& m, std::int64_t first, std::int64_t last) {
  return turned(rows_of(turned(m), first, last));
}

/// What a product takes.
inline double cost_ns(const Matrix& out, const Matrix& a) {
  return static_cast<double>(out.rows * out.columns) * static_cast<double>(a.columns) *
         tuning::product_ns;
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
