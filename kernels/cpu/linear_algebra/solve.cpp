// Factors of square matrices, and what is solved with them.
#include <utility>

#include "kernels/cpu/linear_algebra/batches.h"
#include "kernels/cpu/linear_algebra/lu.h"
#include "kernels/cpu/linear_algebra/small_factor.h"
#include "kernels/cpu/linear_algebra/triangle.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
T real_part(T x) {
  return x;
}
template <class T>
T real_part(Complex<T> x) {
  return x.real;
}

template <class T>
void cholesky(const Cholesky& of) {
  const auto& calls = lapack<T>(Cholesky::name);
  const int n = int_of(of.a, 1);
  for_each_matrix(size_of(of.a, 0), cube_ns(n, n, n) / 3, [&](std::int64_t i) {
    T* const a = item<T>(of.a, i);
    calls.potrf(of.upper ? "L" : "U", &n, a, &n, item<int>(of.infos, i), 1);
    int* const info = item<int>(of.infos, i);
    for (std::int64_t row = 0; row < n; ++row) {
      // A library may take NaN for positive.
      if (*info == 0 && !(real_part(a[row * n + row]) > 0)) *info = static_cast<int>(row) + 1;
      const std::int64_t first = of.upper ? 0 : row + 1, last = of.upper ? row : n;
      for (std::int64_t column = first; column < last; ++column) a[row * n + column] = T(0);
    }
  });
}

template <class T>
void lu_factor(const LuFactor& of) {
  const int columns = int_of(of.a, 1), rows = int_of(of.a, 2);
  const int k = int_of(of.pivots, 1);
  for_each_matrix(size_of(of.a, 0), cube_ns(rows, columns, k), [&](std::int64_t i) {
    T* const a = item<T>(of.a, i);
    int *const pivots = item<int>(of.pivots, i), *const info = item<int>(of.infos, i);
    if constexpr (!is_complex_type<T>)
      *info = LuByHalves<T>(of.a.dtype, rows).factor(a, rows, columns, pivots);
    else if (k <= most_rows_of_small)
      *info = factor_narrow(a, rows, columns, rows, pivots);
    else
      lapack<T>(LuFactor::name).getrf(&rows, &columns, a, &rows, pivots, info);
  });
}

/// A pivot beyond the rows comes of a hook that gave back other numbers than it was given to keep.
template <class T>
[[gnu::noinline]] void swap_rows(T* b, int rows, int columns, std::int64_t i, std::int64_t pivot) {
  const std::int64_t k = pivot - 1;  // pivots count from 1
  if (i == k || k < 0 || k >= rows) return;
  for (std::int64_t c = 0; c < columns; ++c) std::swap(b[i * columns + c], b[k * columns + c]);
}

/// a = P L U: first what was swapped, then L, then U; or the other way round, each transposed.
template <class T>
void lu_solve(const LuSolve& of) {
  const int n = int_of(of.b, 1), columns = int_of(of.b, 2);
  const Triangle<T> lower(LuSolve::name, of.lu, false, of.transposed, true);
  const Triangle<T> upper(LuSolve::name, of.lu, true, of.transposed, false);
  for_each_matrix(size_of(of.b, 0), 2 * cube_ns(n, n, columns), [&](std::int64_t i) {
    T* const b = item<T>(of.b, i);
    const T* const lu = item<T>(of.lu, i);
    const int* const pivots = item<int>(of.pivots, i);
    if (!of.transposed) {
      for (int row = 0; row < n; ++row) swap_rows(b, n, columns, row, pivots[row]);
    }
    if (n <= most_rows_of_small) {
      const std::int64_t* const strides = of.lu.strides.data();
      solve_small(SmallFactors<T>{lu, strides[1], strides[2]}, of.transposed, b, n, columns);
    } else if (of.transposed) {
      upper.solve_left(lu, b, n, columns);
      lower.solve_left(lu, b, n, columns);
    } else {
      lower.solve_left(lu, b, n, columns);
      upper.solve_left(lu, b, n, columns);
    }
    if (of.transposed) {
      for (int row = n - 1; row >= 0; --row) swap_rows(b, n, columns, row, pivots[row]);
    }
  });
}

template <class T>
void triangular_solve(const TriangularSolve& of) {
  const std::int64_t rows = size_of(of.b, 1), columns = size_of(of.b, 2);
  const Triangle<T> triangle(TriangularSolve::name, of.a, of.upper, false, of.has_unit_diagonal);
  for_each_matrix(size_of(of.b, 0), cube_ns(rows, columns, size_of(of.a, 1)), [&](std::int64_t i) {
    const T* const a = item<T>(of.a, i);
    T* const b = item<T>(of.b, i);
    of.left ? triangle.solve_left(a, b, rows, columns) : triangle.solve_right(a, b, rows, columns);
  });
}

}  // namespace

template <>
std::int64_t kernel(const Cholesky& of, Stream) {
  visit_lapack(of.a.dtype, [&]<class T>() { cholesky<T>(of); });
  return first_failure(of.infos);
}

template <>
std::int64_t kernel(const LuFactor& of, Stream) {
  visit_lapack(of.a.dtype, [&]<class T>() { lu_factor<T>(of); });
  return first_failure(of.infos);
}

template <>
void kernel(const LuPlaces& of, Stream) {
  const std::int64_t rows = size_of(of.places, 1), count = size_of(of.pivots, 1);
  for_each_matrix(size_of(of.places, 0), static_cast<double>(rows), [&](std::int64_t i) {
    std::int64_t* const places = item<std::int64_t>(of.places, i);
    const int* const pivots = item<int>(of.pivots, i);
    for (std::int64_t row = 0; row < rows; ++row) places[row] = row;
    for (std::int64_t row = 0; row < count; ++row) {
      const std::int64_t other = std::int64_t{pivots[row]} - 1;
      if (other >= 0 && other < rows) std::swap(places[row], places[other]);
    }
  });
}

template <>
void kernel(const LuSolve& of, Stream) {
  visit_lapack(of.b.dtype, [&]<class T>() { lu_solve<T>(of); });
}

template <>
void kernel(const TriangularSolve& of, Stream) {
  visit_lapack(of.b.dtype, [&]<class T>() { triangular_solve<T>(of); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
