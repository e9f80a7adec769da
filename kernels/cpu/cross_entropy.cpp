// Cross entropy straight from the logits: no probability is written. The forward pass reads each
// row once and keeps one number of it, from which the gradient makes the probabilities again.
#include "kernels/cpu/exponential_sum.h"
#include "kernels/cpu/parts.h"
#include "kernels/cpu/rows.h"
#include "kernels/cpu/scratch.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Row and column strides, in elements.
struct Matrix {
  std::int64_t rows, columns, row_stride, column_stride;

  explicit Matrix(const View& x)
      : rows(x.sizes.data()[0]),
        columns(x.sizes.data()[1]),
        row_stride(x.strides.data()[0]),
        column_stride(x.sizes.data()[1] > 1 ? x.strides.data()[1] : 1) {}
};

/// Element i of a view of one dim, or of one that stands for all.
template <class T>
T& at(const View& x, std::int64_t i) {
  return x.as<T>()[is_scalar(x) ? 0 : i * x.strides.data()[0]];
}

template <class T>
std::int64_t losses_of(const CrossEntropy& of) {
  const Matrix shape(of.logits);
  const bool is_dense = shape.column_stride == 1;
  const Scratch scratch(is_dense ? 0 : shape.columns * std::int64_t{sizeof(T)});
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const T* logits = of.logits.as<T>() + row * shape.row_stride;
    if (!is_dense) {
      gather(sizeof(T), scratch.data(), logits, {1, shape.columns, 0, shape.column_stride});
      logits = scratch.as<T>();
    }
    const T maximum = maximum_of(logits, shape.columns);
    const double log_of_sum = functors::log(exponential_sum(logits, shape.columns, maximum));
    at<T>(of.log_sums, row) = static_cast<T>(maximum + log_of_sum);

    const std::int64_t target = at<std::int64_t>(of.targets, row);
    if (target == of.ignore_index) {
      at<T>(of.losses, row) = 0;
      continue;
    }
    if (target < 0 || target >= shape.columns) return row;
    at<T>(of.losses, row) = static_cast<T>((double{maximum} - double{logits[target]}) + log_of_sum);
  }
  return -1;
}

template <class T>
void gradient_row(T* out, const T* logits, std::int64_t count, T log_sum, T scale) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < count; ++i) out[i] = functors::exp(logits[i] - log_sum) * scale;
}

template <class T>
void gradient_of(const View& d_logits, const View& d_losses, const CrossEntropy& of) {
  const Matrix shape(of.logits), result(d_logits);
  const bool is_dense = shape.column_stride == 1 && result.column_stride == 1;
  const Scratch scratch(is_dense ? 0 : 2 * shape.columns * std::int64_t{sizeof(T)});
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    const T* logits = of.logits.as<T>() + row * shape.row_stride;
    T* const target_row = d_logits.as<T>() + row * result.row_stride;
    T* out = target_row;
    if (!is_dense) {
      out = scratch.as<T>();
      T* dense = out + shape.columns;
      gather(sizeof(T), dense, logits, {1, shape.columns, 0, shape.column_stride});
      logits = dense;
    }
    const std::int64_t target = at<std::int64_t>(of.targets, row);
    const T scale = at<T>(d_losses, row);
    if (target == of.ignore_index) {
      for (std::int64_t i = 0; i < shape.columns; ++i) out[i] = 0;
    } else {
      gradient_row(out, logits, shape.columns, at<T>(of.log_sums, row), scale);
      out[target] -= scale;
    }
    if (!is_dense) scatter(sizeof(T), target_row, out, {1, shape.columns, 0, result.column_stride});
  }
}

std::int64_t cross_entropy(const CrossEntropy& of, Stream) {
  return of.logits.dtype == DType::float32 ? losses_of<float>(of) : losses_of<double>(of);
}

void cross_entropy_gradient(const View& d_logits, const View& d_losses, const CrossEntropy& of,
                            Stream) {
  if (of.logits.dtype == DType::float32) return gradient_of<float>(d_logits, d_losses, of);
  gradient_of<double>(d_logits, d_losses, of);
}

}  // namespace

void fill_cross_entropy(Table& table) noexcept {
  table.cross_entropy = cross_entropy;
  table.cross_entropy_gradient = cross_entropy_gradient;
}

}  // namespace garboard::kernels::GARBOARD_ISA
