// Cross entropy straight from the logits: no probability is written. The
// forward pass reads each row once and keeps one number of it, from which the
// gradient makes the probabilities again.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/rows.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/nn/exponential_sum.h"
#include "kernels/cpu/nn/side_by_side.h"
#include "kernels/rows_of_classes.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

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
      : of_(of), classes_(of.logits.sizes.data()[1]), bad_(nowhere) {}

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
  std::int64_t first_bad() const { return bad_ == nowhere ? -1 : bad_; }

 private:
  static constexpr std::int64_t nowhere = INT64_MAX;

  const CrossEntropy& of_;
  std::int64_t classes_, bad_;
};

bool are_side_by_side(const RowsOfClasses& shape) {
  return shape.row_stride == 1 && shape.class_stride != 1 &&
         are_columns(shape.inside, shape.classes);
}

constexpr std::int64_t part_elements = tuning::nn_part;
constexpr double element_ns = tuning::cross_entropy_ns;

/// A row of logits, dense and as arithmetic wants it: itself, where it is so already, else a copy
/// in memory that the next row overwrites.
template <class T>
class LogitsRow {
 public:
  using Wide = functors::Widened<T>;

  explicit LogitsRow(const RowsOfClasses& shape)
      : shape_(shape),
        wide_(wide_bytes<T>(shape.classes)),
        dense_(shape.class_stride == 1 ? 0 : shape.classes * std::int64_t{sizeof(T)}) {}

  const Wide* at(const View& logits, std::int64_t row) const {
    const T* from = logits.as<T>() + shape_.start_of(row);
    if (shape_.class_stride != 1) {
      gather_row(sizeof(T), dense_.data(), from, shape_.classes, shape_.class_stride);
      from = dense_.as<T>();
    }
    return wide_row(from, wide_.as<Wide>(), shape_.classes);
  }

 private:
  const RowsOfClasses& shape_;
  Scratch wide_, dense_;
};

/// What is the same for all rows.
template <class T>
struct Shares {
  double each, all_weights;

  Shares(const CrossEntropy& of, std::int64_t classes)
      : each(share_of_each(of, classes)), all_weights(each ? sum_of_weights<T>(of, classes) : 0) {}
};

/// Writes what is kept of a row, and its loss. `logits[class * stride]` are its numbers; the
/// distances are those of smoothing.
template <class T>
void finish_row_of(const CrossEntropy& of, const Shares<T>& shares, Targets& targets,
                   std::int64_t row, const T* logits, std::int64_t stride, T maximum,
                   double log_of_sum, double distances) {
  at<double>(of.log_sums, row) = double{maximum} + log_of_sum;
  const std::int64_t target = targets.class_of(row);
  if (target < 0) {
    at<T>(of.losses, row) = at<T>(of.counts, row) = 0;
    return;
  }
  const T weight = weight_of<T>(of, target);
  double loss = ((double{maximum} - double{logits[target * stride]}) + log_of_sum) *
                ((1 - of.label_smoothing) * weight);
  if (shares.each) loss += shares.each * (distances + log_of_sum * shares.all_weights);
  at<T>(of.losses, row) = static_cast<T>(loss);
  at<T>(of.counts, row) = weight;
}

/// Calls `take(row, rows)` for rows side by side, as many as are worked on together.
template <class Take>
void for_each_stretch(const RowsOfClasses& shape, std::int64_t first, std::int64_t last,
                      Take take) {
  const std::int64_t at_once = columns_of(shape.classes);
  for (std::int64_t row = first; row < last;) {
    const std::int64_t in_group = shape.inside - row % shape.inside;
    const std::int64_t rows = smaller(smaller(in_group, last - row), at_once);
    take(row, rows);
    row += rows;
  }
}

/// The losses of `rows` rows from `row` on, a lane each, of `lanes`.
template <class T>
void losses_of_lanes(const CrossEntropy& of, const Shares<T>& shares, Targets& targets, const T* x,
                     std::int64_t stride, std::int64_t classes, std::int64_t row, std::int64_t rows,
                     std::int64_t lanes) {
  PerRow<T> maxima;
  PerRow<double> sums, distances;
  maxima_of(maxima, x, stride, classes, lanes);
  sums_of<T>(
      sums, classes, lanes, [&](std::int64_t c, std::int64_t k) __attribute__((always_inline)) {
        return functors::exp(x[c * stride + k] - maxima[k]);
      });
  if (shares.each)
    sums_of<T>(
        distances, classes,
        lanes, [&](std::int64_t c, std::int64_t k) __attribute__((always_inline)) {
          return (maxima[k] - x[c * stride + k]) * weight_of<T>(of, c);
        });
#pragma GCC ivdep
  for (std::int64_t k = 0; k < lanes; ++k) sums[k] = functors::log(sums[k]);
  for (std::int64_t k = 0; k < rows; ++k)
    finish_row_of(of, shares, targets, row + k, x + k, stride, maxima[k], sums[k],
                  shares.each ? distances[k] : 0);
}

