// Cross entropy straight from the logits: no probability is written. The
// forward pass reads each row once and keeps one number of it, from which the
// gradient makes the probabilities again.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/nn/exponential_sum.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Row and column strides, in elements.
struct LogitsLayout {
  std::int64_t rows, columns, row_stride, column_stride;

  explicit LogitsLayout(const View& x)
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

/// What label smoothing gives every class: this much of the loss, times the
/// class's weight.
double share_of_each(const CrossEntropy& of, std::int64_t classes) {
  return of.label_smoothing / static_cast<double>(classes);
}

/// 1 for every class where there are no weights.
template <class T>
T weight_of(const CrossEntropy& of, std::int64_t c) {
  return of.weights.data ? of.weights.as<T>()[c] : T(1);
}

/// The sum of (top - x) weight over the classes, and that of the weights.
template <class T>
double weighted_distances(const CrossEntropy& of, const T* x, T top, std::int64_t classes) {
  const T* const weights = of.weights.as<T>();
  if (!weights)
    return sum_dense<T>(
        classes, [=](std::int64_t i) __attribute__((always_inline)) { return top - x[i]; });
  return sum_dense<T>(
      classes, [=](std::int64_t i)
                   __attribute__((always_inline)) { return (top - x[i]) * weights[i]; });
}
template <class T>
double sum_of_weights(const CrossEntropy& of, std::int64_t classes) {
  const T* const weights = of.weights.as<T>();
  if (!weights) return static_cast<double>(classes);
  return sum_dense<T>(
      classes, [=](std::int64_t i) __attribute__((always_inline)) { return weights[i]; });
}

/// Class numbers are addresses. Each is read once, for it may be written meanwhile through memory
/// that NumPy shares, and looked at before it is used.
class Targets {
 public:
  explicit Targets(const CrossEntropy& of)
      : of_(of), classes_(of.logits.sizes.data()[1]), bad_(of.logits.sizes.data()[0]) {}

  /// -1 for a row that is ignored or bad.
  std::int64_t class_of(std::int64_t row) {
    const std::int64_t target =
        __atomic_load_n(&at<std::int64_t>(of_.targets, row), __ATOMIC_RELAXED);
    if (target == of_.ignore_index) return -1;
    if (target >= 0 && target < classes_) return target;
    std::int64_t known = __atomic_load_n(&bad_, __ATOMIC_RELAXED);
    while (row < known && !__atomic_compare_exchange_n(&bad_, &known, row, true, __ATOMIC_RELAXED,
                                                       __ATOMIC_RELAXED)) {
    }
    return -1;
  }
  /// The first bad row, whichever thread finds one; -1 where there is none.
  std::int64_t first_bad() const { return bad_ == of_.logits.sizes.data()[0] ? -1 : bad_; }

 private:
  const CrossEntropy& of_;
  std::int64_t classes_, bad_;
};

constexpr std::int64_t part_elements = tuning::nn_part;
constexpr double element_ns = tuning::cross_entropy_ns;

/// A row of logits, dense and as arithmetic wants it: itself, where it is so already, else a copy
/// in memory that the next row overwrites.
template <class T>
class LogitsRow {
 public:
  using Wide = functors::Widened<T>;

  explicit LogitsRow(const LogitsLayout& shape)
      : shape_(shape),
        wide_(wide_bytes<T>(shape.columns)),
        dense_(shape.column_stride == 1 ? 0 : shape.columns * std::int64_t{sizeof(T)}) {}

  const Wide* at(const View& logits, std::int64_t row) const {
    const T* from = logits.as<T>() + row * shape_.row_stride;
    if (shape_.column_stride != 1) {
      gather_row(sizeof(T), dense_.data(), from, shape_.columns, shape_.column_stride);
      from = dense_.as<T>();
    }
    return wide_row(from, wide_.as<Wide>(), shape_.columns);
  }

