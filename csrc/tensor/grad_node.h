// One recorded op: whom its gradients go to, what it kept for them, and the rule that makes them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "csrc/core/scalar.h"
#include "csrc/lifetime/registry.h"
#include "csrc/tensor/grad_mode.h"
#include "csrc/tensor/tensor.h"

namespace garboard {

/// Where a gradient goes: to the node that computed an input, or into a leaf. Neither: nowhere.
struct Edge {
  Counted<GradNode> node;
  Tensor leaf;

  explicit operator bool() const noexcept { return node || leaf; }
  /// The input's, where there is an edge: a gradient is converted to it.
  inline DType dtype() const noexcept;
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

/// A tensor as it was when it was kept; the version tells whether it still is.
struct SavedTensor {
  Tensor tensor;
  std::uint32_t version = 0;
};

/// What a rule reads beside inputs and output, with the name that an error calls it by.
struct Other {
  const char* role;
  const Tensor& tensor;
};
struct SavedOther {
  const char* role;
  SavedTensor saved;
};

/// What a node holds of somebody beyond this library: a rule, hooks, packed tensors.
class Foreign : public RefCounted {
 public:
  virtual ~Foreign() = default;
};

/// Stands for a tensor that a node keeps, somewhere else: on a disk, on another device, nowhere.
class PackedTensor : public Foreign {
 public:
  /// A tensor without history of the sizes, dtype and device of the one that was packed.
  virtual Tensor unpack() = 0;
  /// What it keeps here to make it of, so that whoever looks for owners sees them; maybe empty
  /// ones.
  virtual std::span<SavedTensor> kept() noexcept { return {}; }
};
/// Packs a tensor, which has no history, that the op `name` keeps.
using Pack = Counted<PackedTensor> (*)(const char* name, const Tensor& kept);

class Backward;
class Grads;
class GradNode;

/// A way to the output of a node, out of what the node keeps besides; null where it keeps that no
/// longer.
using Remake = Counted<PackedTensor> (*)(GradNode& node);

/// Called before and after the rule of one node.
class NodeHooks : public Foreign {
 public:
  /// May replace the gradients of the outputs, of which some may be empty.
  virtual void before(std::vector<Tensor>& gradients) = 0;
  /// May replace those of the inputs, as many as the node has edges.
  virtual void after(std::vector<Tensor>& grads, const std::vector<Tensor>& gradients) = 0;
};

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
  /// Gradient `i`, of the first three, has been added to Backward::sum_so_far and is not returned.
  void note_added(int i) noexcept { added_ |= std::uint8_t(1 << i); }
  bool was_added(int i) const noexcept { return i < inline_edges && (added_ & (1 << i)); }

 private:
  std::array<Tensor, inline_edges> first_;
  std::uint8_t added_ = 0;
  std::vector<Tensor> more_;  // an op of many inputs, such as cat
};

/// A rule from beyond this library, such as a class in Python: it owns what it likes, and ends with
/// the node, or as soon as a backward pass frees the node.
class ForeignRule : public Foreign {
 public:
  /// Once a pass, when the gradients of all outputs have met.
  virtual Grads run(const Backward& at) = 0;

  /// The only output with a gradient, which is `at.grad`; -1: there are several, each with a node
  /// of its own, which leave their gradients in `gathered`, in order, empty where none came.
  int only_output = -1;
  std::vector<Tensor> gathered;
  /// Of each saved tensor, which output it is; -1: none.
  std::vector<int> saved_outputs;
};

/// Nodes are shared by the tensors and nodes that were computed from them. Serial numbers order
/// them as they were recorded, which is the order the walk goes back by.
///
/// Every recorded op makes one and ends one, so what is not there is neither set nor looked at:
/// edges are counted, kept tensors have a bit each, and what few nodes have is made on first use.
class GradNode final : public NodeRecord, public RefCounted {
 public:
  const char* name;
  DType output_dtype;
  bool is_released = false;  // its kept tensors have been freed by a backward pass
  bool was_walked = false;   // by a backward pass that found nothing to free
  bool was_retained = false;
  std::uint32_t pending_count;  // a note of the walk's, as those below

