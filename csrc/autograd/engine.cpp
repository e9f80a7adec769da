#include "csrc/autograd/engine.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "csrc/autograd/accumulate.h"
#include "csrc/autograd/wanted.h"
#include "csrc/core/error.h"
#include "csrc/core/outer_lock.h"
#include "csrc/lifetime/op_profile.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/reduce/reduce.h"

namespace garboard {
namespace {

std::atomic<std::uint64_t> last_walk{0};

class GraphWalk;
thread_local GraphWalk* innermost_walk = nullptr;

class GraphWalk final : public WalkUnderWay {
 public:
  /// `wanted`: null where the gradients go into the `.grad` of leaves, all of them.
  GraphWalk(const char* name, const WalkOptions& options, Wanted* wanted)
      : name_(name), options_(options), wanted_(wanted), number_(last_walk += 2) {}

  // Also after an error: the notes in the nodes must not outlive the walk.
  ~GraphWalk() override {
    if (innermost_walk == this) innermost_walk = outer_;
    for (const Counted<GradNode>& node : visited_) {
      node->walk = 0;
      node->gradient = {};
      if (!is_done_ && node->foreign()) node->foreign()->gathered.clear();
    }
    for (Lent& lent : lent_) lent.give_back();
  }

  void run(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients) {
    if (outputs.empty())
      throw GradientError(text(name_, ": no tensors to start from; at least one is needed"));
    if (gradients.size() != outputs.size())
      throw GradientError(text(name_, ": ", gradients.size(), " gradients for ", outputs.size(),
                               " outputs; one each is needed"));
    const GradModeGuard mode(options_.create_graph);
    std::vector<std::pair<Edge, Tensor>> roots;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      roots.emplace_back(edge_of(outputs[i]), start(outputs[i], gradients[i]));
    for (const auto& [edge, gradient] : roots) {
      if (edge.node) wanted_ ? select(edge.node) : count(edge.node);
      meet_edge(edge);
    }
    if (wanted_) forget_idle();
    outer_ = std::exchange(innermost_walk, this);
    for (auto& [edge, gradient] : roots) {
      if (leads(edge)) pass_on(edge, std::move(gradient));
    }
    roots.clear();
    OuterLock::Turns turns;
    while (!ready_.empty()) {
      visit(pop());
      turns.offer();
    }
    is_done_ = true;
  }

  std::vector<const GradientHooks*> hooks() const override {
    std::vector<const GradientHooks*> found;
    for (const Counted<GradNode>& node : visited_) {
      if (node->hooks()) found.push_back(node->hooks());
    }
    for (const auto& [leaf, awaited] : awaited_) {
      if (leaf->grad_state->hooks) found.push_back(leaf->grad_state->hooks.get());
    }
    return found;
  }

 private:
  Tensor start(const Tensor& output, const Tensor& given) const {
    if (!output.requires_grad())
      throw GradientError(text(
          name_,
          ": a tensor that does not require grad and does not have a grad_fn; it must be computed "
          "from one that does, with grad mode on"));
    if (!given) {
      if (output.count() != 1)
        throw GradientError(text(name_, ": no gradient for an output of sizes ", output.sizes(),
                                 "; one element, or a gradient of those sizes, is needed"));
      if (is_complex(output.dtype()))
        throw GradientError(text(name_, ": no gradient for an output of dtype ",
                                 name_of(output.dtype()),
                                 "; a real output, as y.abs() or y.real, or a gradient is needed"));
      return full(output.sizes(), Scalar::of(1.0), output.dtype(), output.device());
    }
    if (given.sizes() != output.sizes())
      throw ShapeError(text(name_, ": a gradient of sizes ", given.sizes(),
                            " for an output of sizes ", output.sizes(), "; they must be equal"));
    if (given.device() != output.device())
      throw DeviceError(text(name_, ": a gradient on ", given.device(), " for an output on ",
                             output.device(), "; they must be on one device, use to()"));
    return to(given, output.dtype());
  }

