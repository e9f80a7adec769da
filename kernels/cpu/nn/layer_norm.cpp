// Layer normalisation: each row is read from memory once, forward and backward; the further passes
// over it stay in the first cache. The gradients of weight and bias are summed by groups of rows,
// whose number does not depend on the threads. A row has no interruption points: it is in memory
// whole, where nothing takes long, and to ask would cost a short one a tenth of its time.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/cpu/loop/scratch.h"
#include "kernels/cpu/nn/exponential_sum.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

constexpr double element_ns = tuning::layer_norm_ns;
constexpr std::int64_t part_elements = tuning::nn_part;

template <class T>
void normalize_row(T* y, const T* x, std::int64_t columns, T mean, T inverse, const T* weight,
                   const T* bias) {
  if (weight && bias) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < columns; ++i) y[i] = (x[i] - mean) * inverse * weight[i] + bias[i];
    return;
  }
#pragma GCC ivdep
  for (std::int64_t i = 0; i < columns; ++i) y[i] = (x[i] - mean) * inverse;
  if (weight)
    for (std::int64_t i = 0; i < columns; ++i) y[i] *= weight[i];
  if (bias)
    for (std::int64_t i = 0; i < columns; ++i) y[i] += bias[i];
}

template <class T>
void normalize(const LayerNorm& of) {
  using Wide = functors::Widened<T>;
  const std::int64_t rows = of.x.sizes.data()[0], columns = of.x.sizes.data()[1];
  const WideView<T> weights(of.weight), biases(of.bias);
  weights.read();
  biases.read();
  const Wide* const weight = weights.view().template as<Wide>();
  const Wide* const bias = biases.view().template as<Wide>();
  for_each_part(
      rows, part_elements / (columns + 1) + 1, static_cast<double>(rows * columns) * element_ns,
      [&](std::int64_t first, std::int64_t last) {
        const Scratch memory(wide_bytes<T>(2 * columns));
        for (std::int64_t row = first; row < last; ++row) {
          const Wide* const x = wide_row(of.x.as<T>() + row * columns, memory.as<Wide>(), columns);
          const double count = static_cast<double>(columns);
          const double sum = sum_dense<Wide>(
              columns, [x](std::int64_t i) __attribute__((always_inline)) { return x[i]; });
          const Wide mean = static_cast<Wide>(sum / count);
          const double squares = sum_dense<Wide>(
              columns, [ x, mean ](std::int64_t i) __attribute__((always_inline)) {
                return (x[i] - mean) * (x[i] - mean);
              });
          const Wide inverse = static_cast<Wide>(1 / functors::sqrt(squares / count + of.epsilon));
          of.means.as<Wide>()[row] = mean;
          of.inverses.as<Wide>()[row] = inverse;
          T* const result = of.out.as<T>() + row * columns;
          Wide* const y = wide_result(result, memory.as<Wide>() + columns);
          normalize_row(y, x, columns, mean, inverse, weight, bias);
          finish_row(result, y, columns);
        }
      });
}

/// With g = dy weight and n = (x - mean) inverse: dx = inverse (g - average(g) - n average(g n)).
template <class T, bool is_weighted>
void gradient_of_row(T* dx, const T* dy, const T* x, const T* weight, std::int64_t columns, T mean,
                     T inverse) {
  const auto slope = [=](std::int64_t i) __attribute__((always_inline)) {
    return is_weighted ? dy[i] * weight[i] : dy[i];
  };
  const T share = T(1) / static_cast<T>(columns);
  const T average = share * static_cast<T>(sum_dense<T>(columns, slope));
  const T tilt = share * inverse * inverse *
                 static_cast<T>(sum_dense<T>(
                     columns, [=](std::int64_t i) __attribute__((always_inline)) {
                       return slope(i) * (x[i] - mean);
                     }));
#pragma GCC ivdep
  for (std::int64_t i = 0; i < columns; ++i)
    dx[i] = inverse * ((slope(i) - average) - (x[i] - mean) * tilt);
}

