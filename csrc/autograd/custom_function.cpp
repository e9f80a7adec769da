#include "csrc/autograd/custom_function.h"

#include <algorithm>
#include <utility>

#include "csrc/core/error.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

bool is_differentiable(const CustomOutput& output) {
  return output.tensor && output.has_gradient && has_gradient(output.tensor.dtype());
}

/// Leaves a gradient where the rule of `op` finds it. A saved output that a recorded pass was given
/// with a history of its own leaves a second one.
void gather(const GradNode& op, std::size_t output, const Tensor& gradient) {
  std::vector<Tensor>& gathered = op.foreign()->gathered;
  if (gathered.size() <= output) gathered.resize(output + 1);
  Tensor& sum = gathered[output];
  sum = sum ? add(sum, gradient) : gradient;
}

/// The history of one of several outputs.
Counted<GradNode> node_of_output(const Counted<GradNode>& op, std::size_t index,
                                 const Tensor& output) {
  const Counted<GradNode> node = GradNode::make(op->name, output);
  node->add_edge([&] { return Edge{op, {}}; });
  node->set_rule([index](const Backward& at) -> Grads {
    gather(*at.node().edges()[0].node, index, at.grad);
    return {};
  });
  return node;
}

bool is_among(const std::vector<Tensor>& tensors, const Tensor& tensor) {
  return std::ranges::find(tensors, tensor) != tensors.end();
}

bool shares_memory(const CustomCall& call, std::size_t index) {
  const Counted<Storage>& storage = call.outputs[index].tensor.storage();
  const auto has_it = [&](const Tensor& other) { return other && other.storage() == storage; };
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (i != index && has_it(call.outputs[i].tensor)) return true;
  }
  return std::ranges::any_of(call.inputs, has_it);
}

void keep(GradNode& node, const std::vector<Tensor>& saved) {
  std::vector<Other> others;
  for (const Tensor& it : saved) others.push_back({"saved tensor", it});
  if (!others.empty()) node.keep_others(others);
}

void check_dirty(const CustomCall& call) {
  for (const CustomOutput& output : call.outputs) {
    if (!output.is_dirty) continue;
    check_writable(call.name, output.tensor);
    if (output.tensor.body()->base)
      throw GradientError(text(call.name,
                               ": mark_dirty() of a view; write into a clone(), or give the whole "
                               "tensor"));
  }
}

}  // namespace

std::vector<Tensor> record_custom(const CustomCall& call, Counted<ForeignRule> rule,
                                  Counted<GradNode>& node) {
  const auto first = std::ranges::find_if(call.outputs, is_differentiable);
  if (first == call.outputs.end()) return unrecorded_outputs(call);
  check_dirty(call);
  node = GradNode::make(call.name, first->tensor);
  for (const Tensor& input : call.inputs)
    node->add_edge([&] { return input ? edge_of(input) : Edge(); });
  const bool is_only = std::ranges::count_if(call.outputs, is_differentiable) == 1;
  rule->only_output = is_only ? static_cast<int>(first - call.outputs.begin()) : -1;
  rule->saved_outputs.assign(call.saved.size(), -1);
  std::vector<Tensor> results = unrecorded_outputs(call), saved = call.saved;
  std::vector<Counted<GradNode>> histories(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const CustomOutput& output = call.outputs[i];
    if (!is_differentiable(output)) continue;
    const bool is_input = !output.is_dirty && is_among(call.inputs, output.tensor);
    for (std::size_t k = 0; k < saved.size(); ++k) {
      if (saved[k] != output.tensor || is_input) continue;
      saved[k] = detach(saved[k]);
      rule->saved_outputs[k] = static_cast<int>(i);
    }
    if (!output.is_dirty) {
      results[i] = detach(output.tensor);
      results[i].body()->is_shared_output = shares_memory(call, i);
    }
    histories[i] = is_only ? node : node_of_output(node, i, results[i]);
    if (output.is_dirty) finish_in_place(results[i], histories[i], Keep::nothing);
  }
  node->set_foreign_rule(std::move(rule));
  keep(*node, saved);  // now that the versions stand still
  if (grad_mode & mode::packs) pack_kept(*node);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (histories[i]) results[i].body()->grad_node = histories[i];
  }
  return results;
}

std::vector<Tensor> unrecorded_outputs(const CustomCall& call) {
  std::vector<Tensor> results;
  for (const CustomOutput& output : call.outputs) {
    const Tensor& tensor = output.tensor;
    const bool is_own =
        tensor && !output.is_dirty && (tensor.requires_grad() || is_among(call.inputs, tensor));
    results.push_back(is_own ? detach(tensor) : tensor);
  }
  return results;
}

Tensor saved_of(GradNode& node, int place) {
  const Tensor saved = Backward(node, {}).other(place);
  const int output = node.foreign()->saved_outputs[static_cast<std::size_t>(place)];
  if (output < 0 || !is_grad_enabled()) return saved;
  const Counted<GradNode> op(&node);
  Tensor result = detach(saved);
  const bool is_only = node.foreign()->only_output == output;
  result.body()->grad_node =
      is_only ? op : node_of_output(op, static_cast<std::size_t>(output), result);
  return result;
}

}  // namespace garboard