 private:
  const LogitsLayout& shape_;
  Scratch wide_, dense_;
};

template <class T, bool is_long>
std::int64_t losses_of(const CrossEntropy& given) {
  using Wide = functors::Widened<T>;
  const WideView<T> weights(given.weights);
  weights.read();
  CrossEntropy of = given;
  of.weights = weights.view();
  const LogitsLayout shape(of.logits);
  const double each = share_of_each(of, shape.columns);
  const double all_weights = each ? sum_of_weights<Wide>(of, shape.columns) : 0;
  Targets targets(of);
  const auto take = [&](std::int64_t first, std::int64_t last) {
    const LogitsRow<T> dense(shape);
    for (std::int64_t row = first; row < last; ++row) {
      const Wide* const logits = dense.at(of.logits, row);
      const Wide maximum = maximum_of<is_long>(logits, shape.columns);
      const double log_of_sum =
          functors::log(exponential_sum<is_long>(logits, shape.columns, maximum));
      at<Wide>(of.log_sums, row) = static_cast<Wide>(maximum + log_of_sum);

      const std::int64_t target = targets.class_of(row);
      if (target < 0) {
        at<Wide>(of.losses, row) = at<Wide>(of.counts, row) = 0;
        continue;
      }
      const Wide weight = weight_of<Wide>(of, target);
      double loss = ((double{maximum} - double{logits[target]}) + log_of_sum) *
                    ((1 - of.label_smoothing) * weight);
      if (each)
        loss += each *
                (weighted_distances(of, logits, maximum, shape.columns) + log_of_sum * all_weights);
      at<Wide>(of.losses, row) = static_cast<Wide>(loss);
      at<Wide>(of.counts, row) = weight;
    }
  };
  for_each_part(shape.rows, part_elements / (shape.columns + 1) + 1,
                static_cast<double>(of.logits.count) * element_ns, take);
  return targets.first_bad();
}

template <bool is_long, class T>
void gradient_row(T* out, const T* logits, std::int64_t count, T log_sum, T scale) {
  for (const auto [first, last] : Pieces<is_long>(count)) {
#pragma GCC ivdep
    for (std::int64_t i = first; i < last; ++i) out[i] = functors::exp(logits[i] - log_sum) * scale;
  }
}

template <class T, bool is_long>
std::int64_t gradient_of(const View& d_logits, const View& d_losses, const CrossEntropy& given) {
  using Wide = functors::Widened<T>;
  const WideView<T> weights(given.weights);
  weights.read();
  CrossEntropy of = given;
  of.weights = weights.view();
  const LogitsLayout shape(of.logits), result(d_logits);
  const bool is_dense = result.column_stride == 1;
  const double each = share_of_each(of, shape.columns);
  const double all_weights = each ? sum_of_weights<Wide>(of, shape.columns) : 0;
  Targets targets(of);
  const auto take = [&](std::int64_t first, std::int64_t last) {
    const LogitsRow<T> dense(shape);
    const Scratch scratch(is_dense ? 0 : shape.columns * std::int64_t{sizeof(T)});
    const Scratch wide(wide_bytes<T>(shape.columns));
    for (std::int64_t row = first; row < last; ++row) {
      const Wide* const logits = dense.at(of.logits, row);
      T* const target_row = d_logits.as<T>() + row * result.row_stride;
      T* const dense_row = is_dense ? target_row : scratch.as<T>();
      Wide* const out = wide_result(dense_row, wide.as<Wide>());
      const std::int64_t target = targets.class_of(row);
      if (target < 0) {
        for (std::int64_t i = 0; i < shape.columns; ++i) out[i] = 0;
      } else {
        const double slope = at<Wide>(d_losses, row);
        const double of_target = slope * ((1 - of.label_smoothing) * weight_of<Wide>(of, target));
        gradient_row<is_long>(out, logits, shape.columns, at<Wide>(of.log_sums, row),
                              static_cast<Wide>(of_target + slope * each * all_weights));
        const Wide lowered = static_cast<Wide>(slope * each);
        if (each)
          for (std::int64_t i = 0; i < shape.columns; ++i)
            out[i] -= lowered * weight_of<Wide>(of, i);
        out[target] -= static_cast<Wide>(of_target);
      }
      finish_row(dense_row, out, shape.columns);
      if (!is_dense)
        scatter_row(sizeof(T), target_row, dense_row, shape.columns, result.column_stride);
    }
  };
  for_each_part(shape.rows, part_elements / (shape.columns + 1) + 1,
                static_cast<double>(of.logits.count) * element_ns, take);
  return targets.first_bad();
}

bool has_long_rows(const CrossEntropy& of) { return of.logits.sizes.data()[1] > long_row; }

}  // namespace

template <>
std::int64_t kernel(const CrossEntropy& of, Stream) {
  return visit_floating(of.logits.dtype, [&]<class T>(Type<T>) {
    return has_long_rows(of) ? losses_of<T, true>(of) : losses_of<T, false>(of);
  });
}
template <>
std::int64_t kernel(const CrossEntropyGradient& to, Stream) {
  return visit_floating(to.of.logits.dtype, [&]<class T>(Type<T>) {
    const auto run = has_long_rows(to.of) ? gradient_of<T, true> : gradient_of<T, false>;
    return run(to.d_logits, to.d_losses, to.of);
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
