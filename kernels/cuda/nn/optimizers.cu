// One pass over each parameter: what a step reads it reads once, and writes once.
#include "kernels/cuda/launch/launch.h"
#include "kernels/cuda/launch/parts.h"
#include "kernels/formulas/weight_decay.h"
#include "kernels/functors/element.h"
#include "kernels/functors/scalar_math.h"

namespace garboard::kernels::cuda {
namespace {

template <class Wide>
struct AdamNumbers {
  Wide beta1, rest1, beta2, rest2, epsilon, rate, to_unbiased, shrink, pull;

  AdamNumbers() = default;
  explicit AdamNumbers(const AdamStep& step)
      : beta1(step.beta1),
        rest1(1 - step.beta1),
        beta2(step.beta2),
        rest2(1 - step.beta2),
        epsilon(step.epsilon),
        shrink(step.decoupled_decay ? 1 - step.learning_rate * step.weight_decay : 1),
        pull(step.decoupled_decay ? 0 : step.weight_decay) {
    correct(step.learning_rate, step.beta1, step.beta2, static_cast<double>(step.step));
  }

  /// The bias of the means after so many steps.
  GARBOARD_HD void correct(double learning_rate, double beta1, double beta2, double count) {
    rate = Wide(learning_rate / (1 - functors::pow(beta1, count)));
    to_unbiased = Wide(1 / functors::sqrt(1 - functors::pow(beta2, count)));
  }
};

/// What the bias is made of, where the device counts the steps; null: it does not.
struct DeviceCount {
  const float* at;
  double learning_rate, beta1, beta2;
};

template <class T, class Wide>
__global__ void adam_step(T* parameter, T* mean, T* square, const T* gradient, std::int64_t count,
                          AdamNumbers<Wide> with, DeviceCount counted) {
  if (counted.at) {
    __shared__ AdamNumbers<Wide> corrected;
    if (threadIdx.x == 0) {
      corrected = with;
      corrected.correct(counted.learning_rate, counted.beta1, counted.beta2, *counted.at);
    }
    __syncthreads();
    with = corrected;
  }
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const Wide p = functors::widened(parameter[i]);
  const Wide slope = with_decay(functors::widened(gradient[i]), with.pull, p);
  const Wide m = with.beta1 * functors::widened(mean[i]) + with.rest1 * slope;
  const Wide v = with.beta2 * functors::widened(square[i]) + with.rest2 * (slope * slope);
  const Wide scale = functors::sqrt(v) * with.to_unbiased + with.epsilon;
  mean[i] = static_cast<T>(m);
  square[i] = static_cast<T>(v);
  parameter[i] = static_cast<T>(with.shrink * p - with.rate * (m / scale));
}

template <class Wide>
struct SgdNumbers {
  Wide rate, pull, keep, take;
  bool is_first, is_nesterov;

  explicit SgdNumbers(const SgdStep& step)
      : rate(step.learning_rate),
        pull(step.weight_decay),
        keep(step.momentum),
        take(1 - step.dampening),
        is_first(step.is_first),
        is_nesterov(step.nesterov) {}
};

template <class T, class Wide>
__global__ void sgd_step(T* parameter, T* velocity, const T* gradient, std::int64_t count,
                         SgdNumbers<Wide> with) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= count) return;
  const Wide p = functors::widened(parameter[i]);
  Wide slope = with_decay(functors::widened(gradient[i]), with.pull, p);
  if (velocity) {  // at the first step it holds anything
    const Wide v =
        with.is_first ? slope : with.keep * functors::widened(velocity[i]) + with.take * slope;
    velocity[i] = static_cast<T>(v);
    slope = with.is_nesterov ? slope + with.keep * v : v;
  }
  parameter[i] = static_cast<T>(p - with.rate * slope);
}

Grid grid_over(const View& x, Stream stream) { return {divided_up(x.count, threads), stream}; }

}  // namespace

template <>
void kernel(const AdamStep& step, Stream stream) {
  if (step.parameter.count == 0) return;
  visit_floating(step.parameter.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    launch(adam_step<T, Wide>, grid_over(step.parameter, stream), step.parameter.as<T>(),
           step.mean.as<T>(), step.square.as<T>(), step.gradient.as<T>(), step.parameter.count,
           AdamNumbers<Wide>(step),
           DeviceCount{step.counted, step.learning_rate, step.beta1, step.beta2});
  });
}
template <>
void kernel(const SgdStep& step, Stream stream) {
  if (step.parameter.count == 0) return;
  visit_floating(step.parameter.dtype, [&]<class T>(Type<T>) {
    using Wide = functors::Widened<T>;
    launch(sgd_step<T, Wide>, grid_over(step.parameter, stream), step.parameter.as<T>(),
           step.velocity.as<T>(), step.gradient.as<T>(), step.parameter.count,
           SgdNumbers<Wide>(step));
  });
}

}  // namespace garboard::kernels::cuda
