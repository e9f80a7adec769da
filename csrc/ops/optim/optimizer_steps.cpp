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
  if (!has_gradient(parameter.dtype()))
    throw DTypeError(text(op, ": a parameter of dtype ", name_of(parameter.dtype()),
                          "; a floating one is needed"));
  if (!parameter.is_contiguous()) check_writable(op, parameter);
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

/// Parameters as kernels write them: dense ones themselves, a dense copy of others, where there is
/// a gradient. Copies are made before the first write, which they are no part of.
class Written {
 public:
  Written(const std::vector<Tensor>& parameters, const std::vector<Tensor>& gradients) {
    dense_.reserve(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i)
      dense_.push_back(gradients[i] ? contiguous(parameters[i]) : Tensor());
  }

  /// Calls `step` with what it is to write of parameter `i`.
  template <class Step>
  void write(const Tensor& parameter, std::size_t i, Step step) {
    write_into(parameter, [&] {
      step(numbers_of(dense_[i]));
      if (dense_[i] != parameter) copy_into(parameter, dense_[i]);
    });
    parameter.storage()->bump_version();
  }

 private:
  std::vector<Tensor> dense_;
};

/// Programs put other parameters into a group, and other tensors into its state.
void check_fits(const char* op, const Tensor& state, const Tensor& parameter) {
  if (state.sizes() != parameter.sizes())
    throw ShapeError(text(op, ": state of sizes ", state.sizes(), " for a parameter of sizes ",
                          parameter.sizes(), "; they must be equal"));
  if (state.dtype() != parameter.dtype())
    throw DTypeError(text(op, ": state of dtype ", name_of(state.dtype()),
                          " for a parameter of dtype ", name_of(parameter.dtype()),
                          "; the same dtype is needed"));
  if (state.device() != parameter.device())
    throw DeviceError(text(op, ": state on ", state.device(), " for a parameter on ",
                           parameter.device(), "; they must be on one device"));
}

/// Zeros for each parameter that has a gradient and no state yet, and dense copies of state that is
/// not, as files may bring it. Raises where one does not fit.
std::vector<Tensor> missing(const char* op, const std::vector<Tensor>& states,
                            const std::vector<Tensor>& parameters,
                            const std::vector<Tensor>& gradients) {
  std::vector<Tensor> made;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!gradients[i]) continue;
    if (states[i]) check_fits(op, states[i], parameters[i]);
    if (states[i] && states[i].is_contiguous()) continue;
    made.resize(parameters.size());
    made[i] = states[i]
                  ? clone(states[i])
                  : zeros(parameters[i].sizes(), parameters[i].dtype(), parameters[i].device());
  }
  return made;
}

void take(Tensor& state, std::vector<Tensor>& made, std::size_t i) {
  if (i < made.size() && made[i]) state = std::move(made[i]);
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
  Written written(parameters, gradients);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &parameter = parameters[i], &gradient = gradients[i];
    if (!gradient) continue;
    const bool is_first = !velocities[i], has_momentum = settings.momentum != 0;
    if (has_momentum) take(velocities[i], made, i);
    written.write(parameter, i, [&](const View& numbers) {
      kernels::run(kernels::SgdStep{.parameter = numbers,
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
  Written written(parameters, gradients);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &parameter = parameters[i], &gradient = gradients[i];
    if (!gradient) continue;
    take(means[i], made_means, i);
    take(squares[i], made_squares, i);
    written.write(parameter, i, [&](const View& numbers) {
      kernels::run(kernels::AdamStep{.parameter = numbers,
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
  }
}

}  // namespace garboard