  /// Borrows a node of a walk that called this one, and so waits for it; it finds its notes, and
  /// what the node keeps, as they were. Walks of other threads lend nothing.
  void borrow(const Counted<GradNode>& node, bool is_visited = true) {
    check_lent(*node, is_visited);
    Lent& lent = lent_.emplace_back(Lent{node, node->walk, node->pending_count, {}, {}});
    lent.gradient = std::exchange(node->gradient, {});
    if (node->foreign()) lent.gathered = std::exchange(node->foreign()->gathered, {});
  }
  void check_lent(const GradNode& node, bool is_visited = true) const {
    const GraphWalk* lender = innermost_walk;
    while (lender && lender->number_ != node.walk) lender = lender->outer_;
    if (!lender || (is_visited && !options_.retain_graph))
      throw GradientError(text(name_, ": another backward pass is under way in the graph of ",
                               node.name, "; ", lender ? "give retain_graph=True" : "wait for it",
                               ", or build the graph twice"));
  }
  void check_not_freed(const GradNode& node) const {
    if (node.is_released)
      throw GradientError(text(name_, ": the graph of ", node.name,
                               " was freed by an earlier backward pass; give retain_graph=True "
                               "to all but the last"));
  }
  void claim(const Counted<GradNode>& node, std::uint64_t number) {
    node->walk = number;
    node->pending_count = 0;
    visited_.push_back(node);
  }

  /// True where a gradient is to go along `edge`.
  bool leads(const Edge& edge) const {
    if (edge.node) return edge.node->walk == number_;
    return edge.leaf && (!wanted_ || wanted_->has(edge.leaf.body()));
  }
  /// One gradient more will come along `edge`, if it leads anywhere.
  bool meet_edge(const Edge& edge) {
    if (!leads(edge)) return false;
    edge.node ? void(++edge.node->pending_count) : expect(edge.leaf);
    return true;
  }

  /// Claims every node behind `root` for this walk and counts who waits for whom.
  void count(const Counted<GradNode>& root) {
    std::vector<GradNode*> open;
    const auto meet = [&](const Counted<GradNode>& node) {
      if (node->walk == number_) return;
      if (node->walk != 0) borrow(node);
      check_not_freed(*node);
      claim(node, number_);
      open.push_back(node.get());
    };
    meet(root);
    while (!open.empty()) {
      GradNode* const node = open.back();
      open.pop_back();
      for (const Edge& edge : node->edges()) {
        if (edge.leaf) expect(edge.leaf);
        if (!edge.node) continue;
        meet(edge.node);
        ++edge.node->pending_count;
      }
    }
  }

