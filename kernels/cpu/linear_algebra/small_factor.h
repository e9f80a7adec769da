// Factors of small square matrices, and what is solved with them: a call of LAPACK takes longer
// than all there is to do.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "csrc/core/complex.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr int most_rows_of_small = 8;

template <class T>
T pivot_size(T x) {
  return std::abs(x);
}
template <class T>
T pivot_size(Complex<T> x) {
  return std::abs(x.real) + std::abs(x.imaginary);
}

/// As LAPACK's getrf does it: `a` lies column by column, `pivots` count from 1. Returns which pivot
/// was the first to be 0, or 0.
template <class T>
int factor_small(T* a, int n, int* pivots) {
  int failure = 0;
  for (int k = 0; k < n; ++k) {
    T* const column = a + k * n;
    int chosen = k;
    for (int row = k + 1; row < n; ++row) {
      if (pivot_size(column[row]) > pivot_size(column[chosen])) chosen = row;
    }
    pivots[k] = chosen + 1;
    if (column[chosen] == T(0)) {
      failure = failure ? failure : k + 1;
      continue;
    }
    if (chosen != k) {
      for (int c = 0; c < n; ++c) std::swap(a[c * n + k], a[c * n + chosen]);
    }
    for (int row = k + 1; row < n; ++row) column[row] = column[row] / column[k];
    for (int c = k + 1; c < n; ++c) {
      const T factor = a[c * n + k];
      for (int row = k + 1; row < n; ++row) a[c * n + row] = a[c * n + row] - column[row] * factor;
    }
  }
  return failure;
}

/// A small matrix of factors, L without its diagonal below U's; it may lie in either order.
template <class T>
struct SmallFactors {
  const T* data;
  std::int64_t of_row, of_column;

  T at(int row, int column) const { return data[row * of_row + column * of_column]; }
  SmallFactors transposed() const { return {data, of_column, of_row}; }
};

/// Takes from row `row` of `b`, which has so many columns, what others of [first, last) tell of it.
template <class T>
void eliminate(SmallFactors<T> by, T* b, int columns, int row, int first, int last) {
  for (int k = first; k < last; ++k) {
    const T factor = by.at(row, k);
    for (int c = 0; c < columns; ++c)
      b[row * columns + c] = b[row * columns + c] - factor * b[k * columns + c];
  }
}

template <class T>
void divide_row(T* b, int columns, int row, T by) {
  for (int c = 0; c < columns; ++c) b[row * columns + c] = b[row * columns + c] / by;
}

/// Solves L U x = b in place, or with both transposed U L x = b.
template <class T>
void solve_small(SmallFactors<T> lu, bool transposed, T* b, int n, int columns) {
  const SmallFactors<T> by = transposed ? lu.transposed() : lu;
  for (int row = 0; row < n; ++row) {
    eliminate(by, b, columns, row, 0, row);
    if (transposed) divide_row(b, columns, row, lu.at(row, row));
  }
  for (int row = n - 1; row >= 0; --row) {
    eliminate(by, b, columns, row, row + 1, n);
    if (!transposed) divide_row(b, columns, row, lu.at(row, row));
  }
}

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
