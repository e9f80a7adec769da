// Ops that are written elsewhere, forward and backward, and recorded like ours.
#pragma once

#include <vector>

#include "csrc/tensor/grad_node.h"

namespace garboard {

/// What a custom op has given out.
struct CustomOutput {
  Tensor tensor;             // empty: no tensor, which has no gradient
  bool is_dirty = false;     // one of the inputs, overwritten
  bool has_gradient = true;  // unless its dtype is no floating one
};

/// What a call of a custom op leaves.
struct CustomCall {
  const char* name;            // never ends
  std::vector<Tensor> inputs;  // empty where an argument was no tensor
  std::vector<CustomOutput> outputs;
  std::vector<Tensor> saved;  // for Backward::other, in this order; may be empty
};

/// Records a call, whose gradients `rule` makes: one for each input. Returns the outputs, and the
/// node in `node`, where at least one output has a gradient.
///
/// Overwritten inputs are returned as they are, all other outputs as tensors of their own over the
/// same storage, for what an op gives out may be anybody's: an input, a constant. One that shares
/// memory with an input or another output cannot be written in place any more while ops are
/// recorded. What is saved of the outputs is saved without history, as the node would own itself;
/// `saved_of` gives it back.
///
/// Raises GradientError where an overwritten input is a leaf that requires grad, or a view.
std::vector<Tensor> record_custom(const CustomCall& call, Counted<ForeignRule> rule,
                                  Counted<GradNode>& node);

/// A saved tensor of a recorded call, as Backward::other gives it; an output with its history,
/// while ops are recorded. Raises VersionError.
Tensor saved_of(GradNode& node, int place);

/// The outputs of a call that is not recorded: what has a history, or is an input, without it.
std::vector<Tensor> unrecorded_outputs(const CustomCall& call);

}  // namespace garboard