/// Losses of the rows from `first` on, which lie side by side.
template <class T>
void losses_side_by_side(const CrossEntropy& of, const RowsOfClasses& shape,
                         const Shares<T>& shares, Targets& targets, std::int64_t first,
                         std::int64_t last) {
  for_each_stretch(shape, first, last, [&](std::int64_t row, std::int64_t rows) {
    const T* const x = of.logits.as<T>() + shape.start_of(row);
    losses_of_lanes(of, shares, targets, x, shape.class_stride, shape.classes, row, rows, rows);
  });
}

/// Losses of the rows from `first` on, which are short.
template <class T>
void losses_turned(const CrossEntropy& of, const RowsOfClasses& shape, const Shares<T>& shares,
                   Targets& targets, std::int64_t first, std::int64_t last) {
  const std::int64_t at_once = columns_of(shape.classes);
  const Scratch turned(at_once * shape.classes, sizeof(T));
  for_each_stretch(shape, first, last, [&](std::int64_t row, std::int64_t rows) {
    turn(turned.as<T>(), at_once, of.logits.as<const T>() + shape.start_of(row), shape.row_stride,
         rows, shape.classes);
    losses_of_lanes<T>(of, shares, targets, turned.as<T>(), at_once, shape.classes, row, rows,
                       in_whole_lanes(rows));
  });
}

template <class T, bool is_long>
std::int64_t losses_of(const CrossEntropy& given) {
  using Wide = functors::Widened<T>;
  const WideView<T> weights(given.weights);
  weights.read();
  CrossEntropy of = given;
  of.weights = weights.view();
  const RowsOfClasses shape(of.logits);
  const Shares<Wide> shares(of, shape.classes);
  Targets targets(of);
  const auto take = [&](std::int64_t first, std::int64_t last) {
    if constexpr (!functors::Half<T>)
      if (are_side_by_side(shape))
        return losses_side_by_side<T>(of, shape, shares, targets, first, last);
    if constexpr (!functors::Half<T>)
      if (shape.class_stride == 1 && are_turned(shape.inside, shape.classes))
        return losses_turned<T>(of, shape, shares, targets, first, last);
    const LogitsRow<T> dense(shape);
    for (std::int64_t row = first; row < last; ++row) {
      const Wide* const logits = dense.at(of.logits, row);
      const Wide maximum = maximum_of<is_long>(logits, shape.classes);
      const double log_of_sum =
          functors::log(exponential_sum<is_long>(logits, shape.classes, maximum));
      const double distances =
          shares.each ? weighted_distances(of, logits, maximum, shape.classes) : 0;
      finish_row_of(of, shares, targets, row, logits, 1, maximum, log_of_sum, distances);
    }
  };
  for_each_part(shape.rows, part_elements / (shape.classes + 1) + 1,
                static_cast<double>(of.logits.count) * element_ns, take);
  return targets.first_bad();
}

/// What the gradient of a row is made of: 0 for one that does not count.
struct Slopes {
  double of_target, lowered, scale;

  template <class T>
  static Slopes of(const CrossEntropy& of, const Shares<T>& shares, double slope,
                   std::int64_t target) {
    if (target < 0) return {0, 0, 0};
    const double of_target = slope * ((1 - of.label_smoothing) * weight_of<T>(of, target));
    const double lowered = slope * shares.each;
    return {of_target, lowered, of_target + lowered * shares.all_weights};
  }
};

/// The logarithm of a row's sum of exponentials in two parts: logits are large where they differ
/// from it by little.
template <class T>
struct LogSum {
  T head, rest;

  explicit LogSum(double whole) : head(static_cast<T>(whole)), rest(static_cast<T>(whole - head)) {}
};

/// Numbers side by side: those of class c begin at data[c * stride].
template <class T>
struct Abreast {
  T* data;
  std::int64_t stride;
};

