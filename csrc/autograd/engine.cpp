#include "csrc/autograd/engine.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "csrc/core/error.h"
#include "csrc/core/outer_lock.h"
#include "csrc/lifetime/op_profile.h"
#include "csrc/ops/binary.h"
#include "csrc/ops/convert.h"
#include "csrc/ops/create.h"
#include "csrc/ops/record.h"
#include "csrc/ops/reduce.h"

namespace garboard {
namespace {

std::atomic<std::uint64_t> last_walk{0};

/// No view, and as large as its storage.
bool is_whole(const Tensor& tensor) {
  return !tensor.body()->base && tensor.is_contiguous() &&
         tensor.storage()->bytes == tensor.nbytes();
}

/// `sum`, with `gradient` added: in place where nobody can tell.
void accumulate(Tensor& sum, Tensor gradient, bool is_recorded) {
  if (!sum) {
    sum = std::move(gradient);
  } else if (!is_recorded && sum.dtype() == gradient.dtype() && sum.is_contiguous() &&
             is_sole_owner(sum)) {
    add.apply_in_place(sum, gradient);
  } else {
    sum = add(sum, gradient);
  }
}

class Walk {
 public:
  explicit Walk(const WalkOptions& options) : options_(options), number_(++last_walk) {}

  // Also after an error: the notes in the nodes must not outlive the walk.
  ~Walk() {
    for (const Counted<GradNode>& node : visited_) {
      node->walk = 0;
      node->gradient = {};
    }
  }

  void run(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
           const std::vector<Tensor>* inputs, std::vector<Tensor>* captured) {
    if (inputs) {
      for (const Tensor& input : *inputs) wanted_.push_back(edge_of(input));
      captured_ = captured;
      captured_->resize(inputs->size());
    }
    std::vector<std::pair<Edge, Tensor>> roots;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      roots.emplace_back(edge_of(outputs[i]),
                         start(outputs[i], i < gradients.size() ? gradients[i] : Tensor()));
    for (const auto& [edge, gradient] : roots) {
      edge.node ? count(edge.node) : expect(edge.leaf);
    }
    const GradModeGuard mode(options_.create_graph);
    for (auto& [edge, gradient] : roots) {
      if (edge.node) {
        accumulate(edge.node->gradient, std::move(gradient), options_.create_graph);
      } else {
        deliver(edge.leaf, std::move(gradient));
      }
    }
    for (const auto& [edge, gradient] : roots) {
      if (edge.node && edge.node->pending_count == 0) push(edge.node);
    }
    OuterLock::Turns turns;
    while (!ready_.empty()) {
      visit(pop());
      turns.offer();
    }
  }

 private:
  static Tensor start(const Tensor& output, const Tensor& given) {
    if (!output.requires_grad())
      throw GradientError(
          "backward: a tensor that does not require grad; it must be computed from one that does, "
          "with grad mode on");
    if (!given) {
      if (output.count() != 1)
        throw GradientError(text("backward: no gradient for an output of sizes ", output.sizes(),
                                 "; one element, or a gradient of those sizes, is needed"));
      return full(output.sizes(), Scalar::of(1.0), output.dtype(), output.device());
    }
    if (given.sizes() != output.sizes())
      throw ShapeError(text("backward: a gradient of sizes ", given.sizes(),
                            " for an output of sizes ", output.sizes(), "; they must be equal"));
    if (given.device() != output.device())
      throw DeviceError(text("backward: a gradient on ", given.device(), " for an output on ",
                             output.device(), "; they must be on one device, use to()"));
    return to(given, output.dtype());
  }

  /// Claims every node behind `root` for this walk and counts who waits for whom.
  void count(const Counted<GradNode>& root) {
    std::vector<GradNode*> open;
    const auto meet = [&](const Counted<GradNode>& node) {
      if (node->walk == number_) return;
      if (node->walk != 0)
        throw GradientError(text("backward: another backward pass is under way in the graph of ",
                                 node->name, "; wait for it, or build the graph twice"));
      if (node->is_released)
        throw GradientError(text("backward: the graph of ", node->name,
                                 " was freed by an earlier backward pass; give retain_graph=True "
                                 "to all but the last"));
      node->walk = number_;
      node->pending_count = 0;
      visited_.push_back(node);
      open.push_back(node.get());
    };
    meet(root);
    while (!open.empty()) {
      GradNode* const node = open.back();
      open.pop_back();
      for (const Edge& edge : node->edges()) {
        if (edge.leaf) expect(edge.leaf);
        const Counted<GradNode>& next = edge.node;
        if (!next) continue;
        meet(next);
        ++next->pending_count;
      }
    }
  }

  static bool is_older(const Counted<GradNode>& a, const Counted<GradNode>& b) {
    return a->serial < b->serial;
  }
  void push(const Counted<GradNode>& node) {
    ready_.push_back(node);
    std::ranges::push_heap(ready_, is_older);
  }
  Counted<GradNode> pop() {
    std::ranges::pop_heap(ready_, is_older);
    Counted<GradNode> node = std::move(ready_.back());
    ready_.pop_back();
    return node;
  }

