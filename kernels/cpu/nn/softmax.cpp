// Softmax and its relatives along any dim. A row is read from memory once and written once; while
// it fits the caches, the further passes over it stay there. Rows side by side are not brought
// together: a lane each.
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/nn/exponential_sum.h"
#include "kernels/cpu/nn/side_by_side.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

struct SoftmaxRow {
  template <class T, bool is_long>
  static void take(void* const* data, std::int64_t count) {
    T* y = static_cast<T*>(data[0]);
    const T* x = static_cast<const T*>(data[1]);
    const T maximum = maximum_of<is_long>(x, count);
    const T scale = static_cast<T>(1 / exponentials<is_long>(y, x, count, maximum));
    for (const auto [first, last] : Pieces<is_long>(count)) {
      for (std::int64_t i = first; i < last; ++i) y[i] *= scale;
    }
  }
  template <class T>
  static void side_by_side(void* const* data, const std::int64_t* strides, std::int64_t count,
                           std::int64_t rows) {
    T* const y = static_cast<T*>(data[0]);
    const T* const x = static_cast<const T*>(data[1]);
    const std::int64_t to = strides[0], from = strides[1];
    PerRow<T> maxima, scales;
    PerRow<double> sums;
    maxima_of(maxima, x, from, count, rows);
    sums_of<T>(
        sums, count, rows, [&](std::int64_t i, std::int64_t k) __attribute__((always_inline)) {
          return y[i * to + k] = functors::exp(x[i * from + k] - maxima[k]);
        });
    for (std::int64_t k = 0; k < rows; ++k) scales[k] = static_cast<T>(1 / sums[k]);
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
      for (std::int64_t k = 0; k < rows; ++k) y[i * to + k] *= scales[k];
    }
  }
};

struct LogSoftmaxRow {
  template <class T, bool is_long>
  static void take(void* const* data, std::int64_t count) {
    T* y = static_cast<T*>(data[0]);
    const T* x = static_cast<const T*>(data[1]);
    const T maximum = maximum_of<is_long>(x, count);
    const T log_sum = static_cast<T>(functors::log(exponential_sum<is_long>(x, count, maximum)));
    for (const auto [first, last] : Pieces<is_long>(count)) {
#pragma GCC ivdep
      for (std::int64_t i = first; i < last; ++i) y[i] = (x[i] - maximum) - log_sum;
    }
  }
  template <class T>
  static void side_by_side(void* const* data, const std::int64_t* strides, std::int64_t count,
                           std::int64_t rows) {
    T* const y = static_cast<T*>(data[0]);
    const T* const x = static_cast<const T*>(data[1]);
    const std::int64_t to = strides[0], from = strides[1];
    PerRow<T> maxima, log_sums;
    PerRow<double> sums;
    maxima_of(maxima, x, from, count, rows);
    sums_of<T>(
        sums, count, rows, [&](std::int64_t i, std::int64_t k) __attribute__((always_inline)) {
          return functors::exp(x[i * from + k] - maxima[k]);
        });
    for (std::int64_t k = 0; k < rows; ++k) log_sums[k] = static_cast<T>(functors::log(sums[k]));
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
      for (std::int64_t k = 0; k < rows; ++k)
        y[i * to + k] = (x[i * from + k] - maxima[k]) - log_sums[k];
    }
  }
};

/// dx = y (dy - sum(dy y))
struct SoftmaxGradientRow {
  template <class T, bool is_long>
  static void take(void* const* data, std::int64_t count) {
    T* dx = static_cast<T*>(data[0]);
    const T* dy = static_cast<const T*>(data[1]);
    const T* y = static_cast<const T*>(data[2]);
    const T mean = static_cast<T>(sum_dense<T, is_long>(
        count, [=](std::int64_t i) __attribute__((always_inline)) { return dy[i] * y[i]; }));
    for (const auto [first, last] : Pieces<is_long>(count)) {
#pragma GCC ivdep
      for (std::int64_t i = first; i < last; ++i) dx[i] = y[i] * (dy[i] - mean);
    }
  }
  template <class T>
  static void side_by_side(void* const* data, const std::int64_t* strides, std::int64_t count,
                           std::int64_t rows) {
    T* const dx = static_cast<T*>(data[0]);
    const T* const dy = static_cast<const T*>(data[1]);
    const T* const y = static_cast<const T*>(data[2]);
    PerRow<T> means;
    PerRow<double> sums;
    sums_of<T>(
        sums, count, rows, [&](std::int64_t i, std::int64_t k) __attribute__((always_inline)) {
          return dy[i * strides[1] + k] * y[i * strides[2] + k];
        });
    for (std::int64_t k = 0; k < rows; ++k) means[k] = static_cast<T>(sums[k]);
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
      for (std::int64_t k = 0; k < rows; ++k)
        dx[i * strides[0] + k] = y[i * strides[2] + k] * (dy[i * strides[1] + k] - means[k]);
    }
  }
};

