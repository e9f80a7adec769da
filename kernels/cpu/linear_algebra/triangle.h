// Solutions of triangular systems: halves of a triangle one after the other, between them a
// product, which is the fastest that there is; small triangles by BLAS.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/blas/lapack.h"
#include "kernels/cpu/linear_algebra/batches.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matmul.h"
#include "kernels/cpu/tuning.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// A factor as CBLAS takes it: of complex numbers by address.
template <class T>
auto as_alpha(const T& factor) {
  if constexpr (is_complex_type<T>)
    return &factor;
  else
    return factor;
}

template <class T>
Matrix matrix(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
              std::int64_t column_stride = 1) {
  return {reinterpret_cast<char*>(const_cast<T*>(data)),
          static_cast<int>(sizeof(T)),
          rows,
          columns,
          row_stride,
          column_stride};
}

/// A triangle of matrices whose rows or columns are dense.
template <class T>
class Triangle {
 public:
  Triangle(const char* op, const View& a, bool is_upper, bool is_transposed, bool has_unit_diagonal)
      : calls_(lapack<T>(op)),
        dtype_(a.dtype),
        rows_first_(is_upper == is_transposed),
        diagonal_(has_unit_diagonal ? unit_diagonal : any_diagonal) {
    // Row-major BLAS is told of one that lies column by column as the other one, transposed.
    const bool by_columns = a.strides.data()[2] != 1 && size_of(a, 2) > 1;
    uplo_ = is_upper != by_columns ? upper_triangle : lower_triangle;
    transpose_ = is_transposed != by_columns ? transposed : as_is;
    const std::int64_t stride = a.strides.data()[by_columns ? 2 : 1];
    leading_ = stride < size_of(a, 1) ? size_of(a, 1) : stride;
    const bool is_turned = by_columns != is_transposed;
    row_ = is_turned ? 1 : leading_;
    column_ = is_turned ? leading_ : 1;
  }

  /// b, of dense rows, becomes the solution x of a x = b.
  [[gnu::noinline]] void solve_left(const T* a, T* b, std::int64_t n, std::int64_t columns) const {
    if (n <= tuning::triangle_side || columns < tuning::triangle_columns)
      return call(left_side, a, b, n, columns);
    const std::int64_t half = divided_up(n / 2, unit) * unit, rest = n - half;
    const T* const second = a + half * (row_ + column_);
    T* const below = b + half * columns;
    if (rows_first_) {
      solve_left(a, b, half, columns);
      subtract(below, a + half * row_, b, rest, half, columns);
      solve_left(second, below, rest, columns);
    } else {
      solve_left(second, below, rest, columns);
      subtract(b, a + half * column_, below, half, rest, columns);
      solve_left(a, b, half, columns);
    }
  }
  /// Likewise of x a = b.
  [[gnu::noinline]] void solve_right(const T* a, T* b, std::int64_t rows, std::int64_t n) const {
    call(right_side, a, b, rows, n);
  }

 private:
  static constexpr std::int64_t unit = 16;

  void call(int side, const T* a, T* b, std::int64_t rows, std::int64_t columns) const {
    const T one(1);
    calls_.trsm(row_major, side, uplo_, transpose_, diagonal_, static_cast<int>(rows),
                static_cast<int>(columns), as_alpha(one), a, static_cast<int>(leading_), b,
                static_cast<int>(columns));
  }
  /// out -= a x; some columns at a time, for minus x is memory beside it.
  void subtract(T* out, const T* a, const T* x, std::int64_t rows, std::int64_t depth,
                std::int64_t columns) const {
    const std::int64_t most = std::max(unit, tuning::negated_elements / depth);
    const Scratch memory(depth * std::min(most, columns), sizeof(T));
    T* const negative = memory.as<T>();
    for (std::int64_t first = 0; first < columns; first += most) {
      const std::int64_t count = std::min(most, columns - first);
      for (std::int64_t k = 0; k < depth; ++k)
        for (std::int64_t c = 0; c < count; ++c)
          negative[k * count + c] = -x[k * columns + first + c];
      multiply(dtype_, matrix(out + first, rows, count, columns),
               matrix(a, rows, depth, row_, column_), matrix(negative, depth, count, count), true);
    }
  }

  const Lapack<T>& calls_;
  DType dtype_;
  bool rows_first_;  // what is solved first stands in the first rows
  int diagonal_, uplo_, transpose_;
  std::int64_t leading_, row_, column_;  // strides of what is seen as a
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
