// Products by BLAS: in what layouts it takes matrices, and in parts of one size whatever the number
// of threads.
#pragma once

#include <climits>
#include <cstdint>
#include <type_traits>

#include "kernels/blas/blas.h"
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/product/matrix_parts.h"
#include "kernels/functors/element.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// How BLAS is told of a matrix: which way its dense direction runs, and the other stride.
struct BlasLayout {
  bool is_known;
  bool is_transposed;
  int leading;
};

inline BlasLayout layout_of(const Matrix& m) {
  if (m.column_stride == 1 && m.row_stride >= m.columns && m.row_stride <= INT_MAX)
    return {true, false, static_cast<int>(m.row_stride)};
  if (m.row_stride == 1 && m.column_stride >= m.rows && m.column_stride <= INT_MAX)
    return {true, true, static_cast<int>(m.column_stride)};
  return {false, false, 0};
}

inline int code(bool is_transposed) { return is_transposed ? Blas::transposed : Blas::as_is; }

template <class T>
struct Calls {
  Blas::Product<T> product;
  Blas::VectorProduct<T> vector_product;
};

template <class R>
struct Calls<Complex<R>> {
  Blas::ComplexProduct product;
};

template <class T>
Calls<T> calls_of(const Blas& blas) {
  if constexpr (std::is_same_v<T, float>) return {blas.sgemm, blas.sgemv};
  if constexpr (std::is_same_v<T, double>) return {blas.dgemm, blas.dgemv};
  if constexpr (std::is_same_v<T, Complex<float>>) return {blas.cgemm};
  if constexpr (std::is_same_v<T, Complex<double>>) return {blas.zgemm};
}

/// y = m x, x and y being vectors of any positive stride.
template <class T>
void multiply_vector(const Calls<T>& calls, const Matrix& m, const BlasLayout& layout,
                     const void* x, std::int64_t x_stride, void* y, std::int64_t y_stride, T beta) {
  // BLAS wants the matrix as it lies in memory.
  const auto rows = static_cast<int>(layout.is_transposed ? m.columns : m.rows);
  const auto columns = static_cast<int>(layout.is_transposed ? m.rows : m.columns);
  calls.vector_product(Blas::row_major, code(layout.is_transposed), rows, columns, T(1),
                       reinterpret_cast<const T*>(m.data), layout.leading, static_cast<const T*>(x),
                       static_cast<int>(x_stride), beta, static_cast<T*>(y),
                       static_cast<int>(y_stride));
}

inline bool can_step(std::int64_t stride) { return stride > 0 && stride <= INT_MAX; }

/// OpenBLAS's small product of a matrix and a transposed one is up to twice as slow as that of two
/// plain ones. From some rows on, turning b around costs less.
inline bool is_slow(const Matrix& a, const BlasLayout& of_a, const Matrix& b,
                    const BlasLayout& of_b) {
  constexpr std::int64_t least_rows = 16, most_products = 1 << 18;
  return !of_a.is_transposed && of_b.is_transposed && a.rows >= least_rows && b.columns > 1 &&
         a.rows * b.columns * a.columns <= most_products;
}