/// The gradients of `rows` rows from `row` on, a lane each, of `lanes`.
template <class T>
void gradients_of_lanes(const View& d_losses, const CrossEntropy& of, const Shares<T>& shares,
                        Targets& targets, const Abreast<T>& out, const Abreast<const T>& x,
                        std::int64_t count, std::int64_t row, std::int64_t rows,
                        std::int64_t lanes) {
  PerRow<T> heads, rests, scales, lowered, of_targets;
  PerRow<std::int64_t> classes;
  bool all_count = true;
  for (std::int64_t k = 0; k < rows; ++k) {
    classes[k] = targets.class_of(row + k);
    all_count &= classes[k] >= 0;
    const Slopes slopes = Slopes::of(of, shares, at<T>(d_losses, row + k), classes[k]);
    of_targets[k] = static_cast<T>(slopes.of_target);
    lowered[k] = static_cast<T>(slopes.lowered);
    scales[k] = static_cast<T>(slopes.scale);
    const LogSum<T> log_sum(at<double>(of.log_sums, row + k));
    heads[k] = log_sum.head;
    rests[k] = log_sum.rest;
  }
  for (std::int64_t k = rows; k < lanes; ++k) heads[k] = rests[k] = scales[k] = lowered[k] = 0;
  for (std::int64_t c = 0; c < count; ++c) {
    const T weight = shares.each ? weight_of<T>(of, c) : T(0);
    T* const to = out.data + c * out.stride;
    const T* const from = x.data + c * x.stride;
#pragma GCC ivdep
    for (std::int64_t k = 0; k < lanes; ++k)
      to[k] = functors::exp((from[k] - heads[k]) - rests[k]) * scales[k] - lowered[k] * weight;
  }
  for (std::int64_t k = 0; k < rows; ++k)
    if (classes[k] >= 0) out.data[classes[k] * out.stride + k] -= of_targets[k];
  if (all_count) return;
  for (std::int64_t k = 0; k < rows; ++k)
    for (std::int64_t c = 0; classes[k] < 0 && c < count; ++c) out.data[c * out.stride + k] = 0;
}

/// The gradients of rows from `first` on, which lie side by side.
template <class T>
void gradients_side_by_side(const View& d_logits, const View& d_losses, const CrossEntropy& of,
                            const RowsOfClasses& shape, const Shares<T>& shares, Targets& targets,
                            std::int64_t first, std::int64_t last) {
  const RowsOfClasses result(d_logits);
  for_each_stretch(shape, first, last, [&](std::int64_t row, std::int64_t rows) {
    const Abreast<const T> x{of.logits.as<T>() + shape.start_of(row), shape.class_stride};
    const Abreast<T> out{d_logits.as<T>() + result.start_of(row), result.class_stride};
    gradients_of_lanes(d_losses, of, shares, targets, out, x, shape.classes, row, rows, rows);
  });
}

/// The gradients of rows from `first` on, which are short.
template <class T>
void gradients_turned(const View& d_logits, const View& d_losses, const CrossEntropy& of,
                      const RowsOfClasses& shape, const Shares<T>& shares, Targets& targets,
                      std::int64_t first, std::int64_t last) {
  const RowsOfClasses result(d_logits);
  const std::int64_t at_once = columns_of(shape.classes);
  const Scratch turned(at_once * shape.classes, sizeof(T));
  const Abreast<T> lanes{turned.as<T>(), at_once};
  for_each_stretch(shape, first, last, [&](std::int64_t row, std::int64_t rows) {
    turn(lanes.data, at_once, of.logits.as<const T>() + shape.start_of(row), shape.row_stride, rows,
         shape.classes);
    gradients_of_lanes<T>(d_losses, of, shares, targets, lanes, {lanes.data, at_once},
                          shape.classes, row, rows, in_whole_lanes(rows));
    turn_back(d_logits.as<T>() + result.start_of(row), result.row_stride, lanes.data, at_once, rows,
              shape.classes);
  });
}

template <bool is_long, class T>
void gradient_row(T* out, const T* logits, std::int64_t count, const LogSum<T>& log_sum, T scale) {
  const auto [head, rest] = log_sum;
  for (const auto [first, last] : Pieces<is_long>(count)) {
#pragma GCC ivdep
    for (std::int64_t i = first; i < last; ++i)
      out[i] = functors::exp((logits[i] - head) - rest) * scale;
  }
}