  /// Of the inputs, in order; empty ones where nothing asks for a gradient.
  std::span<Edge> edges() noexcept {
    return {edge_count_ <= inline_edges ? few_edges_.data() : seldom_->edges.data(), edge_count_};
  }
  /// Adds the edge that `make()` returns, which is built in its place.
  template <class Make>
  void add_edge(Make make) {
    if (edge_count_ >= inline_edges) [[unlikely]]
      return add_one_of_many(make());
    new (&few_edges_[edge_count_]) Edge(make());
    ++edge_count_;
  }

  /// Keeps an input, of the first three, for the rule.
  void keep_input(int i, const Tensor& input) {
    keep(i, {input, version_of(input)});
    input.storage()->mark_saved();
  }
  /// Keeps a way to an input instead of the input, which it has kept.
  void keep_way_to_input(int i, Counted<PackedTensor> way);
  void keep_output(SavedTensor output) { keep(output_place, std::move(output)); }
  /// Keeps what is neither, for Backward::other, as many as there are: targets, indices, what the
  /// forward pass found out. Each may be empty, and has no history that leads to this node. A
  /// role is a literal.
  void keep_others(std::span<const Other> others);
  /// Null where none was kept.
  const SavedTensor* kept_input(int i) const noexcept { return kept(i); }
  const SavedTensor* kept_output() const noexcept { return kept(output_place); }
  template <class Visit>
  void for_each_kept(Visit&& visit) {
    for (int i = 0; i < kept_places; ++i) {
      if (kept_ & (1 << i)) visit(tensors_[i]);
    }
    if (!seldom_) return;
    for (SavedOther& other : seldom_->others) {
      if (other.saved.tensor) visit(other.saved);
    }
    for (const auto& packed : seldom_->packed) {
      for (SavedTensor& saved : packed.tensor->kept()) {
        if (saved.tensor) visit(saved);
      }
    }
  }

  /// The Python numbers among the inputs of an elementwise op.
  void keep_scalar(int i, const Scalar& scalar) noexcept {
    scalars_[i] = scalar;
    scalar_places_ |= std::uint8_t(1 << i);
  }
  /// Null where the input was a tensor.
  const Scalar* kept_scalar(int i) const noexcept {
    return scalar_places_ & (1 << i) ? &scalars_[i] : nullptr;
  }

  /// What few nodes have.
  struct Seldom {
    /// Of an op that wrote into a view: the op itself, where this node is its base's new history.
    Counted<GradNode> inner;
    Counted<GradientHooks> hooks;  // of the output
    /// The inputs' sizes, where one of them was broadcast; the walk sums its gradient back.
    bool has_input_sizes = false;
    std::array<Dims, inline_edges> input_sizes;
    std::vector<Edge> edges;          // all, of an op of many inputs
    std::vector<std::int64_t> sizes;  // of such an op: one a input, where its rule needs them
    pool::Vector<SavedOther> others;
    Counted<ForeignRule> foreign;
    Counted<NodeHooks> node_hooks;
    TensorBody* retained_by = nullptr;  // the output, where it retains its gradient
    /// For who would keep the output; null: making it anew costs much. It holds for the output as
    /// it was: in that storage, written so often.
    Remake remake = nullptr;
    const Storage* remade_storage = nullptr;
    std::uint32_t remade_writes = 0;
    struct Packed {
      int place;     // of an input, of the output, or behind it of the others
      Edge history;  // of an other
      Counted<PackedTensor> tensor;
    };
    std::vector<Packed> packed;

    static void* operator new(std::size_t bytes) { return pool::take(bytes); }
    static void operator delete(void* at, std::size_t bytes) noexcept { pool::give(at, bytes); }
  };
  /// Null where the node has nothing of it.
  const Seldom* seldom() const noexcept { return seldom_.get(); }
  Seldom& make_seldom() {
    if (!seldom_) seldom_.reset(new Seldom);  // make_unique would fill the sizes with zeros first
    return *seldom_;
  }
  GradientHooks* hooks() const noexcept { return seldom_ ? seldom_->hooks.get() : nullptr; }
  ForeignRule* foreign() const noexcept { return seldom_ ? seldom_->foreign.get() : nullptr; }