template <class T>
void multiply_by_blas(const Calls<T>& calls, const Matrix& out, Matrix a, Matrix b,
                      bool accumulate) {
  BlasLayout of_a = layout_of(a), of_b = layout_of(b);
  if (is_slow(a, of_a, b, of_b)) of_b.is_known = false;
  const Scratch scratch((of_a.is_known ? 0 : bytes_of(a)) + (of_b.is_known ? 0 : bytes_of(b)));
  char* free = scratch.data();
  if (!of_a.is_known) {
    a = packed(a, free);
    of_a = layout_of(a);
    free += bytes_of(a);
  }
  if (!of_b.is_known) {
    b = packed(b, free);
    of_b = layout_of(b);
  }
  const T one = T(1), beta = accumulate ? T(1) : T(0);
  const auto multiply = [&](const auto& alpha, const auto& beta) {
    calls.product(Blas::row_major, code(of_a.is_transposed), code(of_b.is_transposed),
                  static_cast<int>(out.rows), static_cast<int>(out.columns),
                  static_cast<int>(a.columns), alpha, reinterpret_cast<const T*>(a.data),
                  of_a.leading, reinterpret_cast<const T*>(b.data), of_b.leading, beta,
                  reinterpret_cast<T*>(out.data), static_cast<int>(out.row_stride));
  };
  if constexpr (functors::ComplexNumber<T>) {
    multiply(&one, &beta);
  } else {
    // One row or column: gemm is up to four times slower there. Of two vectors one is to be a row.
    const bool is_of_vectors = out.rows == 1 && out.columns == 1 && a.column_stride == 1;
    if (out.rows == 1 && can_step(a.column_stride) && !is_of_vectors) {
      const Matrix m = turned(b);
      return multiply_vector<T>(calls, m, {true, !of_b.is_transposed, of_b.leading}, a.data,
                                a.column_stride, out.data, 1, beta);
    }
    if (out.columns == 1 && can_step(b.row_stride) && can_step(out.row_stride))
      return multiply_vector<T>(calls, a, of_a, b.data, b.row_stride, out.data, out.row_stride,
                                beta);
    multiply(one, beta);
  }
}

inline bool fits_blas(const Matrix& out, const Matrix& a) {
  return out.rows <= INT_MAX && out.columns <= INT_MAX && a.columns <= INT_MAX &&
         out.row_stride <= INT_MAX;
}

/// A side in parts of one length, at most `most`, but for the last: whole vectors of any library.
struct SideParts {
  std::int64_t size, length, count;

  SideParts(std::int64_t size, std::int64_t most)
      : size(size),
        length(divided_up(divided_up(size, divided_up(size, most)), 32) * 32),
        count(divided_up(size, length)) {}

  struct Part {
    std::int64_t first, last;
  };
  Part operator[](std::int64_t i) const { return {i * length, smaller(size, (i + 1) * length)}; }
};

/// By several calls where one would take long: a part of the depth each, which costs little, for
/// BLAS goes by parts of it too.
template <class T>
void multiply_in_calls(const Calls<T>& calls, const Matrix& out, const Matrix& a, const Matrix& b,
                       bool accumulate) {
  std::int64_t depth = tuning::blas_call_depth;
  if (a.columns > depth)
    depth = larger(tuning::blas_call_products / (out.rows * out.columns), depth);
  for (std::int64_t k = 0;;) {
    const std::int64_t last = a.columns - k > depth ? k + depth : a.columns;
    multiply_by_blas<T>(calls, out, columns_of(a, k, last), rows_of(b, k, last),
                        accumulate || k > 0);
    if (last == a.columns) return;
    k = last;
    interruption_point();
  }
}

/// A large product is cut into parts of the same sizes whatever the number of threads: how BLAS
/// sums depends on the sizes that it gets.
template <class T>
void multiply_in_parts(const Calls<T>& calls, const Matrix& out, const Matrix& a, const Matrix& b,
                       bool accumulate) {
  if (larger(out.rows, out.columns) < tuning::blas_least_side || out.rows == 1 ||
      out.columns == 1 || out.rows * out.columns * a.columns < tuning::blas_least_products)
    return multiply_in_calls<T>(calls, out, a, b, accumulate);
  std::int64_t side = tuning::blas_part_side;
  while (side < tuning::blas_most_side && side * side * tuning::blas_parts < out.rows * out.columns)
    side += tuning::blas_part_side / 2;
  const SideParts rows(out.rows, side), columns(out.columns, side);
  for_each_part(
      rows.count * columns.count, 1, cost_ns(out, a), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) {
          const auto [row, last_row] = rows[i / columns.count];
          const auto [column, last_column] = columns[i % columns.count];
          multiply_in_calls<T>(calls, columns_of(rows_of(out, row, last_row), column, last_column),
                               rows_of(a, row, last_row), columns_of(b, column, last_column),
                               accumulate);
        }
      });
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
