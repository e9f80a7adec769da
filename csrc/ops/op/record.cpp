#include "csrc/ops/op/record.h"

#include <atomic>
#include <unordered_set>
#include <vector>

#include "csrc/core/error.h"
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/op/before_write.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"
#include "csrc/ops/shape/windows.h"

namespace garboard {
namespace {

std::int64_t item_bytes(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

/// Where in a base's storage a view lies, and its part of a dense gradient of the base. What
/// `expand` repeats lies there once. The view may be of the parts of complex numbers, or see such
/// parts as complex numbers.
struct ViewLayout {
  Dims sizes, strides;
  std::int64_t offset;  // in bytes
  DType dtype;

  static ViewLayout of(const Tensor& view, const Tensor& base) {
    ViewLayout layout{
        view.sizes(), view.strides(),
        view.offset() * item_bytes(view.dtype()) - base.offset() * item_bytes(base.dtype()),
        view.dtype()};
    for (int i = 0; i < layout.sizes.size(); ++i) {
      if (layout.strides[i] == 0 && layout.sizes[i] > 1) layout.sizes[i] = 1;
    }
    return layout;
  }
  /// The same part of `dense` as a view of it, so that a recorded walk sees what is written there.
  Tensor in(const Tensor& dense) const {
    const std::int64_t start = dense.offset() * item_bytes(dense.dtype()) + offset;
    Tensor part = Tensor::over(dense.storage(), dtype, sizes, strides, start / item_bytes(dtype));
    part.body()->is_unwatched = dense.body()->is_unwatched;
    part.body()->base = dense.share();
    part.body()->base_history = dense.body()->history - 1;  // its node is made when it is asked for
    return part;
  }
};

/// How a base lies in memory: its gradient takes the same strides, so that a view's place fits
/// both.
struct BaseLayout {
  Dims sizes, strides;
  DType dtype;

  explicit BaseLayout(const Tensor& base)
      : sizes(base.sizes()), strides(base.strides()), dtype(base.dtype()) {}

  Tensor zeros_like(const Tensor& gradient) const {
    if (sizes.product() == 0) return zeros(sizes, dtype, gradient.device());
    std::int64_t before = 0, after = 1;  // NumPy's arrays may have negative strides
    for (int i = 0; i < sizes.size(); ++i) {
      const std::int64_t reach = (sizes[i] - 1) * strides[i];
      reach < 0 ? before -= reach : after += reach;
    }
    const Tensor flat = zeros({before + after}, dtype, gradient.device());
    return flat.alias_of_storage(sizes, strides, before);
  }
};

/// The history of a view whose base was written through another view: its place in the base.
Counted<GradNode> node_of_view(const Tensor& view, const Tensor& base) {
  const Counted<GradNode> node = make_node("as_strided", view, {base}, Keep::nothing);
  node->set_rule(
      [part = ViewLayout::of(view, base), layout = BaseLayout(base)](const Backward& at) -> Grads {
        Tensor gradient = layout.zeros_like(at.grad);
        sum_into(part.in(gradient), sum_to(at.grad, part.sizes));
        return gradient;
      });
  return node;
}

/// The base's history once a view of it was written by `node`: outside the view the old gradient
/// passes, inside it `node`'s rule decides.
void rebase(const Tensor& view, const Counted<GradNode>& node) {
  const Tensor base(view.body()->base);
  const Counted<GradNode> copy = GradNode::make(node->name, base);
  copy->add_edge([&] { return edge_of(base); });
  for (const Edge& edge : node->edges().subspan(1)) copy->add_edge([&] { return edge; });
  // What the rule of `node` returns for its other inputs is summed back by this node's walk.
  GradNode::Seldom& seldom = copy->make_seldom();
  seldom.has_input_sizes = true;
  seldom.input_sizes.fill(view.sizes());
  if (node->seldom() && node->seldom()->has_input_sizes)
    seldom.input_sizes = node->seldom()->input_sizes;
  seldom.input_sizes[0] = base.sizes();
  seldom.inner = node;
  copy->set_rule(
      [part = ViewLayout::of(view, base), layout = BaseLayout(base)](const Backward& at) -> Grads {
        GradNode* const node = at.node().seldom()->inner.get();
        Tensor gradient = layout.zeros_like(at.grad);
        copy_(gradient, at.grad);
        const Tensor inside = part.in(gradient);
        Grads grads = run_rule(at.inside(*node, row_major_copy(inside)));
        if (grads[0]) {
          copy_(inside, grads[0]);
        } else {
          fill_(inside, Scalar::of(std::int64_t{0}));
        }
        grads[0] = std::move(gradient);
        return grads;
      });
  TensorBody& body = *base.body();
  body.grad_node = copy;
  ++body.history;
  if (body.grad_state) move_retention(body);
}

/// `root` is about to be the history of `written`, and must not own itself. Has every node behind
/// it that saved a tensor over the storage, just overwritten, keep it without history: a node owns
/// what it saved, and what it saved, or the base of that, may have `root` as its history then;
/// backward would refuse it in any case. And has every edge that leads to `written` lead nowhere:
/// it was a leaf, of which no gradient is asked any more. A leaf that is a view of `written` stays
/// one, and is its view no more.
void cut_cycles(const Counted<GradNode>& root, const TensorBody& written) {
  const Counted<Storage>& storage = written.storage;
  std::unordered_set<const GradNode*> seen;
  std::vector<GradNode*> open;
  const auto meet = [&](GradNode* node) {
    if (node && seen.insert(node).second) open.push_back(node);
  };
  meet(root.get());
  while (!open.empty()) {
    GradNode* const node = open.back();
    open.pop_back();
    node->for_each_kept([&](SavedTensor& saved) {
      Tensor& tensor = saved.tensor;
      if (tensor.storage() == storage && saved.version != version_of(tensor)) {
        tensor = tensor.alias_of_storage(tensor.sizes(), tensor.strides(), tensor.offset());
        return;
      }
      meet(tensor.body()->grad_node.get());
      if (const TensorBody* const base = tensor.body()->base.get()) meet(base->grad_node.get());
    });
    if (node->seldom()) meet(node->seldom()->inner.get());
    for (Edge& edge : node->edges()) {
      if (edge.leaf && edge.leaf.body() == &written) edge.leaf = {};
      if (edge.leaf && edge.leaf.body()->base.get() == &written) edge.leaf.body()->base.reset();
      meet(edge.node.get());
    }
  }
}

/// A view whose base has taken over other elements, through `.data`, looks into it no more: what is
/// written into one does not reach the other.
void leave_former_base(const Tensor& view) {
  TensorBody& body = *view.body();
  if (body.base && body.base->storage != body.storage) body.base.reset();
}

bool overlaps_itself(const Tensor& tensor) {
  return !tensor.is_contiguous() && dim_that_overlaps(tensor.sizes(), tensor.strides()) >= 0;
}

}  // namespace

namespace {
std::atomic<Pack> packer{nullptr};
}  // namespace

void set_packer(Pack pack) noexcept { packer = pack; }

void pack_kept(GradNode& node) {
  const Pack pack = packer;
  if (!pack) return;
  const GradModeGuard no_grad(false);
  node.pack_kept(pack);
}

Grads run_conjugated(Backward at) {
  at.grad = conj(at.grad);
  Grads grads = at.node().run(at);
  for (int i = 0, count = static_cast<int>(at.node().edges().size()); i < count; ++i) {
    if (Tensor& gradient = grads[i]) gradient = conj(gradient);
  }
  return grads;
}

void refresh_history(const Tensor& view) {
  TensorBody& body = *view.body();
  leave_former_base(view);
  if (!body.base) return;
  const Tensor base(body.base);
  body.base_history = body.base->history;
  body.grad_node = base.requires_grad() ? node_of_view(view, base) : Counted<GradNode>();
  if (body.grad_state) move_retention(body);
}

Counted<GradNode> make_node(const char* name, const Tensor& output,
                            std::initializer_list<Operand> operands, Keep keep) {
  Counted<GradNode> node = GradNode::make(name, output);
  for (const Operand& operand : operands)
    node->add_edge([&] { return operand.tensor ? edge_of(*operand.tensor) : Edge(); });
  const std::span<const Edge> edges = node->edges();
  int i = 0;
  for (const Operand& operand : operands) {
    const bool crosswise =
        has(keep, Keep::crosswise) && i < 2 && edges[static_cast<std::size_t>(1 - i)];
    if (!operand.tensor) {
      node->keep_scalar(i, operand.scalar);
    } else if (i < inline_edges && (crosswise || has(keep, Keep(1 << i)))) {
      node->keep_input(i, *operand.tensor);
    }
    ++i;
  }
  return node;
}

void note_sizes(GradNode& node, const Dims& output,
                std::initializer_list<const Operand*> operands) {
  bool any_differ = false;
  for (const Operand* operand : operands)
    any_differ |= operand->tensor && operand->tensor->sizes() != output;
  if (!any_differ) return;
  GradNode::Seldom& seldom = node.make_seldom();
  seldom.has_input_sizes = true;
  int i = 0;
  for (const Operand* operand : operands) {
    seldom.input_sizes[i++] = operand->tensor ? operand->tensor->sizes() : Dims();
  }
}

void save_output(GradNode& node, const Tensor& output) {
  node.keep_output({output.alias_of_storage(output.sizes(), output.strides(), output.offset()),
                    version_of(output)});
}

namespace {
std::atomic<void (*)(const Storage&)> before_write{nullptr};
}  // namespace

void set_before_write(void (*call)(const Storage&)) noexcept {
  before_write.store(call, std::memory_order_relaxed);
}

namespace {

/// The leaf that a recorded view was taken of, by way of other views.
const TensorBody* leaf_behind(const Tensor& view) {
  GradNode* node = view.body()->grad_node.get();
  while (node && node->edges().size() == 1) {
    const Edge& edge = node->edges()[0];
    if (edge.leaf) return edge.leaf.body();
    node = edge.node.get();
  }
  return nullptr;
}

}  // namespace

void check_writable(const char* op, const Tensor& self) {
  if (const auto tell = before_write.load(std::memory_order_relaxed)) [[unlikely]]
    tell(*self.storage());
  leave_former_base(self);
  if (!self.storage()->is_writable())
    throw Error(text(op, ": memory that its owner made read-only; write into a clone()"));
  if (overlaps_itself(self))
    throw ShapeError(text(op, ": sizes ", self.sizes(), " with strides ", self.strides(),
                          " meet some elements more than once; write into a clone()"));
  if (self.storage()->is_inference() && !(grad_mode & mode::inference))
    throw GradientError(text(op,
                             ": a tensor that was made in inference mode would be written outside "
                             "of it; clone() it first"));
  if (!is_grad_enabled()) return;
  const auto refuse = [&](const char* what) {
    throw GradientError(text(op, ": ", what,
                             " that requires grad would be written in place; use no_grad(), or an "
                             "op that returns a new tensor"));
  };
  if (self.body()->requires_grad) refuse("a leaf");
  const TensorBody* const base = self.body()->base.get();
  if (self.body()->is_shared_output || (base && base->is_shared_output))
    refuse(
        "an output of a custom Function that shares its memory with an input or another output,");
  if (!base) return;
  if (base->requires_grad) refuse("a view of a leaf");
  const bool has_base_history = has_history(*base);
  if (has_base_history == self.requires_grad()) return;
  if (has_base_history) refuse("a view, made inside no_grad(), of a tensor");
  const TensorBody* const leaf = leaf_behind(self);
  if (leaf && leaf->requires_grad) refuse("a view of a leaf, itself a view,");
}

void finish_in_place(const Tensor& self, const Counted<GradNode>& node, Keep keep) {
  note_write(self);
  if (!node) return;
  const bool is_view = static_cast<bool>(self.body()->base);
  const TensorBody& written = is_view ? *self.body()->base : *self.body();
  if (self.storage()->was_saved() || written.was_required) cut_cycles(node, written);
  if (written.grad_state) note_recorded_gradient();  // it may be the `.grad` of what it is made of
  attach(node, self, keep);
  if (!is_view) {
    ++self.body()->history;
    if (self.body()->grad_state) move_retention(*self.body());
    return;
  }
  rebase(self, node);
  refresh_history(self);
}

Tensor gradient_of_overwritten(const Backward& at) {
  return at.needs(0) ? zeros(at.grad.sizes(), at.grad.dtype(), at.grad.device()) : Tensor();
}

void record_overwritten(const char* name, const Tensor& self) {
  record_in_place(name, self, {}, Keep::nothing,
                  [](const Backward& at) -> Grads { return {gradient_of_overwritten(at)}; });
}

}  // namespace garboard
