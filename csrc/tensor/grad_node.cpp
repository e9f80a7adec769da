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
    saved.push_back({role, {tensor, tensor ? version_of(tensor) : 0}});
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
  seldom_->packed = {};
  seldom_->foreign.reset();  // goes last: its end may run anything
}

void GradNode::pack_kept(Pack pack) {
  std::vector<Seldom::Packed> packed;
  const auto take = [&](int place, const Tensor& kept, Edge history) {
    const Tensor apart = kept.alias_of_storage(kept.sizes(), kept.strides(), kept.offset());
    packed.push_back({place, std::move(history), pack(name, apart)});
  };
  for (int place = 0; place < kept_places; ++place) {
    if (!(kept_ & (1 << place))) continue;
    const Tensor kept = tensors_[place].tensor;
    take(place, kept, {});
    std::destroy_at(&tensors_[place]);
    kept_ &= std::uint8_t(~(1 << place));
  }
  const std::size_t count = seldom_ ? seldom_->others.size() : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor kept = seldom_->others[i].saved.tensor;
    if (!kept) continue;
    const bool is_leaf = kept.is_leaf();
    take(kept_places + static_cast<int>(i), kept,
         {is_leaf ? nullptr : kept.body()->grad_node,
          is_leaf && kept.requires_grad() ? kept : Tensor()});
    seldom_->others[i].saved = {};
  }
  if (!packed.empty()) make_seldom().packed = std::move(packed);
}

void GradNode::keep_way_to_input(int i, Counted<PackedTensor> way) {
  make_seldom().packed.push_back({i, {}, std::move(way)});
  std::destroy_at(&tensors_[i]);
  kept_ &= std::uint8_t(~(1 << i));
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

constinit thread_local std::uint8_t grad_mode [[gnu::tls_model("initial-exec")]] = mode::records;

namespace {

/// `saved`, unless its storage was written since; for work on the current stream, whichever stream
/// made it.
const Tensor& checked(const GradNode& node, const SavedTensor& saved, const char* role) {
  const std::uint32_t now = version_of(saved.tensor);
  if (now == saved.version) {
    saved.tensor.storage()->meet_current_stream();
    return saved.tensor;
  }
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
  if (const SavedTensor* const kept = node_.kept_input(i)) return checked(node_, *kept, roles[i]);
  return unpacked(i, &node_.edges()[static_cast<std::size_t>(i)]);
}

Tensor Backward::other(int i) const {
  const SavedOther& other = node_.seldom()->others[static_cast<std::size_t>(i)];
  if (other.saved.tensor) return checked(node_, other.saved, other.role);
  return unpacked(inline_edges + 1 + i, nullptr);
}

/// Of an input the history is where its edge leads; of the output it is the caller's to give.
Tensor Backward::unpacked(int place, const Edge* history) const {
  for (const auto& packed : node_.seldom()->packed) {
    if (packed.place != place) continue;
    const Counted<PackedTensor> held = packed.tensor;  // user code runs
    const Edge edge = history ? *history : packed.history;
    Tensor tensor = held->unpack();
    if (!is_grad_enabled() || !edge) return tensor;
    Tensor with_history =
        tensor.alias_of_storage(tensor.sizes(), tensor.strides(), tensor.offset());
    if (edge.node) {
      with_history.body()->grad_node = edge.node;
      return with_history;
    }
    const Counted<GradNode> node = GradNode::make("alias", tensor);
    node->add_edge([&] { return edge; });
    node->set_rule([](const Backward& at) -> Grads { return at.grad; });
    with_history.body()->grad_node = node;
    return with_history;
  }
  return {};
}

Tensor Backward::sum_so_far(int i, const Dims& sizes) const {
  if (adds_ == AddsTo::nothing || !needs(i)) return {};
  if (node_.seldom() && node_.seldom()->has_input_sizes) return {};
  const Edge& edge = node_.edges()[static_cast<std::size_t>(i)];
  const auto is_plain = [&](const Tensor& sum) {
    return sum && sum.dtype() == node_.output_dtype && sum.is_contiguous() && sum.sizes() == sizes;
  };
  if (edge.node) {
    const Tensor& sum = edge.node->gradient;
    return is_plain(sum) && is_sole_owner(sum) ? sum : Tensor();
  }
  if (adds_ != AddsTo::nodes_and_leaves) return {};
  const GradState* const state = edge.leaf.body()->grad_state.get();
  if (!state || state->hooks || !edge.leaf.requires_grad() || !is_plain(state->grad)) return {};
  const Tensor& sum = state->grad;
  if (sum.device() != edge.leaf.device() || sum.requires_grad()) return {};
  if (!sum.storage()->is_writable()) return {};
  sum.storage()->meet_current_stream();  // it may be of an earlier pass, on another one
  return sum;
}

Tensor Backward::spent_input(int i) const {
  const SavedTensor* const kept = node_.kept_input(i);
  if (!frees_kept_ || is_grad_enabled() || !kept) return {};
  const Tensor& tensor = kept->tensor;
  if (!tensor.is_contiguous() || !is_sole_owner(tensor)) return {};
  tensor.storage()->meet_current_stream();  // the forward pass may read it still, on another one
  return tensor.alias_of_storage(tensor.sizes(), tensor.strides(), tensor.offset());
}

// The output was kept without its history, or node and output would own each other.
Tensor Backward::output() const {
  const SavedTensor* const saved = node_.kept_output();
  const Tensor kept = saved ? checked(node_, *saved, "output") : unpacked(inline_edges, nullptr);
  if (!is_grad_enabled()) return kept;
  Tensor output = kept.alias_of_storage(kept.sizes(), kept.strides(), kept.offset());
  output.body()->grad_node = Counted<GradNode>(&node_);
  return output;
}

}  // namespace garboard
