#include "csrc/tensor/grad_node.h"

#include <iterator>
#include <utility>

#include "csrc/core/error.h"

namespace garboard {

void GradNode::add_one_of_many(Edge edge) {
  auto& edges = make_seldom().edges;
  if (edge_count_ == inline_edges) {
    edges.assign(std::make_move_iterator(few_edges_.begin()),
                 std::make_move_iterator(few_edges_.end()));
    std::ranges::destroy(few_edges_);
  }
  edges.push_back(std::move(edge));
  ++edge_count_;
}

void GradNode::keep_others(std::span<const Other> others) {
  pool::Vector<SavedOther>& saved = make_seldom().others;
  saved.reserve(others.size());
  for (const auto& [role, tensor] : others) {
    saved.push_back({role, {tensor, tensor ? tensor.storage()->version() : 0}});
    if (tensor) tensor.storage()->mark_saved();
  }
}

void GradNode::set_foreign_rule(Counted<ForeignRule> rule) {
  make_seldom().foreign = std::move(rule);
  set_rule([](const Backward& at) -> Grads { return at.node().foreign()->run(at); });
}

void GradNode::release_kept() noexcept {
  is_released = true;
  end_kept();
  kept_ = 0;
  run_ = nullptr;
  large_rule_.reset();
  if (!seldom_) return;
  seldom_->inner.reset();
  seldom_->sizes = {};
  seldom_->others = {};
  seldom_->foreign.reset();  // goes last: its end may run anything
}

void GradNode::drop_edges() noexcept {
  if (edge_count_ > inline_edges) {
    seldom_->edges = {};
  } else {
    std::destroy_n(few_edges_.data(), edge_count_);
  }
  edge_count_ = 0;
}

/// Nodes whose last share has gone, on this thread. Ending one may end the next, through an edge or
/// a saved tensor; the loop takes them in turn, so a chain of 100,000 nodes does not recurse.
class DeadNodes {
 public:
  void end(GradNode* node) noexcept {
    if (is_draining_) {
      node->next_dead_ = std::exchange(first_, node);
      return;
    }
    is_draining_ = true;
    while (node) {
      registry().remove(*node);
      delete node;
      if ((node = first_)) first_ = node->next_dead_;
    }
    is_draining_ = false;
  }

 private:
  GradNode* first_ = nullptr;
  bool is_draining_ = false;
};

namespace {
constinit thread_local DeadNodes dead_nodes [[gnu::tls_model("initial-exec")]];
}  // namespace

void destroy(GradNode* node) noexcept { dead_nodes.end(node); }

constinit thread_local bool grad_enabled [[gnu::tls_model("initial-exec")]] = true;

namespace {

/// `saved`, unless its storage was written since.
const Tensor& checked(const GradNode& node, const SavedTensor& saved, const char* role) {
  const std::uint32_t now = saved.tensor.storage()->version();
  if (now == saved.version) return saved.tensor;
  // An optimizer writes parameters, and nobody makes it write into clones.
  const bool is_parameter = saved.tensor.requires_grad() && saved.tensor.is_leaf();
  throw VersionError(text(node.name, ": the ", role, " of sizes ", saved.tensor.sizes(),
                          " that backward needs was written in place: it is at version ", now,
                          ", saved at version ", saved.version,
                          is_parameter
                              ? "; call backward() before an optimizer's step, or compute the loss "
                                "anew after it"
                              : "; write into a clone(), or write before it is used"));
}

}  // namespace

Tensor Backward::input(int i) const {
  static constexpr const char* roles[] = {"first input", "second input", "third input"};
  return checked(node_, *node_.kept_input(i), roles[i]);
}

Tensor Backward::other(int i) const {
  const SavedOther& other = node_.seldom()->others[static_cast<std::size_t>(i)];
  return other.saved.tensor ? checked(node_, other.saved, other.role) : Tensor();
}

Tensor Backward::sum_so_far(int i) const {
  if (!adds_to_leaves_ || !needs(i)) return {};
  const Tensor& leaf = node_.edges()[static_cast<std::size_t>(i)].leaf;
  const GradState* const state = leaf ? leaf.body()->grad_state.get() : nullptr;
  if (!state || !state->grad || state->hooks) return {};
  const bool was_broadcast = node_.seldom() && node_.seldom()->has_input_sizes;
  const Tensor& sum = state->grad;
  const bool is_plain = !was_broadcast && sum.dtype() == node_.output_dtype &&
                        sum.is_contiguous() && !sum.requires_grad() && sum.storage()->is_writable();
  return is_plain ? sum : Tensor();
}

// The output was kept without its history, or node and output would own each other.
Tensor Backward::output() const {
  const Tensor& kept = checked(node_, *node_.kept_output(), "output");
  if (!is_grad_enabled()) return kept;
  Tensor output = kept.alias_of_storage(kept.sizes(), kept.strides(), kept.offset());
  output.body()->grad_node = Counted<GradNode>(&node_);
  return output;
}

}  // namespace garboard