  /// Stores the rule: a callable `Grads(const Backward&)` that holds numbers, sizes and pointers to
  /// what never ends. Of tensors it reads what was kept, which the collector and the leak report
  /// see, and whose versions are checked.
  template <class Rule>
  void set_rule(Rule rule) {
    static_assert(std::is_trivially_copyable_v<Rule>,
                  "a gradient rule holds numbers and sizes alone; a tensor that it reads is kept "
                  "with Keep or keep_others(), and asked of Backward");
    void* at = rule_;
    if constexpr (!is_small<Rule>) {
      large_rule_ = std::make_unique<std::byte[]>(sizeof(Rule));
      at = large_rule_.get();
      new (rule_) void*(at);
    }
    new (at) Rule(rule);
    run_ = run_rule<Rule>;
  }
  /// The rule, where it is of that type; else null.
  template <class Rule>
  const Rule* rule() const noexcept {
    return run_ == &run_rule<Rule> ? &rule_at<Rule>(const_cast<std::byte*>(rule_)) : nullptr;
  }
  void set_foreign_rule(Counted<ForeignRule> rule);
  Grads run(const Backward& backward) { return run_(rule_, backward); }

  /// Whether the rule, of a complex output, may multiply with what is not real.
  bool has_complex_factors() const noexcept {
    if (foreign()) return false;
    bool any_number = false;
    for (int i = 0; i < inline_edges; ++i)
      any_number |= kept_scalar(i) && kept_scalar(i)->category == Category::complex;
    return any_number || kept_ || (seldom_ && !seldom_->packed.empty());
  }

  /// Packs all that is kept.
  void pack_kept(Pack pack);

  /// Whether `release_kept` frees anything. What keeps nothing can be walked again.
  bool keeps_any() const noexcept {
    return kept_ || (seldom_ && (seldom_->inner || seldom_->foreign || !seldom_->others.empty() ||
                                 !seldom_->packed.empty()));
  }
  /// Frees what was kept, and the rule. A second walk is refused.
  void release_kept() noexcept;
  void drop_edges() noexcept;

  // The walk's own notes, valid while `walk` is its number; 0: no walk is under way here.
  std::uint64_t walk = 0;
  Tensor gradient;

