// One pass over each parameter: what a step reads it reads once, and writes once.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/rows_in_float.h"
#include "kernels/formulas/weight_decay.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Calls `run(begin, end)` for parts of `count` elements.
template <class Run>
void for_each_stretch(std::int64_t count, Run run) {
  for_each_part(count, tuning::nn_part, static_cast<double>(count) * tuning::optimizer_ns, run);
}

/// The same by blocks that a half type goes through in float: `step(wide, n)` changes n elements of
/// each of the views, of which `wide` is where they lie or, where there is no view, null. The first
/// `written` views are written back.
template <class T, int views, class Step>
void for_each_block(const View* const (&of)[views], int written, Step step) {
  using Wide = functors::Widened<T>;
  for_each_stretch(of[0]->count, [=](std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t block = 1024;
    alignas(64) Wide memory[views][functors::Half<T> ? block : 1];
    const std::int64_t some = functors::Half<T> ? block : end - begin;
    for (std::int64_t i = begin; i < end; i += some) {
      const std::int64_t n = smaller(end - i, some);
      T* at[views];
      Wide* wide[views];
      for (int k = 0; k < views; ++k) {
        at[k] = of[k]->data ? of[k]->template as<T>() + i : nullptr;
        wide[k] = const_cast<Wide*>(wide_row(at[k], memory[k], n));
      }
      step(wide, n);
      for (int k = 0; k < written; ++k) finish_row(at[k], wide[k], n);
    }
  });
}

template <class T>
void adam_step(const AdamStep& step) {
  using Wide = functors::Widened<T>;
  const auto count =
      step.counted ? static_cast<double>(*step.counted) : static_cast<double>(step.step);
  const double first_bias = 1 - functors::pow(step.beta1, count);
  const double second_bias = 1 - functors::pow(step.beta2, count);
  const double decay = step.learning_rate * step.weight_decay;
  const Wide beta1(step.beta1), rest1(1 - step.beta1), beta2(step.beta2), rest2(1 - step.beta2);
  const Wide epsilon(step.epsilon), rate(step.learning_rate / first_bias);
  const Wide to_unbiased(1 / functors::sqrt(second_bias));
  const Wide shrink(step.decoupled_decay ? 1 - decay : 1);
  const Wide pull(step.decoupled_decay ? 0 : step.weight_decay);
  // Copies: what a loop reads through a reference it would read again after every store.
  const View* const views[] = {&step.parameter, &step.mean, &step.square, &step.gradient};
  for_each_block<T>(views, 3, [=](Wide* const* wide, std::int64_t n) {
    Wide *p = wide[0], *m = wide[1], *v = wide[2];
    const Wide* g = wide[3];
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
      const Wide slope = with_decay(g[i], pull, p[i]);
      const Wide mean = beta1 * m[i] + rest1 * slope;
      const Wide square = beta2 * v[i] + rest2 * (slope * slope);
      const Wide scale = functors::sqrt(square) * to_unbiased + epsilon;
      m[i] = mean;
      v[i] = square;
      p[i] = shrink * p[i] - rate * (mean / scale);
    }
  });
}

template <class T>
void sgd_step(const SgdStep& step) {
  using Wide = functors::Widened<T>;
  const Wide rate(step.learning_rate), pull(step.weight_decay);
  const Wide keep(step.momentum), take(1 - step.dampening);
  const bool is_first = step.is_first, is_nesterov = step.nesterov;
  const View* const views[] = {&step.parameter, &step.velocity, &step.gradient};
  for_each_block<T>(views, 2, [=](Wide* const* wide, std::int64_t n) {
    Wide *p = wide[0], *v = wide[1];
    const Wide* g = wide[2];
    if (!v) {
#pragma GCC ivdep
      for (std::int64_t i = 0; i < n; ++i) p[i] -= rate * with_decay(g[i], pull, p[i]);
      return;
    }
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
      const Wide slope = with_decay(g[i], pull, p[i]);
      const Wide next = keep * v[i] + take * slope;  // at the first step v holds anything, NaN too
      const Wide velocity = is_first ? slope : next;
      v[i] = velocity;
      p[i] -= rate * (is_nesterov ? slope + keep * velocity : velocity);
    }
  });
}

}  // namespace

template <>
void kernel(const AdamStep& step, Stream) {
  visit_floating(step.parameter.dtype, [&]<class T>(Type<T>) { adam_step<T>(step); });
}
template <>
void kernel(const SgdStep& step, Stream) {
  visit_floating(step.parameter.dtype, [&]<class T>(Type<T>) { sgd_step<T>(step); });
}

}  // namespace garboard::kernels::GARBOARD_ISA
