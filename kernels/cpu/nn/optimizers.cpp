// One pass over each parameter: what a step reads it reads once, and writes once.
#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/parts.h"

namespace garboard::kernels::GARBOARD_ISA {
namespace {

/// Calls `run(begin, end)` for parts of `count` elements.
template <class Run>
void for_each_stretch(std::int64_t count, Run run) {
  for_each_part(count, tuning::nn_part, static_cast<double>(count) * tuning::optimizer_ns, run);
}

template <class T>
void adam_step(const AdamStep& step) {
  const double first_bias = 1 - functors::pow(step.beta1, static_cast<double>(step.step));
  const double second_bias = 1 - functors::pow(step.beta2, static_cast<double>(step.step));
  const double decay = step.learning_rate * step.weight_decay;
  const T beta1(step.beta1), rest1(1 - step.beta1), beta2(step.beta2), rest2(1 - step.beta2);
  const T epsilon(step.epsilon), rate(step.learning_rate / first_bias);
  const T to_unbiased(1 / functors::sqrt(second_bias));
  const T shrink(step.decoupled_decay ? 1 - decay : 1);
  const T pull(step.decoupled_decay ? 0 : step.weight_decay);
  // Copies: what a loop reads through a reference it would read again after every store.
  for_each_stretch(step.parameter.count, [=, &step](std::int64_t begin, std::int64_t end) {
    T* p = step.parameter.as<T>();
    T* m = step.mean.as<T>();
    T* v = step.square.as<T>();
    const T* g = step.gradient.as<T>();
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      const T slope = g[i] + pull * p[i];
      const T mean = beta1 * m[i] + rest1 * slope;
      const T square = beta2 * v[i] + rest2 * (slope * slope);
      const T scale = functors::sqrt(square) * to_unbiased + epsilon;
      m[i] = mean;
      v[i] = square;
      p[i] = shrink * p[i] - rate * (mean / scale);
    }
  });
}

template <class T>
void sgd_step(const SgdStep& step) {
  const T rate(step.learning_rate), pull(step.weight_decay);
  const T keep(step.momentum), take(1 - step.dampening);
  const bool is_first = step.is_first, is_nesterov = step.nesterov;
  for_each_stretch(step.parameter.count, [=, &step](std::int64_t begin, std::int64_t end) {
    T* p = step.parameter.as<T>();
    T* v = step.velocity.as<T>();
    const T* g = step.gradient.as<T>();
    if (!v) {
#pragma GCC ivdep
      for (std::int64_t i = begin; i < end; ++i) p[i] -= rate * (g[i] + pull * p[i]);
      return;
    }
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) {
      const T slope = g[i] + pull * p[i];
      const T next = keep * v[i] + take * slope;  // at the first step v holds anything, NaN too
      const T velocity = is_first ? slope : next;
      v[i] = velocity;
      p[i] -= rate * (is_nesterov ? slope + keep * velocity : velocity);
    }
  });
}

}  // namespace

template <>
void kernel(const AdamStep& step, Stream) {
  step.parameter.dtype == DType::float32 ? adam_step<float>(step) : adam_step<double>(step);
}
template <>
void kernel(const SgdStep& step, Stream) {
  step.parameter.dtype == DType::float32 ? sgd_step<float>(step) : sgd_step<double>(step);
}

}  // namespace garboard::kernels::GARBOARD_ISA