  /// A node of the op `name` that made `output`; its edges and its rule are to come.
  static Counted<GradNode> make(const char* name, const Tensor& output);
  static void* operator new(std::size_t bytes) { return pool::take(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { pool::give(block, bytes); }

 private:
  friend void destroy(GradNode* node) noexcept;
  friend class DeadNodes;
  static constexpr int output_place = inline_edges, kept_places = inline_edges + 1;
  static constexpr std::size_t rule_bytes = 96;

  GradNode(const char* name, DType output_dtype) : name(name), output_dtype(output_dtype) {}
  ~GradNode() {
    end_kept();
    if (edge_count_ <= inline_edges) std::destroy_n(few_edges_.data(), edge_count_);
  }
  void end_kept() noexcept {
    if (!kept_) return;
    for (int i = 0; i < kept_places; ++i) {
      if (kept_ & (1 << i)) std::destroy_at(&tensors_[i]);
    }
  }
  template <class Rule>
  static constexpr bool is_small = sizeof(Rule) <= rule_bytes &&
                                   alignof(Rule) <= alignof(std::max_align_t);
  template <class Rule>
  static Rule& rule_at(void* at) noexcept {
    return *static_cast<Rule*>(is_small<Rule> ? at : *static_cast<void**>(at));
  }
  template <class Rule>
  static Grads run_rule(void* at, const Backward& backward) {
    return rule_at<Rule>(at)(backward);
  }
  void add_one_of_many(Edge edge);
  void keep(int place, SavedTensor saved) {
    std::construct_at(&tensors_[place], std::move(saved));
    kept_ |= std::uint8_t(1 << place);
  }
  const SavedTensor* kept(int place) const noexcept {
    return kept_ & (1 << place) ? &tensors_[place] : nullptr;
  }

  std::uint8_t kept_ = 0;           // a bit for each of `tensors_` that is there
  std::uint8_t scalar_places_ = 0;  // a bit for each of `scalars_` that is set
  std::uint32_t edge_count_ = 0;
  Grads (*run_)(void*, const Backward&) = nullptr;
  std::unique_ptr<std::byte[]> large_rule_;  // where `rule_` has no room
  std::unique_ptr<Seldom> seldom_;
  GradNode* next_dead_;
  union {
    std::array<Edge, inline_edges> few_edges_;  // all, up to three
  };
  union {
    std::array<SavedTensor, kept_places> tensors_;  // of the inputs, and of the output
  };
  union {
    std::array<Scalar, inline_edges> scalars_;
  };
  alignas(std::max_align_t) std::byte rule_[rule_bytes];
};

DType Edge::dtype() const noexcept { return node ? node->output_dtype : leaf.dtype(); }

/// Which sums a rule may add its gradients to: those of nodes, and the `.grad` of leaves, where
/// gradients end there and nowhere else.
enum class AddsTo : std::uint8_t { nothing, nodes, nodes_and_leaves };

/// What a rule gets. Its tensors have no history in a plain backward pass, and have it when the
/// pass itself is recorded.
class Backward {
 public:
  /// `edges_lead`: a truth for each edge of the node, whether a gradient is wanted there; null:
  /// wherever one goes. `frees_kept`: the walk frees what the node keeps once its rule has run.
  Backward(GradNode& node, Tensor gradient, AddsTo adds = AddsTo::nothing,
           const std::uint8_t* edges_lead = nullptr, bool frees_kept = false)
      : grad(std::move(gradient)),
        node_(node),
        adds_(adds),
        frees_kept_(frees_kept),
        edges_lead_(edges_lead) {}
  /// The same of the op inside this one, which has as many edges; see GradNode::Seldom.
  Backward inside(GradNode& inner, Tensor gradient) const {
    return Backward(inner, std::move(gradient), AddsTo::nothing, edges_lead_);
  }

  Tensor grad;  // of the output, in the output's sizes and dtype; the rule may move from it
  /// A kept input, or the output. Raise VersionError where it was written since.
  Tensor input(int i) const;
  Tensor output() const;
  /// What was kept beside them, in that order, checked alike; empty where nothing was given.
  Tensor other(int i) const;
  bool has_others() const noexcept { return node_.seldom() && !node_.seldom()->others.empty(); }
  /// True if there is an input `i` and its gradient is asked for; a rule need not compute others.
  bool needs(int i) const noexcept {
    const std::span<const Edge> edges = node_.edges();
    const auto place = static_cast<std::size_t>(i);
    return place < edges.size() && edges[place] && (!edges_lead_ || edges_lead_[place]);
  }
  /// What other gradients of input `i` have come to, or the `.grad` of a leaf: dense, of `sizes`
  /// and in the output's dtype. The rule may add the gradient of that input to it, all of it, if it
  /// says so: Grads::note_added. Empty where there is none, somebody else holds it, hooks are to
  /// see the gradient first, or a program has turned it meanwhile.
  Tensor sum_so_far(int i, const Dims& sizes) const;
  /// The memory of kept input `i`, row-major, for a result to be written over: nobody else can see
  /// it, and the walk frees it next. Empty where that is not so. For `write_over_spent`.
  Tensor spent_input(int i) const;
  GradNode& node() const noexcept { return node_; }

 private:
  Tensor unpacked(int place, const Edge* history) const;

  GradNode& node_;
  AddsTo adds_;
  bool frees_kept_;
  const std::uint8_t* edges_lead_;
};

// Inline, as are all steps of recording an op of small tensors.
inline Counted<GradNode> GradNode::make(const char* name, const Tensor& output) {
  auto* const node = new GradNode(name, output.dtype());
  node->start_with_one_share();
  registry().add(*node);
  return Counted<GradNode>::adopt(node);
}

}  // namespace garboard