  /// The same for the nodes that lead to what is wanted, alone. A node is known when all behind it
  /// are, so each is met twice, before and after them, without recursion. Until then, and where it
  /// leads nowhere, it is idle: the rest of the walk leaves it as it was.
  void select(const Counted<GradNode>& root) {
    struct Open {
      const Counted<GradNode>& node;
      std::size_t next_edge = 0;
      bool leads = false;
    };
    std::vector<Open> open;
    const auto is_known = [&](const Counted<GradNode>& node) {
      if (node->walk == number_ || node->walk == idle()) return true;
      if (node->walk != 0) return !wanted_->claimed_by_others.insert(node.get()).second;
      claim(node, idle());
      return false;
    };
    if (!is_known(root)) open.push_back({root});
    while (!open.empty()) {
      Open& at = open.back();
      const std::span<const Edge> edges = at.node->edges();
      if (at.next_edge < edges.size()) {
        const Edge& edge = edges[at.next_edge];
        if (edge.node && !is_known(edge.node)) {
          open.push_back({edge.node});  // and back to this edge
        } else {
          at.leads |= meet_edge(edge);
          ++at.next_edge;
        }
        continue;
      }
      GradNode& node = *at.node;
      const bool is_wanted = wanted_->has(&node);
      // Where a freed node led is forgotten: to what is wanted, unless that is younger.
      at.leads |= node.is_released && wanted_->may_lie_behind(node);
      if (at.leads || is_wanted) {
        if (node.walk != idle()) {
          borrow(at.node, at.leads);  // one that is wanted alone only hands on what comes to it
          claim(at.node, number_);
        }
        if (at.leads) check_not_freed(node);
        node.walk = number_;
      }
      open.pop_back();
    }
  }
  std::uint64_t idle() const { return number_ - 1; }
  void forget_idle() {
    const auto is_idle = [&](const Counted<GradNode>& node) { return node->walk == idle(); };
    for (const Counted<GradNode>& node : visited_) {
      if (is_idle(node)) node->walk = 0;
    }
    std::erase_if(visited_, [](const Counted<GradNode>& node) { return node->walk == 0; });
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

  /// While it lives, no other walk frees the op inside a node, whose rule the node's runs; see
  /// GradNode::Seldom. The op may be a node of its own in the graph of a recorded walk, and so have
  /// been freed without the other.
  class InnerClaim {
   public:
    InnerClaim(const GraphWalk& walk, const GradNode& node)
        : inner_(node.seldom() ? node.seldom()->inner : nullptr) {
      if (!inner_) return;
      walk.check_not_freed(*inner_);
      if (inner_->walk == 0) {
        inner_->walk = walk.number_;
        is_ours_ = true;
      } else if (inner_->walk != walk.number_) {
        walk.check_lent(*inner_);
      }
    }
    ~InnerClaim() {
      if (is_ours_) inner_->walk = 0;
    }
    InnerClaim(const InnerClaim&) = delete;
    InnerClaim& operator=(const InnerClaim&) = delete;

   private:
    Counted<GradNode> inner_;
    bool is_ours_ = false;
  };

  void visit(const Counted<GradNode>& node) {
    const InnerClaim claim_of_inner(*this, *node);
    Tensor gradient = std::exchange(node->gradient, {});
    if (gradient && node->seldom()) gradient = seen(*node, std::move(gradient));
    if (wanted_) {
      if (gradient) wanted_->add(node.get(), gradient);
      if (!look_ahead(*node)) return;  // it is wanted, and nothing behind it
    }
    Grads grads;
    if (gradient || has_gathered(*node)) {
      const OpProfile::MaybeOp op(node->name, " (backward)");
      if (is_watched_ || (node->seldom() && node->seldom()->node_hooks)) {
        grads = run_watched(*node, std::move(gradient));
      } else {
        // No sum takes a part that is conjugated afterwards.
        const bool adds = !options_.create_graph && !is_complex(node->output_dtype);
        grads = run(*node, std::move(gradient),
                    !adds     ? AddsTo::nothing
                    : wanted_ ? AddsTo::nodes
                              : AddsTo::nodes_and_leaves);
      }
    }
    // What it kept goes before anything that lies further back is computed.
    if (options_.retain_graph) {
      node->was_retained = true;
    } else if (node->keeps_any()) {
      node->release_kept();
    } else {
      node->was_walked = true;
    }
    const GradNode::Seldom* const seldom = node->seldom();
    int i = 0;
    for (const Edge& edge : node->edges()) {
      const int place = i++;
      if (!edge || (wanted_ && !edges_lead_[static_cast<std::size_t>(place)])) continue;
      if (grads.was_added(place)) {
        if (edge.node) arrive(edge.node);
        continue;
      }
      Tensor part = std::exchange(grads[place], {});
      if (part) {
        if (seldom && seldom->has_input_sizes) part = sum_to(part, seldom->input_sizes[place]);
        if (part.dtype() != edge.dtype()) part = to(part, edge.dtype());
      }
      pass_on(edge, std::move(part));
    }
    if (node->is_released) node->drop_edges();
  }

  Grads run(GradNode& node, Tensor gradient, AddsTo adds) {
    return run_rule(
        Backward(node, std::move(gradient), adds, wanted_ ? edges_lead_.data() : nullptr,
                 !options_.retain_graph));
  }

  /// With the node's own hooks, and a look for NaN.
  Grads run_watched(GradNode& node, Tensor gradient) {
    const Counted<NodeHooks> hooks = node.seldom() ? node.seldom()->node_hooks : nullptr;
    ForeignRule* const rule = node.foreign();
    const bool is_gathered = rule && rule->only_output < 0;
    std::vector<Tensor> given;
    if (hooks) {
      given = is_gathered ? std::exchange(rule->gathered, {}) : std::vector<Tensor>{gradient};
      hooks->before(given);
      if (is_gathered) {
        rule->gathered = given;
      } else {
        gradient = given[0];
      }
    }
    if (!gradient && !has_gathered(node)) return {};
    Grads grads = run(node, std::move(gradient), AddsTo::nothing);
    const int count = static_cast<int>(node.edges().size());
    if (is_watched_) {
      for (int i = 0; i < count; ++i) check_not_nan(node, grads[i], i);
    }
    if (!hooks) return grads;
    std::vector<Tensor> made;
    for (int i = 0; i < count; ++i) made.push_back(grads[i]);
    hooks->after(made, given);
    for (int i = 0; i < count; ++i) grads[i] = std::move(made[static_cast<std::size_t>(i)]);
    return grads;
  }

  void check_not_nan(const GradNode& node, const Tensor& gradient, int input) const {
    if (!gradient || !has_gradient(gradient.dtype())) return;
    const GradModeGuard no_grad(false);
    if (!*static_cast<const bool*>(to(any(isnan(gradient)), Device{}).data())) return;
    throw GradientError(text(name_, ": the gradient of ", node.name, " for its input ", input,
                             " has NaN; ", node.name, " was called at ", describe(node.site),
                             ", look at what it was given there"));
  }

  /// Whether the outputs of an op of several have left gradients; see ForeignRule.
  static bool has_gathered(const GradNode& node) {
    return node.foreign() && !node.foreign()->gathered.empty();
  }

  /// Notes which edges of `node` lead to what is wanted; false where none does.
  bool look_ahead(GradNode& node) {
    edges_lead_.clear();
    for (const Edge& edge : node.edges()) edges_lead_.push_back(leads(edge));
    return std::ranges::find(edges_lead_, true) != edges_lead_.end();
  }

  /// Gives a part of its gradient, or word that there is none, to where `edge` leads.
  void pass_on(const Edge& edge, Tensor part) {
    if (edge.leaf) return deliver(edge.leaf, std::move(part));
    if (part) accumulate(edge.node->gradient, std::move(part), options_.create_graph);
    arrive(edge.node);
  }
  /// A gradient of the node's, or word that there is none, has come.
  void arrive(const Counted<GradNode>& node) {
    if (--node->pending_count == 0) push(node);
  }

  /// What goes on once hooks of the output have seen its gradient.
  Tensor seen(GradNode& node, Tensor gradient) {
    if (node.hooks()) gradient = hooked(*node.hooks(), std::move(gradient));
    if (TensorBody* const body = node.seldom()->retained_by)
      add_to_grad(Tensor(Counted<TensorBody>(body)), gradient, options_.create_graph);
    return gradient;
  }

  static Tensor hooked(GradientHooks& hooks, Tensor gradient) {
    Tensor replaced = hooks.call(gradient);
    return replaced ? replaced : gradient;
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
    if (wanted_) return wanted_->add(leaf.body(), gradient);  // no `.grad` changes
    if (!leaf.body()->requires_grad) return;  // no more: it was frozen since
    add_to_grad(leaf, std::move(gradient), options_.create_graph);
    if (state && state->hooks) {
      const Counted<GradientHooks> hooks = state->hooks;
      hooks->call_after(leaf);
    }
  }

  /// The notes that another walk has in a node, while this one's are there.
  struct Lent {
    Counted<GradNode> node;
    std::uint64_t walk;
    std::uint32_t pending_count;
    Tensor gradient;
    std::vector<Tensor> gathered;

    void give_back() {
      node->walk = walk;
      node->pending_count = pending_count;
      node->gradient = std::move(gradient);
      if (node->foreign()) node->foreign()->gathered = std::move(gathered);
    }
  };

  const char* name_;
  WalkOptions options_;
  Wanted* wanted_;
  std::uint64_t number_;
  bool is_watched_ = grad_mode & mode::finds_nan;
  bool is_done_ = false;
  GraphWalk* outer_ = nullptr;  // on this thread
  std::vector<Counted<GradNode>> visited_;
  std::vector<Lent> lent_;
  std::vector<Counted<GradNode>> ready_;  // a heap: the youngest first
  std::vector<std::uint8_t> edges_lead_;  // of the node that is visited, a truth each
  std::unordered_map<const TensorBody*, Awaited> awaited_;  // by leaf, of those with hooks
};

}  // namespace

WalkUnderWay* WalkUnderWay::innermost() noexcept { return innermost_walk; }

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const WalkOptions& options) {
  GraphWalk("backward", options, nullptr).run(outputs, gradients);
}

void backward(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients,
              const std::vector<Tensor>& inputs, const WalkOptions& options) {
  std::vector<Tensor> found = gradients_of(outputs, gradients, inputs, options, "backward");
  const GradModeGuard as_the_walk(options.create_graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto earlier = inputs.begin() + static_cast<std::ptrdiff_t>(i);
    if (!found[i] || std::find(inputs.begin(), earlier, inputs[i]) != earlier) continue;
    if (!retains_grad(inputs[i])) add_to_grad(inputs[i], found[i], options.create_graph);
    const GradState& state = grad_state_of(inputs[i]);
    if (const Counted<GradientHooks> hooks = inputs[i].is_leaf() ? state.hooks : nullptr)
      hooks->call_after(inputs[i]);
  }
}

std::vector<Tensor> gradients_of(const std::vector<Tensor>& outputs,
                                 const std::vector<Tensor>& gradients,
                                 const std::vector<Tensor>& inputs, const WalkOptions& options,
                                 const char* name) {
  if (inputs.empty()) throw GradientError(text(name, ": no inputs; at least one is needed"));
  for (const Tensor& input : inputs) {
    if (!input.requires_grad())
      throw GradientError(text(name,
                               ": an input that does not require grad; set requires_grad_() before "
                               "the outputs are computed"));
  }
  Wanted wanted(inputs);
  GraphWalk(name, options, &wanted).run(outputs, gradients);
  return wanted.take();
}

}  // namespace garboard