  void visit(const Counted<GradNode>& node) {
    Tensor gradient = std::exchange(node->gradient, {});
    if (gradient && node->hooks()) gradient = hooked(*node->hooks(), std::move(gradient));
    if (gradient) capture(node.get(), nullptr, gradient);
    Grads grads;
    if (gradient) {
      const OpProfile::MaybeOp op(node->name, " (backward)");
      const bool adds_to_leaves = !options_.create_graph && !captured_;
      grads = node->run(Backward(*node, std::move(gradient), adds_to_leaves));
    }
    // What it kept goes before anything that lies further back is computed.
    if (options_.retain_graph) {
      node->was_retained = true;
    } else {
      node->release_kept();
    }
    const GradNode::Seldom* const seldom = node->seldom();
    int i = 0;
    for (const Edge& edge : node->edges()) {
      const int place = i++;
      if (!edge || grads.was_added(place)) continue;
      Tensor part = std::exchange(grads[place], {});
      if (part) {
        if (seldom && seldom->has_input_sizes) part = sum_to(part, seldom->input_sizes[place]);
        if (part.dtype() != edge.dtype()) part = to(part, edge.dtype());
      }
      if (edge.leaf) {
        deliver(edge.leaf, std::move(part));
        continue;
      }
      if (part) accumulate(edge.node->gradient, std::move(part), options_.create_graph);
      if (--edge.node->pending_count == 0) push(edge.node);
    }
    if (!options_.retain_graph) node->drop_edges();
  }

  static Tensor hooked(GradientHooks& hooks, Tensor gradient) {
    Tensor replaced = hooks.call(gradient);
    return replaced ? replaced : gradient;
  }

  /// True where only the wanted inputs get gradients, and no leaf's `.grad` may change.
  bool capture(const GradNode* node, const TensorBody* leaf, const Tensor& gradient) {
    if (!captured_) return false;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const bool is_it =
          node ? wanted_[i].node.get() == node : leaf && wanted_[i].leaf.body() == leaf;
      if (is_it) accumulate((*captured_)[i], gradient, true);
    }
    return true;
  }

  /// The parts of a leaf's gradient on their way to its hooks, which see their sum.
  struct Awaited {
    Tensor sum;
    int pending_count = 0;
  };

  void expect(const Tensor& leaf) {
    const GradState* const state = leaf.body()->grad_state.get();
    if (state && state->hooks) ++awaited_[leaf.body()].pending_count;
  }

  void deliver(const Tensor& leaf, Tensor part) {
    const auto it = awaited_.empty() ? awaited_.end() : awaited_.find(leaf.body());
    if (it == awaited_.end()) {
      if (part) accumulate_leaf(leaf, std::move(part));
      return;
    }
    Awaited& awaited = it->second;
    if (part) accumulate(awaited.sum, std::move(part), options_.create_graph);
    if (--awaited.pending_count == 0 && awaited.sum)
      accumulate_leaf(leaf, std::exchange(awaited.sum, {}));
  }

  void accumulate_leaf(const Tensor& leaf, Tensor gradient) {
    const GradState* const state = leaf.body()->grad_state.get();
    if (state && state->hooks) gradient = hooked(*state->hooks, std::move(gradient));
    if (capture(nullptr, leaf.body(), gradient)) return;
    Tensor sum = leaf.grad();
    if (sum && !options_.create_graph && !sum.requires_grad()) {
      add.apply_in_place(sum, gradient);
      return;
    }
    if (sum) {
      sum = add(sum, gradient);
    } else if (options_.create_graph || (is_sole_owner(gradient) && is_whole(gradient))) {
      sum = std::move(gradient);
    } else {
      sum = clone(gradient);  // somebody else still uses, or could write, those bytes
    }
    grad_state_of(leaf).grad = std::move(sum);
  }

  WalkOptions options_;
  std::uint64_t number_;
  std::vector<Counted<GradNode>> visited_;
  std::vector<Counted<GradNode>> ready_;  // a heap: the youngest first
  std::vector<Edge> wanted_;
  std::unordered_map<const TensorBody*, Awaited> awaited_;  // by leaf, of those with hooks
  std::vector<Tensor>* captured_ = nullptr;
};

}  // namespace

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const WalkOptions& options) {
  Walk(options).run(outputs, gradients, nullptr, nullptr);
}

std::vector<Tensor> gradients_of(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& gradients,
                                 const std::vector<Tensor>& inputs, const WalkOptions& options) {
  for (const Tensor& input : inputs) {
    if (!input.requires_grad())
      throw GradientError(
          "grad: an input that does not require grad; set requires_grad_() before "
          "the outputs are computed");
  }
  std::vector<Tensor> captured;
  Walk(options).run(outputs, gradients, &inputs, &captured);
  return captured;
}

}  // namespace garboard
