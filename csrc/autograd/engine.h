// Walks a recorded graph backwards.
#pragma once

#include <memory>
#include <vector>

#include "csrc/tensor/tensor.h"

namespace garboard {

struct WalkOptions {
  bool retain_graph = false;  // keep what the nodes saved, for another walk
  bool create_graph = false;  // record the walk itself
};

/// Adds the gradient of sum_i <outputs[i], gradients[i]> to `.grad` of every leaf behind the
/// outputs. There are as many gradients as outputs; an empty one stands for 1, and its output must
/// have one element.
///
/// Raises GradientError where there is nothing to start from, nothing was recorded, a graph was
/// freed by an earlier walk, or another walk is under way in what this one frees, but for one that
/// calls this one where this one retains the graph, and VersionError where a saved tensor was
/// written since. After an error, leaves may hold part of their gradients.
///
/// Calls hooks, and where a tensor between outputs and leaves retains its gradient adds to that
/// too. In mode::finds_nan raises GradientError where a rule gives NaN.
void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const WalkOptions& options);
/// The same for `inputs` alone, be they leaves or not: no other `.grad` changes, but of what
/// retains its gradient. Inputs that the outputs do not depend on stay as they are.
void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const std::vector<Tensor>& inputs, const WalkOptions& options);

/// The same gradients for `inputs` alone, returned and not added to any `.grad`; empty for an input
/// that the outputs do not depend on. Nodes that do not lead to an input are neither run nor freed,
/// and hooks on what lies elsewhere are not called. A freed node anywhere behind the outputs is
/// refused: it may have led to an input.
std::vector<Tensor> gradients_of(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& gradients,
                                 const std::vector<Tensor>& inputs, const WalkOptions& options,
                                 const char* name = "grad");

/// What somebody keeps with a walk; it ends with the walk.
struct WalkNotes {
  virtual ~WalkNotes() = default;
};

/// A walk as the hooks that it calls see it.
class WalkUnderWay {
 public:
  virtual ~WalkUnderWay() = default;
  /// Those of the tensors that it gives gradients, called or not yet.
  virtual std::vector<const GradientHooks*> hooks() const = 0;

  std::unique_ptr<WalkNotes> notes;

  /// This thread's, of those inside each other; null where there is none.
  static WalkUnderWay* innermost() noexcept;
};

}  // namespace garboard
