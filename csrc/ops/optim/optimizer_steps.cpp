#include "csrc/ops/optim/optimizer_steps.h"

#include <utility>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/record.h"
#include "csrc/tensor/grad_node.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// The gradient of a parameter as a kernel wants it; empty where there is none.
Tensor gradient_of(const char* op, const Tensor& parameter, bool maximize) {
  Tensor gradient = parameter.grad();
  if (!gradient) return {};
  if (!has_gradient(parameter.dtype()) || !parameter.is_contiguous())
    throw DTypeError(text(op, ": a parameter of dtype ", name_of(parameter.dtype()),
                          " and strides ", parameter.strides(),
                          "; a floating and contiguous one is needed"));
  return maximize ? neg(contiguous(gradient)) : contiguous(gradient);
}

std::vector<Tensor> gradients_of(const char* op, const std::vector<Tensor>& parameters,
                                 bool maximize) {
  std::vector<Tensor> gradients;
  gradients.reserve(parameters.size());
  for (const Tensor& parameter : parameters)
    gradients.push_back(gradient_of(op, parameter, maximize));
  return gradients;
}

/// What kernels see of a dense tensor: of complex numbers both parts, each a number of its own, as
/// in PyTorch.
View numbers_of(const Tensor& x) {
  if (!is_complex(x.dtype())) return x.view();
  return make_view(x.data(), component_of(x.dtype()), {2 * x.count()}, {1});
}

/// Programs put other parameters into a group, and other tensors into its state.
void check_fits(const char* op, const Tensor& state, const Tensor& parameter) {
  if (state.sizes() != parameter.sizes())
    throw ShapeError(text(op, ": state of sizes ", state.sizes(), " for a parameter of sizes ",
                          parameter.sizes(), "; they must be equal"));
  if (state.dtype() != parameter.dtype() || !state.is_contiguous())
    throw DTypeError(text(op, ": state of dtype ", name_of(state.dtype()), " and strides ",
                          state.strides(), " for a parameter of dtype ", name_of(parameter.dtype()),
                          "; the same dtype and a contiguous one are needed"));
  if (state.device() != parameter.device())
    throw DeviceError(text(op, ": state on ", state.device(), " for a parameter on ",
                           parameter.device(), "; they must be on one device"));
}

/// Zeros for each parameter that has a gradient and no state yet. Raises where one does not fit.
std::vector<Tensor> missing(const char* op, const std::vector<Tensor>& states,
                            const std::vector<Tensor>& parameters,
                            const std::vector<Tensor>& gradients) {
  std::vector<Tensor> made;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!gradients[i]) continue;
    if (states[i]) {
      check_fits(op, states[i], parameters[i]);
      continue;
    }
    made.resize(parameters.size());
    made[i] = zeros(parameters[i].sizes(), parameters[i].dtype(), parameters[i].device());
  }
  return made;
}

void take(Tensor& state, std::vector<Tensor>& made, std::size_t i) {
  if (!state) state = std::move(made[i]);
}

}  // namespace

void sgd_step(const std::vector<Tensor>& parameters, const SgdSettings& settings,
              std::vector<Tensor>& velocities) {
  const GradModeGuard no_grad(false);
  velocities.resize(parameters.size());
  // All that may fail comes before the first write: a step that raised can be taken again.
  const std::vector<Tensor> gradients = gradients_of("SGD", parameters, settings.maximize);
  std::vector<Tensor> made;
  if (settings.momentum != 0) made = missing("SGD", velocities, parameters, gradients);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &parameter = parameters[i], &gradient = gradients[i];
    if (!gradient) continue;
    const bool is_first = !velocities[i], has_momentum = settings.momentum != 0;
    if (has_momentum) take(velocities[i], made, i);
    write_into(parameter, [&] {
      kernels::run(kernels::SgdStep{.parameter = numbers_of(parameter),
                                    .gradient = numbers_of(gradient),
                                    .velocity = has_momentum ? numbers_of(velocities[i]) : View{},
                                    .learning_rate = settings.learning_rate,
                                    .momentum = settings.momentum,
                                    .dampening = settings.dampening,
                                    .weight_decay = settings.weight_decay,
                                    .nesterov = settings.nesterov,
                                    .is_first = is_first},
                   parameter.device());
    });
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
  const std::vector<Tensor> gradients = gradients_of("Adam", parameters, settings.maximize);
  std::vector<Tensor> made_means = missing("Adam", means, parameters, gradients);
  std::vector<Tensor> made_squares = missing("Adam", squares, parameters, gradients);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &parameter = parameters[i], &gradient = gradients[i];
    if (!gradient) continue;
    take(means[i], made_means, i);
    take(squares[i], made_squares, i);
    write_into(parameter, [&] {
      kernels::run(kernels::AdamStep{.parameter = numbers_of(parameter),
                                     .gradient = numbers_of(gradient),
                                     .mean = numbers_of(means[i]),
                                     .square = numbers_of(squares[i]),
                                     .learning_rate = settings.learning_rate,
                                     .beta1 = settings.beta1,
                                     .beta2 = settings.beta2,
                                     .epsilon = settings.epsilon,
                                     .weight_decay = settings.weight_decay,
                                     .decoupled_decay = settings.decoupled_decay,
                                     .step = ++steps[i]},
                   parameter.device());
    });
    parameter.storage()->bump_version();
  }
}

}  // namespace garboard
