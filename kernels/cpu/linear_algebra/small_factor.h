// Factors of matrices of few columns, and what is solved with small ones: a call of LAPACK takes
// longer than all there is to do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "csrc/core/complex.h"
#include "kernels/cpu/wide/wide_vector.h"

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

/// The place of the largest of `count` numbers, of several the first.
template <class T>
int place_of_largest(const T* x, int count) {
  int chosen = 0, i = 1;
  if constexpr (!is_complex_type<T>) {
    using Wide = WideVector<T>;
    constexpr int lanes = static_cast<int>(Wide::lanes);
    if (count >= 4 * lanes) {
      auto most = Wide::load(x);
      most = most < 0 ? -most : most;
      auto places = most < most, here = places;  // zeros
      for (i = lanes; i + lanes <= count; i += lanes) {
        here += lanes;
        const auto read = Wide::load(x + i), size = read < 0 ? -read : read;
        places = size > most ? here : places;
        most = size > most ? size : most;
      }
      for (int lane = 0; lane < lanes; ++lane) {
        const int place = static_cast<int>(places[lane]) + lane;
        const T size = pivot_size(x[place]), best = pivot_size(x[chosen]);
        if (size > best || (size == best && place < chosen)) chosen = place;
      }
    }
  }
  for (; i < count; ++i) {
    if (pivot_size(x[i]) > pivot_size(x[chosen])) chosen = i;
  }
  return chosen;
}

/// As LAPACK's getrf does it: `a` lies column by column, `stride` apart; `pivots` count from 1.
/// Returns which pivot was the first to be 0, or 0.
template <class T>
[[gnu::noinline]] int factor_narrow(T* a, int rows, int columns, std::int64_t stride, int* pivots) {
  int failure = 0;
  for (int k = 0; k < std::min(rows, columns); ++k) {
    T* const column = a + k * stride;
    const int chosen = k + place_of_largest(column + k, rows - k);
    pivots[k] = chosen + 1;
    if (column[chosen] == T(0)) {
      failure = failure ? failure : k + 1;
      continue;
    }
    if (chosen != k) {
      for (int c = 0; c < columns; ++c) std::swap(a[c * stride + k], a[c * stride + chosen]);
    }
    for (int row = k + 1; row < rows; ++row) column[row] = column[row] / column[k];
    for (int c = k + 1; c < columns; ++c) {
      T* const other = a + c * stride;
      const T factor = other[k];
      for (int row = k + 1; row < rows; ++row) other[row] = other[row] - column[row] * factor;
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
[[gnu::noinline]] void solve_small(SmallFactors<T> lu, bool transposed, T* b, int n, int columns) {
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