/// dx = dy - e^y sum(dy)
struct LogSoftmaxGradientRow {
  template <class T, bool is_long>
  static void take(void* const* data, std::int64_t count) {
    T* dx = static_cast<T*>(data[0]);
    const T* dy = static_cast<const T*>(data[1]);
    const T* y = static_cast<const T*>(data[2]);
    const T sum = static_cast<T>(sum_dense<T, is_long>(
        count, [dy](std::int64_t i) __attribute__((always_inline)) { return dy[i]; }));
    for (const auto [first, last] : Pieces<is_long>(count)) {
#pragma GCC ivdep
      for (std::int64_t i = first; i < last; ++i) dx[i] = dy[i] - functors::exp(y[i]) * sum;
    }
  }
  template <class T>
  static void side_by_side(void* const* data, const std::int64_t* strides, std::int64_t count,
                           std::int64_t rows) {
    T* const dx = static_cast<T*>(data[0]);
    const T* const dy = static_cast<const T*>(data[1]);
    const T* const y = static_cast<const T*>(data[2]);
    PerRow<T> totals;
    PerRow<double> sums;
    sums_of<T>(
        sums, count, rows, [&](std::int64_t i, std::int64_t k) __attribute__((always_inline)) {
          return dy[i * strides[1] + k];
        });
    for (std::int64_t k = 0; k < rows; ++k) totals[k] = static_cast<T>(sums[k]);
    for (std::int64_t i = 0; i < count; ++i) {
#pragma GCC ivdep
      for (std::int64_t k = 0; k < rows; ++k)
        dx[i * strides[0] + k] =
            dy[i * strides[1] + k] - functors::exp(y[i * strides[2] + k]) * totals[k];
    }
  }
};

/// By dtype and length.
template <class Row, int inputs>
RowFunction row_function(const View& x, int dim) {
  const bool is_long = x.sizes.size() > 0 && x.sizes.data()[dim] > long_row;
  return visit_floating(x.dtype, [&]<class T>(Type<T>) -> RowFunction {
    if constexpr (functors::Half<T>)
      return is_long ? row_in_float<T, inputs, Row::template take<float, true>>
                     : row_in_float<T, inputs, Row::template take<float, false>>;
    else
      return is_long ? Row::template take<T, true> : Row::template take<T, false>;
  });
}

/// Half types are brought together, and to float.
template <class Row>
ColumnsFunction columns_function(const View& x) {
  return visit_floating(x.dtype, []<class T>(Type<T>) -> ColumnsFunction {
    if constexpr (functors::Half<T>)
      return nullptr;
    else
      return Row::template side_by_side<T>;
  });
}

template <class Row>
void forward(const AlongDim& of) {
  const View* views[] = {&of.y, &of.x};
  for_each_row({row_function<Row, 1>(of.x, of.dim), 2, 1, columns_function<Row>(of.x)}, views,
               of.dim);
}

template <class Row>
void backward(const AlongDimGradient& of) {
  const View* views[] = {&of.dx, &of.dy, &of.y};
  for_each_row({row_function<Row, 2>(of.y, of.dim), 3, 1, columns_function<Row>(of.y)}, views,
               of.dim);
}

}  // namespace

template <>
void kernel(const Softmax& of, Stream) {
  forward<SoftmaxRow>(of);
}
template <>
void kernel(const LogSoftmax& of, Stream) {
  forward<LogSoftmaxRow>(of);
}
template <>
void kernel(const SoftmaxGradient& of, Stream) {
  backward<SoftmaxGradientRow>(of);
}
template <>
void kernel(const LogSoftmaxGradient& of, Stream) {
  backward<LogSoftmaxGradientRow>(of);
}

}  // namespace garboard::kernels::GARBOARD_ISA