template <class T, bool is_long>
std::int64_t gradient_of(const View& d_logits, const View& d_losses, const CrossEntropy& given) {
  using Wide = functors::Widened<T>;
  const WideView<T> weights(given.weights);
  weights.read();
  CrossEntropy of = given;
  of.weights = weights.view();
  const RowsOfClasses shape(of.logits), result(d_logits);
  const bool is_dense = result.class_stride == 1;
  const Shares<Wide> shares(of, shape.classes);
  Targets targets(of);
  const auto take = [&](std::int64_t first, std::int64_t last) {
    if constexpr (!functors::Half<T>)
      if (are_side_by_side(shape) && result.row_stride == 1)
        return gradients_side_by_side<T>(d_logits, d_losses, of, shape, shares, targets, first,
                                         last);
    if constexpr (!functors::Half<T>)
      if (shape.class_stride == 1 && is_dense && result.inside == shape.inside &&
          are_turned(shape.inside, shape.classes))
        return gradients_turned<T>(d_logits, d_losses, of, shape, shares, targets, first, last);
    const LogitsRow<T> dense(shape);
    const Scratch scratch(is_dense ? 0 : shape.classes * std::int64_t{sizeof(T)});
    const Scratch wide(wide_bytes<T>(shape.classes));
    for (std::int64_t row = first; row < last; ++row) {
      const Wide* const logits = dense.at(of.logits, row);
      T* const target_row = d_logits.as<T>() + result.start_of(row);
      T* const dense_row = is_dense ? target_row : scratch.as<T>();
      Wide* const out = wide_result(dense_row, wide.as<Wide>());
      const std::int64_t target = targets.class_of(row);
      if (target < 0) {
        for (std::int64_t i = 0; i < shape.classes; ++i) out[i] = 0;
      } else {
        const Slopes slopes = Slopes::of(of, shares, at<Wide>(d_losses, row), target);
        gradient_row<is_long>(out, logits, shape.classes,
                              LogSum<Wide>(at<double>(of.log_sums, row)),
                              static_cast<Wide>(slopes.scale));
        const Wide lowered = static_cast<Wide>(slopes.lowered);
        if (shares.each)
          for (std::int64_t i = 0; i < shape.classes; ++i)
            out[i] -= lowered * weight_of<Wide>(of, i);
        out[target] -= static_cast<Wide>(slopes.of_target);
      }
      finish_row(dense_row, out, shape.classes);
      if (!is_dense)
        scatter_row(sizeof(T), target_row, dense_row, shape.classes, result.class_stride);
    }
  };
  for_each_part(shape.rows, part_elements / (shape.classes + 1) + 1,
                static_cast<double>(of.logits.count) * element_ns, take);
  return targets.first_bad();
}

/// Calls `take(place, weight, row)` for each row of logarithms that counts, of which no more than
/// one element is looked at, and `pass(row)` for the others.
template <class T, class Take, class Pass>
std::int64_t for_each_target(const CrossEntropy& of, const RowsOfClasses& shape, Take take,
                             Pass pass) {
  const T* const weights = of.weights.as<T>();
  Targets targets(of);
  for_each_part(
      shape.rows, tuning::index_part, static_cast<double>(shape.rows) * tuning::taken_far_ns,
      [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
          const std::int64_t target = targets.class_of(row);
          if (target < 0)
            pass(row);
          else
            take(shape.start_of(row) + target * shape.class_stride,
                 weights ? functors::widened(weights[target]) : functors::Widened<T>(1), row);
        }
      });
  return targets.first_bad();
}

template <class T>
std::int64_t losses_of_logs(const CrossEntropy& of) {
  using Wide = functors::Widened<T>;
  const T* const logs = of.logits.as<T>();
  return for_each_target<T>(
      of, RowsOfClasses(of.logits),
      [&](std::int64_t place, Wide weight, std::int64_t row) {
        at<Wide>(of.losses, row) = weight == 0 ? 0 : -functors::widened(logs[place]) * weight;
        at<Wide>(of.counts, row) = weight;
      },
      [&](std::int64_t row) { at<Wide>(of.losses, row) = at<Wide>(of.counts, row) = 0; });
}

template <class T>
std::int64_t gradient_of_logs(const View& d_logs, const View& d_losses, const CrossEntropy& of) {
  using Wide = functors::Widened<T>;
  T* const out = d_logs.as<T>();
  return for_each_target<T>(
      of, RowsOfClasses(d_logs),
      [&](std::int64_t place, Wide weight, std::int64_t row) {
        out[place] = static_cast<T>(-at<Wide>(d_losses, row) * weight);
      },
      [](std::int64_t) {});
}

bool has_long_rows(const CrossEntropy& of) { return of.logits.sizes.data()[1] > long_row; }

}  // namespace

template <>
std::int64_t kernel(const CrossEntropy& of, Stream) {
  return visit_floating(of.logits.dtype, [&]<class T>(Type<T>) {
    if (of.are_logs) return losses_of_logs<T>(of);
    return has_long_rows(of) ? losses_of<T, true>(of) : losses_of<T, false>(of);
  });
}
template <>
std::int64_t kernel(const CrossEntropyGradient& to, Stream) {
  return visit_floating(to.of.logits.dtype, [&]<class T>(Type<T>) {
    if (to.of.are_logs) return gradient_of_logs<T>(to.d_logits, to.d_losses, to.of);
    const auto run = has_long_rows(to.of) ? gradient_of<T, true> : gradient_of<T, false>;
    return run(to.d_logits, to.d_losses, to.of);
  });
}

}  // namespace garboard::kernels::GARBOARD_ISA
