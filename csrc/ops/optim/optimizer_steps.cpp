#include "csrc/ops/optim/optimizer_steps.h"

#include <algorithm>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/device/capture.h"
#include "csrc/device/streams.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"
#include "csrc/tensor/grad_node.h"
#include "kernels/run.h"

namespace garboard {
namespace {

/// Programs put other parameters into a group, other tensors into its state, and turn gradients.
void check_fits(const char* op, const char* what, const Tensor& given, const Tensor& parameter) {
  if (given.sizes() != parameter.sizes())
    throw ShapeError(text(op, ": ", what, " of sizes ", given.sizes(), " for a parameter of sizes ",
                          parameter.sizes(), "; they must be equal"));
  if (given.dtype() != parameter.dtype())
    throw DTypeError(text(op, ": ", what, " of dtype ", name_of(given.dtype()),
                          " for a parameter of dtype ", name_of(parameter.dtype()),
                          "; the same dtype is needed"));
  if (given.device() != parameter.device())
    throw DeviceError(text(op, ": ", what, " on ", given.device(), " for a parameter on ",
                           parameter.device(), "; they must be on one device"));
}

/// The gradient of a parameter as a kernel wants it; empty where there is none.
Tensor gradient_of(const char* op, const Tensor& parameter, bool maximize) {
  Tensor gradient = parameter.grad();
  if (!gradient) return {};
  if (!has_gradient(parameter.dtype()))
    throw DTypeError(text(op, ": a parameter of dtype ", name_of(parameter.dtype()),
                          "; a floating one is needed"));
  check_fits(op, "gradient", gradient, parameter);
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

/// Zeros for each parameter that has a gradient and no state yet, and dense copies of state that is
/// not, as files may bring it. Raises where one does not fit.
std::vector<Tensor> missing(const char* op, const std::vector<Tensor>& states,
                            const std::vector<Tensor>& parameters,
                            const std::vector<Tensor>& gradients) {
  std::vector<Tensor> made;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!gradients[i]) continue;
    if (states[i]) check_fits(op, "state", states[i], parameters[i]);
    if (states[i] && states[i].is_contiguous()) continue;
    made.resize(parameters.size());
    made[i] = states[i]
                  ? row_major_copy(states[i])
                  : zeros(parameters[i].sizes(), parameters[i].dtype(), parameters[i].device());
  }
  return made;
}

bool is_captured(Device device) {
  return is_anything_captured() && capture_of(current_stream(device)) != 0;
}

/// Raises DeviceError where a step that is captured would make state: each replay would make it
/// anew. `has_state` tells it of one parameter.
template <class HasState>
void refuse_captured_state(const char* op, const std::vector<Tensor>& gradients,
                           HasState has_state) {
  if (!is_anything_captured()) return;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    if (gradients[i] && is_captured(gradients[i].device()) && !has_state(i))
      throw DeviceError(text(op,
                             ": its first step is captured, whose replays would begin anew; "
                             "take a step before the capture"));
  }
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
  if (settings.momentum != 0)
    refuse_captured_state("SGD", gradients, [&](std::size_t i) { return bool(velocities[i]); });
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

std::vector<std::int64_t> steps_of(const AdamMoments& state) {
  if (!state.counts) return state.steps;
  const Tensor counts = to(to(state.counts, DType::int64), Device{});
  const std::int64_t* const first = counts.view().as<std::int64_t>();
  return {first, first + counts.count()};
}

namespace {

/// `state.counts` for so many parameters, as the host has counted so far.
Tensor counts_on(Device device, const AdamMoments& state, std::size_t parameters) {
  std::vector<std::int64_t> steps = steps_of(state);
  steps.resize(parameters);
  const Tensor counted = empty({static_cast<std::int64_t>(parameters)}, DType::float32, {}, "Adam");
  std::ranges::copy(steps, counted.view().as<float>());
  return to(counted, device);
}

}  // namespace

void adam_step(const std::vector<Tensor>& parameters, const AdamSettings& settings,
               AdamMoments& state) {
  const GradModeGuard no_grad(false);
  state.means.resize(parameters.size());
  state.squares.resize(parameters.size());
  const std::vector<Tensor> gradients = gradients_of("Adam", parameters, settings.maximize);
  const auto first = std::ranges::find_if(gradients, [](const Tensor& it) { return bool(it); });
  if (first == gradients.end()) return;
  const Device device = first->device();
  refuse_captured_state("Adam", gradients, [&](std::size_t i) {
    return state.means[i] && state.squares[i] && (state.counts || !settings.capturable);
  });
  if (!settings.capturable && is_captured(device))
    throw DeviceError(
        "Adam: a step that the host counts, in captured work, whose replays it would not see; "
        "capturable=True is needed");
  if (!settings.capturable && state.counts) {
    state.steps = steps_of(state);
    state.counts = {};
  }
  Tensor counts = state.counts;
  if (settings.capturable && (!counts || counts.count() != std::ssize(parameters)))
    counts = counts_on(device, state, parameters.size());
  state.steps.resize(parameters.size());
  std::vector<Tensor> made_means = missing("Adam", state.means, parameters, gradients);
  std::vector<Tensor> made_squares = missing("Adam", state.squares, parameters, gradients);
  Written written(parameters, gradients);
  if (settings.capturable) {
    if (counts.device() != device || std::ranges::any_of(gradients, [&](const Tensor& it) {
          return it && it.device() != device;
        }))
      throw DeviceError(
          text("Adam: parameters on ", device,
               " and on others, with capturable=True; all of a group must be on one"));
    const Operand one = Scalar::of(1.0);
    if (std::ranges::all_of(gradients, [](const Tensor& it) { return bool(it); })) {
      add.apply_in_place(counts, one);
    } else {
      for (std::int64_t i = 0; i < counts.count(); ++i)
        if (gradients[static_cast<std::size_t>(i)])
          add.apply_in_place(narrow(counts, 0, i, 1), one);
    }
    state.counts = counts;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor &parameter = parameters[i], &gradient = gradients[i];
    if (!gradient) continue;
    take(state.means[i], made_means, i);
    take(state.squares[i], made_squares, i);
    if (!settings.capturable) ++state.steps[i];
    written.write(parameter, i, [&](const View& numbers) {
      kernels::run(kernels::AdamStep{.parameter = numbers,
                                     .gradient = numbers_of(gradient),
                                     .mean = numbers_of(state.means[i]),
                                     .square = numbers_of(state.squares[i]),
                                     .learning_rate = settings.learning_rate,
                                     .beta1 = settings.beta1,
                                     .beta2 = settings.beta2,
                                     .epsilon = settings.epsilon,
                                     .weight_decay = settings.weight_decay,
                                     .decoupled_decay = settings.decoupled_decay,
                                     .step = state.steps[i],
                                     .counted = counts ? counts.view().as<float>() + i : nullptr},
                   parameter.device());
    });
  }
}

}  // namespace garboard