template <class T>
void add_to_parameters(T* d_weight, T* d_bias, const T* dy, const T* x, std::int64_t columns,
                       T mean, T inverse) {
#pragma GCC ivdep
  for (std::int64_t i = 0; i < columns; ++i) {
    d_weight[i] += dy[i] * ((x[i] - mean) * inverse);
    d_bias[i] += dy[i];
  }
}

template <class T>
void gradients_of(const LayerNormGradient& to) {
  using Wide = functors::Widened<T>;
  const LayerNorm& of = to.of;
  const std::int64_t rows = of.x.sizes.data()[0], columns = of.x.sizes.data()[1];
  const bool has_parameters = to.d_weight.data || to.d_bias.data;
  // Rows are summed in T by groups, groups in double by parts, and the parts in order.
  constexpr std::int64_t group = 64, most_parts = tuning::nn_parts;
  const std::int64_t grain =
      larger(divided_up(rows, most_parts), smaller(part_elements / (columns + 1) + 1, group));
  const std::int64_t parts = larger(divided_up(rows, grain), 1);  // of no rows the sums are 0
  const std::int64_t sums = has_parameters ? 2 * columns : 0;
  const Scratch totals(parts * sums * std::int64_t{sizeof(double)});
  const Scratch group_sums(parts * sums * std::int64_t{sizeof(Wide)});
  const WideView<T> weights(of.weight);
  weights.read();
  const Wide* const weight = weights.view().template as<Wide>();

  const auto take_part = [&](std::int64_t part) {
    double* const total = totals.as<double>() + part * sums;
    Wide* const some = group_sums.as<Wide>() + part * sums;
    const Scratch memory(wide_bytes<T>(3 * columns));
    Wide* const free = memory.as<Wide>();
    for (std::int64_t i = 0; i < sums; ++i) total[i] = 0;
    const std::int64_t last = smaller((part + 1) * grain, rows);
    for (std::int64_t start = part * grain; start < last; start += group) {
      if (start > part * grain) interruption_point();
      for (std::int64_t i = 0; i < sums; ++i) some[i] = 0;
      for (std::int64_t row = start; row < smaller(start + group, last); ++row) {
        const Wide mean = of.means.as<Wide>()[row], inverse = of.inverses.as<Wide>()[row];
        const Wide* const x = wide_row(of.x.as<T>() + row * columns, free, columns);
        const Wide* const dy = wide_row(to.d_out.as<T>() + row * columns, free + columns, columns);
        if (has_parameters) add_to_parameters(some, some + columns, dy, x, columns, mean, inverse);
        if (!to.d_x.data) continue;
        T* const result = to.d_x.as<T>() + row * columns;
        Wide* const dx = wide_result(result, free + 2 * columns);
        weight ? gradient_of_row<Wide, true>(dx, dy, x, weight, columns, mean, inverse)
               : gradient_of_row<Wide, false>(dx, dy, x, weight, columns, mean, inverse);
        finish_row(result, dx, columns);
      }
      for (std::int64_t i = 0; i < sums; ++i) total[i] += some[i];
    }
  };
  for_each_part(parts, 1, static_cast<double>(rows * columns) * 2 * element_ns,
                [&](std::int64_t first, std::int64_t last) {
                  for (std::int64_t part = first; part < last; ++part) take_part(part);
                });

  if (!has_parameters) return;
  double* const all = totals.as<double>();
  for (std::int64_t part = 1; part < parts; ++part)
    for (std::int64_t i = 0; i < sums; ++i) all[i] += all[part * sums + i];
  for (std::int64_t i = 0; i < columns; ++i) {
    if (to.d_weight.data) to.d_weight.as<T>()[i] = static_cast<T>(all[i]);
    if (to.d_bias.data) to.d_bias.as<T>()[i] = static_cast<T>(all[columns + i]);
  }
}

}  // namespace

template <>
void kernel(const LayerNorm& of, Stream) {
  visit_floating(of.x.dtype, [&]<class T>(Type<T>) { normalize<T>(of); });
}
template <>
void kernel(const LayerNormGradient& to, Stream) {
  visit_floating(to.of.x.dtype, [&]<class T>(Type<T>) { gradients_of<T>(to); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
