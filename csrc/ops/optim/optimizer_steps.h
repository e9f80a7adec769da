// Parameter updates in place: one call for all parameters of a step.
#pragma once

#include <vector>

#include "csrc/tensor/tensor.h"

namespace garboard {

struct SgdSettings {
  double learning_rate, momentum, dampening, weight_decay;
  bool nesterov, maximize;
};
struct AdamSettings {
  double learning_rate, beta1, beta2, epsilon, weight_decay;
  bool decoupled_decay, maximize;
  bool capturable = false;  // the device counts the steps, so that captured ones are counted, too
};

/// `maximize` takes each gradient the other way round.
///
/// Each list is as long as `parameters`; a parameter without gradient is left alone. Empty
/// velocities are made on first use, where momentum asks for them. Raise ShapeError, DTypeError and
/// OutOfMemoryError; no parameter and no state has changed then.
/// In captured work DeviceError is raised for a step that makes state, which each replay would make
/// anew, and for one that the host counts.
void sgd_step(const std::vector<Tensor>& parameters, const SgdSettings& settings,
              std::vector<Tensor>& velocities);
/// Kingma and Ba, "Adam: a method for stochastic optimization", 2015, algorithm 1, with its bias
/// correction; decoupled decay after Loshchilov and Hutter, 2019. `steps` counts each parameter's;
/// with `capturable` `counts` does, float32 on the one device of all parameters.
struct AdamMoments {
  std::vector<Tensor> means, squares;
  std::vector<std::int64_t> steps;
  Tensor counts;  // where it is, `steps` is of no meaning
};
void adam_step(const std::vector<Tensor>& parameters, const AdamSettings& settings,
               AdamMoments& state);
/// `steps`, wherever they are counted. Waits for the device.
std::vector<std::int64_t> steps_of(const AdamMoments& state);

}  // namespace garboard
