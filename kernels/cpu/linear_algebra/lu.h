// P L U by halves of the columns: what is between them is a product, which is the fastest that
// there is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/linear_algebra/small_factor.h"
#include "kernels/cpu/linear_algebra/triangle.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Factors as LAPACK's getrf does, of real matrices that lie column by column.
template <class T>
class LuByHalves {
 public:
  LuByHalves(DType dtype, std::int64_t stride) : dtype_(dtype), stride_(stride) {}

  /// Pivots count from 1, from the first row of `a`. Returns which was the first to be 0, or 0.
  [[gnu::noinline]] int factor(T* a, std::int64_t rows, std::int64_t columns, int* pivots) const {
    const std::int64_t all = std::min(rows, columns);
    if (all <= tuning::lu_columns)
      return factor_narrow(a, static_cast<int>(rows), static_cast<int>(columns), stride_, pivots);
    const std::int64_t half = divided_up(all / 2, unit) * unit, rest = columns - half;
    T *const right = a + half * stride_, *const below = right + half;
    const int failure = factor(a, rows, half, pivots);
    swap_rows(right, rest, pivots, half);
    solve(a, right, half, rest);
    if (rows == half) return failure;
    subtract(below, a + half, right, rows - half, half, rest);
    const int later = factor(below, rows - half, rest, pivots + half);
    swap_rows(a + half, half, pivots + half, all - half);
    for (std::int64_t k = half; k < all; ++k) pivots[k] += static_cast<int>(half);
    return failure || !later ? failure : later + static_cast<int>(half);
  }

 private:
  static constexpr int unit = 16, together = 4;

  [[gnu::noinline]] void swap_rows(T* a, std::int64_t columns, const int* pivots,
                                   std::int64_t count) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      T* const column = a + c * stride_;
      for (std::int64_t k = 0; k < count; ++k) std::swap(column[k], column[pivots[k] - 1]);
    }
  }
  /// b, whose rows are whole units, becomes the solution x of l x = b; l has ones along its
  /// diagonal.
  [[gnu::noinline]] void solve(const T* l, T* b, std::int64_t rows, std::int64_t columns) const {
    if (rows == unit) return solve_unit(l, b, columns);
    const std::int64_t half = divided_up(rows / 2, unit) * unit;
    solve(l, b, half, columns);
    subtract(b + half, l + half, b, rows - half, half, columns);
    solve(l + half * (stride_ + 1), b + half, rows - half, columns);
  }
  [[gnu::noinline]] void solve_unit(const T* l, T* b, std::int64_t columns) const {
    T below[unit][unit] = {};
    for (int k = 0; k < unit; ++k)
      for (int row = k + 1; row < unit; ++row) below[k][row] = l[k * stride_ + row];
    std::int64_t c = 0;
    for (; c + together <= columns; c += together) solve_columns<together>(below, b + c * stride_);
    for (; c < columns; ++c) solve_columns<1>(below, b + c * stride_);
  }
  template <int count>
  void solve_columns(const T (&below)[unit][unit], T* b) const {
    typedef T Column __attribute__((vector_size(unit * sizeof(T))));
    Column x[count];
    for (int n = 0; n < count; ++n) __builtin_memcpy(&x[n], b + n * stride_, sizeof x[n]);
#pragma GCC unroll 16
    for (int k = 0; k < unit - 1; ++k) {
      Column by;
      __builtin_memcpy(&by, below[k], sizeof by);
      for (int n = 0; n < count; ++n) x[n] -= by * x[n][k];
    }
    for (int n = 0; n < count; ++n) __builtin_memcpy(b + n * stride_, &x[n], sizeof x[n]);
  }
  /// out -= l u, all within one matrix; some columns at a time, for minus u is memory beside it.
  [[gnu::noinline]] void subtract(T* out, const T* l, const T* u, std::int64_t rows,
                                  std::int64_t depth, std::int64_t columns) const {
    const std::int64_t most = std::max<std::int64_t>(unit, tuning::negated_elements / depth);
    const Scratch memory(depth * std::min(most, columns), sizeof(T));
    T* const negative = memory.as<T>();
    for (std::int64_t first = 0; first < columns; first += most) {
      const std::int64_t count = std::min(most, columns - first);
      for (std::int64_t c = 0; c < count; ++c)
        for (std::int64_t k = 0; k < depth; ++k)
          negative[c * depth + k] = -u[(first + c) * stride_ + k];
      multiply(dtype_, matrix(out + first * stride_, count, rows, stride_),
               matrix(negative, count, depth, depth), matrix(l, depth, rows, stride_), true);
    }
  }

  DType dtype_;
  std::int64_t stride_;  // from column to column
};

}  // namespace
}  // namespace garboard::kernels::GARBOARD_ISA
