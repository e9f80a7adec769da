// Running sums along a dim: floats in double, so that a long sum keeps its digits, all else in
// int64. Every element is read and written once.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/functors/reduce.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
using RunningSum = std::conditional_t<functors::Real<T>, double, std::uint64_t>;

template <class T>
void sum_row(void* const* data, std::int64_t count) {
  T* const y = static_cast<T*>(data[0]);
  const T* const x = static_cast<const T*>(data[1]);
  RunningSum<T> sum = 0;
  for (const auto [first, last] : Pieces<>(count)) {
    for (std::int64_t i = first; i < last; ++i) {
      sum += static_cast<RunningSum<T>>(x[i]);
      y[i] = static_cast<T>(sum);
    }
  }
}

/// Down `rows` rows of a dense matrix, some columns side by side.
template <class T>
void sum_columns(T* y, const T* x, std::int64_t rows, std::int64_t row_stride,
                 std::int64_t columns) {
  constexpr std::int64_t at_once = 512;
  for (std::int64_t first = 0; first < columns; first += at_once) {
    const std::int64_t n = smaller(columns - first, at_once);
    RunningSum<T> sums[at_once] = {};
    for (const auto [first_row, last_row] : Pieces<>(rows, at_once)) {
      for (std::int64_t r = first_row; r < last_row; ++r) {
        const T* const from = x + r * row_stride + first;
        T* const to = y + r * row_stride + first;
#pragma GCC ivdep
        for (std::int64_t c = 0; c < n; ++c) {
          sums[c] += static_cast<RunningSum<T>>(from[c]);
          to[c] = static_cast<T>(sums[c]);
        }
      }
    }
  }
}

template <class T>
void running_sums(const View& out, const View& x, int dim) {
  std::int64_t inner = 1;
  for (int d = dim + 1; d < x.sizes.size(); ++d) inner *= x.sizes.data()[d];
  if (inner == 1 || !x.contiguous || !out.contiguous || x.count == 0) {
    const View* views[] = {&out, &x};
    return for_each_row({sum_row<T>, 2, 1}, views, dim);
  }
  const std::int64_t rows = x.sizes.data()[dim];
  const std::int64_t slabs = x.count / (rows * inner);
  constexpr double element_ns = tuning::scanned_ns;
  if (slabs > 1) {
    return for_each_part(slabs, tuning::row_part / (rows * inner) + 1,
                         static_cast<double>(x.count) * element_ns,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t s = first; s < last; ++s)
                             sum_columns(out.as<T>() + s * rows * inner,
                                         x.as<T>() + s * rows * inner, rows, inner, inner);
                         });
  }
  for_each_part(inner, larger(tuning::row_part / rows, 128),
                static_cast<double>(x.count) * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  sum_columns(out.as<T>() + first, x.as<T>() + first, rows, inner, last - first);
                });
}

}  // namespace

template <>
void kernel(const CumulativeSum& of, Stream) {
  if (of.x.dtype == DType::float32) return running_sums<float>(of.out, of.x, of.dim);
  if (of.x.dtype == DType::float64) return running_sums<double>(of.out, of.x, of.dim);
  running_sums<std::int64_t>(of.out, of.x, of.dim);
}

}  // namespace garboard::kernels::GARBOARD_ISA
