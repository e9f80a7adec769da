#include "csrc/ops/optimizer_steps.h"

#include "csrc/core/error.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/create.h"
#include "csrc/tensor/grad_node.h"
#include "kernels/table.h"

namespace garboard {
namespace {

/// The gradient of a parameter as a kernel wants it; empty where there is none.
Tensor gradient_of(const char* op, const Tensor& parameter) {
  Tensor gradient = parameter.grad();
  if (!gradient) return {};
  if (!is_floating(parameter.dtype()) || !parameter.is_contiguous())
    throw DTypeError(text(op, ": a parameter of dtype ", name_of(parameter.dtype()),
                          " and strides ", parameter.strides(),
                          "; a floating and contiguous one is needed"));
  return contiguous(gradient);
}

void start(Tensor& state, const Tensor& parameter) {
  if (!state) state = zeros(parameter.sizes(), parameter.dtype(), parameter.device());
}

}  // namespace

void sgd_step(const std::vector<Tensor>& parameters, const SgdSettings& settings,
              std::vector<Tensor>& velocities) {
  const GradModeGuard no_grad(false);
  velocities.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = parameters[i];
    const Tensor gradient = gradient_of("SGD", parameter);
    if (!gradient) continue;
    const bool is_first = !velocities[i];
    if (settings.momentum != 0) start(velocities[i], parameter);
    kernels::table_of(parameter.device())
        .sgd({.parameter = parameter.view(),
              .gradient = gradient.view(),
              .velocity = velocities[i] ? velocities[i].view() : View{},
              .learning_rate = settings.learning_rate,
              .momentum = settings.momentum,
              .dampening = settings.dampening,
              .weight_decay = settings.weight_decay,
              .nesterov = settings.nesterov,
              .is_first = is_first},
             {parameter.device()});
    parameter.storage()->bump_version();
  }
}

void adam_step(const std::vector<Tensor>& parameters, const AdamSettings& settings,
               std::vector<Tensor>& means, std::vector<Tensor>& squares,
               std::vector<std::int64_t>& steps) {
  const GradModeGuard no_grad(false);
  means.resize(parameters.size());
  squares.resize(parameters.size());
  steps.resize(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& parameter = parameters[i];
    const Tensor gradient = gradient_of("Adam", parameter);
    if (!gradient) continue;
    start(means[i], parameter);
    start(squares[i], parameter);
    kernels::table_of(parameter.device())
        .adam({.parameter = parameter.view(),
               .gradient = gradient.view(),
               .mean = means[i].view(),
               .square = squares[i].view(),
               .learning_rate = settings.learning_rate,
               .beta1 = settings.beta1,
               .beta2 = settings.beta2,
               .epsilon = settings.epsilon,
               .weight_decay = settings.weight_decay,
               .decoupled_decay = settings.decoupled_decay,
               .step = ++steps[i]},
              {parameter.device()});
    parameter.storage()->bump_version();
  }
}

}  // namespace garboard
