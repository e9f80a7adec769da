// Softmax and its relatives along any dim. A row is read from memory once and written once; while
// it fits the caches, the further passes over it stay there.
#include "kernels/cpu/exponential_sum.h"
#include "kernels/cpu/parts.h"
#include "kernels/cpu/rows.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

template <class T>
void softmax_row(void* const* data, std::int64_t count) noexcept {
  T* y = static_cast<T*>(data[0]);
  const T* x = static_cast<const T*>(data[1]);
  const T maximum = maximum_of(x, count);
  const T scale = static_cast<T>(1 / exponentials(y, x, count, maximum));
  for (std::int64_t i = 0; i < count; ++i) y[i] *= scale;
}

template <class T>
void log_softmax_row(void* const* data, std::int64_t count) noexcept {
  T* y = static_cast<T*>(data[0]);
  const T* x = static_cast<const T*>(data[1]);
  const T maximum = maximum_of(x, count);
  const T log_sum = static_cast<T>(functors::log(exponential_sum(x, count, maximum)));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) y[i] = (x[i] - maximum) - log_sum;
}

/// dx = y (dy - sum(dy y))
template <class T>
void softmax_gradient_row(void* const* data, std::int64_t count) noexcept {
  T* dx = static_cast<T*>(data[0]);
  const T* dy = static_cast<const T*>(data[1]);
  const T* y = static_cast<const T*>(data[2]);
  const T mean = static_cast<T>(sum_dense<T>(
      count, [=](std::int64_t i) __attribute__((always_inline)) { return dy[i] * y[i]; }));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) dx[i] = y[i] * (dy[i] - mean);
}

/// dx = dy - e^y sum(dy)
template <class T>
void log_softmax_gradient_row(void* const* data, std::int64_t count) noexcept {
  T* dx = static_cast<T*>(data[0]);
  const T* dy = static_cast<const T*>(data[1]);
  const T* y = static_cast<const T*>(data[2]);
  const T sum = static_cast<T>(sum_dense<T>(
      count, [dy](std::int64_t i) __attribute__((always_inline)) { return dy[i]; }));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) dx[i] = dy[i] - functors::exp(y[i]) * sum;
}

template <RowFunction of_float, RowFunction of_double>
void forward(const View& y, const View& x, int dim, Stream) {
  const View* views[] = {&y, &x};
  for_each_row({x.dtype == DType::float32 ? of_float : of_double, 2, 1}, views, dim);
}

template <RowFunction of_float, RowFunction of_double>
void backward(const View& dx, const View& dy, const View& y, int dim, Stream) {
  const View* views[] = {&dx, &dy, &y};
  for_each_row({y.dtype == DType::float32 ? of_float : of_double, 3, 1}, views, dim);
}

}  // namespace

void fill_softmax(Table& table) noexcept {
  table.softmax = forward<softmax_row<float>, softmax_row<double>>;
  table.log_softmax = forward<log_softmax_row<float>, log_softmax_row<double>>;
  table.softmax_gradient = backward<softmax_gradient_row<float>, softmax_gradient_row<double>>;
  table.log_softmax_gradient =
      backward<log_softmax_gradient_row<float>, log_softmax_gradient_row<double>>;
}

}  // namespace garboard::kernels::GARBOARD_ISA
