// One recorded op: whom its gradients go to, what it kept for them, and the rule that makes them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "csrc/core/scalar.h"
#include "csrc/lifetime/registry.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

/// Where a gradient goes: to the node that computed an input, or into a leaf. Neither: nowhere.
struct Edge {
  Counted<GradNode> node;
  Tensor leaf;
  DType dtype = DType::float32;  // the input's: a gradient is converted to it

  explicit operator bool() const noexcept { return node || leaf; }
};

/// What an op keeps for its backward pass.
enum class Keep : std::uint8_t {
  nothing = 0,
  first = 1,
  second = 2,
  third = 4,
  inputs = 7,
  output = 8,
  /// Each of two inputs only if the other one asks for a gradient, as in a product.
  crosswise = 16,
};
constexpr Keep operator|(Keep a, Keep b) { return Keep(int(a) | int(b)); }
constexpr bool has(Keep set, Keep one) { return (int(set) & int(one)) == int(one); }

/// An input or the output, as it was when it was kept; the version tells whether it still is.
struct SavedTensor {
  Tensor tensor;
  std::uint32_t version = 0;
};

class Backward;

inline constexpr int inline_edges = 3;

/// The gradients of an op's inputs, in order; an empty tensor where there is none.
class Grads {
 public:
  Grads() = default;
  Grads(Tensor first) { first_[0] = std::move(first); }
  Grads(Tensor first, Tensor second) : Grads(std::move(first)) { first_[1] = std::move(second); }
  Grads(Tensor first, Tensor second, Tensor third) : Grads(std::move(first), std::move(second)) {
    first_[2] = std::move(third);
  }
  Tensor& operator[](int i) {
    if (i < inline_edges) return first_[i];
    if (more_.size() <= static_cast<std::size_t>(i - inline_edges))
      more_.resize(static_cast<std::size_t>(i - inline_edges) + 1);
    return more_[static_cast<std::size_t>(i - inline_edges)];
  }

 private:
  std::array<Tensor, inline_edges> first_;
  std::vector<Tensor> more_;  // an op of many inputs, such as cat
};

/// Nodes are shared by the tensors and nodes that were computed from them. Serial numbers order
/// them as they were recorded, which is the order the walk goes back by.
class GradNode final : public RefCounted, public NodeRecord {
 public:
  const char* name = "";
  std::uint16_t edge_count = 0;
  bool is_released = false;  // its saved tensors have been freed by a backward pass
  bool was_retained = false;
  Dims output_sizes;
  DType output_dtype = DType::float32;
  Device device;

  Edge* edges() noexcept { return more_edges_ ? more_edges_.get() : edges_.data(); }

  std::array<SavedTensor, inline_edges> saved_inputs;
  SavedTensor saved_output;
  /// Of an op that wrote into a view: the op itself, where this node is its base's new history.
  Counted<GradNode> inner;
  /// The inputs' sizes, where one of them was broadcast; the walk sums its gradient back.
  std::unique_ptr<Dims[]> input_sizes;
  /// The Python numbers among the inputs of an elementwise op, and a bit for each place that is
  /// one.
  union {
    std::array<Scalar, inline_edges> scalars;  // the others are not set
  };
  std::uint8_t scalar_places = 0;
  Counted<GradientHooks> hooks;  // of the output

  /// Stores the rule: any callable `Grads(const Backward&)`.
  template <class Rule>
  void set_rule(Rule rule) {
    if constexpr (sizeof(Rule) <= sizeof(rule_) && alignof(Rule) <= alignof(std::max_align_t)) {
      new (rule_) Rule(std::move(rule));
      run_ = [](void* at, const Backward& backward) -> Grads {
        return (*static_cast<Rule*>(at))(backward);
      };
      if constexpr (!std::is_trivially_destructible_v<Rule>)
        end_ = [](void* at) noexcept { static_cast<Rule*>(at)->~Rule(); };
    } else {
      set_rule([held = std::make_unique<Rule>(std::move(rule))](const Backward& backward) {
        return (*held)(backward);
      });
    }
  }
  Grads run(const Backward& backward) { return run_(rule_, backward); }

  /// Keeps an input, of the first three, for the rule.
  void save_input(int i, const Tensor& input) {
    saved_inputs[i].tensor = input;
    saved_inputs[i].version = input.storage()->version();
    input.storage()->mark_saved();
  }

  /// Frees what was kept, the rule with what it captured, and the edges. A second walk is refused.
  void release_saved() noexcept;

  // The walk's own notes, valid while `walk` is its number; 0: no walk is under way here.
  std::uint64_t walk = 0;
  std::uint32_t pending_count;
  Tensor gradient;

  /// A node of the op `name` that made `output` from `edge_count` inputs.
  static Counted<GradNode> make(const char* name, const Tensor& output, int edge_count);
  static void* operator new(std::size_t bytes) { return pool::take(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { pool::give(block, bytes); }

 private:
  friend void destroy(GradNode* node) noexcept;
  friend class DeadNodes;
  GradNode() {}  // what must not be garbage has a value below and above
  ~GradNode() {
    if (end_) end_(rule_);
  }

  GradNode* next_dead_;
  std::array<Edge, inline_edges> edges_;
  std::unique_ptr<Edge[]> more_edges_;
  Grads (*run_)(void*, const Backward&) = nullptr;
  void (*end_)(void*) noexcept = nullptr;
  alignas(std::max_align_t) std::byte rule_[96];
};

/// What a rule gets. Its tensors have no history in a plain backward pass, and have it when the
/// pass itself is recorded.
class Backward {
 public:
  Backward(GradNode& node, Tensor gradient) : grad(std::move(gradient)), node_(node) {}

  Tensor grad;  // of the output, in the output's sizes and dtype; the rule may move from it
  /// A kept input, or the output. Raise VersionError where it was written since.
  Tensor input(int i) const;
  Tensor output() const;
  /// True if input `i` asks for a gradient; a rule need not compute the others.
  bool needs(int i) const noexcept { return static_cast<bool>(node_.edges()[i]); }
  GradNode& node() const noexcept { return node_; }

 private:
  GradNode& node_;
};

// Inline, as are all steps of recording an op of small tensors.
inline Counted<GradNode> GradNode::make(const char* name, const Tensor& output, int edge_count) {
  auto* const node = new GradNode;
  node->name = name;
  node->edge_count = static_cast<std::uint16_t>(edge_count);
  if (edge_count > inline_edges) [[unlikely]]
    node->more_edges_ = std::make_unique<Edge[]>(static_cast<std::size_t>(edge_count));
  node->output_sizes = output.sizes();
  node->output_dtype = output.dtype();
  node->device = output.device();
  node->start_with_one_share();
  registry().add(*node);
  return Counted<GradNode>::adopt(node);
}

// Initial-exec: every op asks.
extern constinit thread_local bool grad_enabled [[gnu::tls_model("initial-exec")]];

/// Thread-local: false inside no_grad.
inline bool is_grad_enabled() noexcept { return grad_enabled; }
/// Returns what it was.
inline bool set_grad_enabled(bool enabled) noexcept { return std::exchange(grad_enabled, enabled); }

/// Sets grad mode for a block.
class GradModeGuard {
 public:
  explicit GradModeGuard(bool enabled) noexcept : before_(set_grad_enabled(enabled)) {}
  ~GradModeGuard() { set_grad_enabled(before_); }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
};

}  // namespace garboard
