// How every elementwise op runs: check, allocate, call the kernel, record.
#include <optional>

#include "csrc/core/default_dtype.h"
#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/create/grow.h"
#include "csrc/ops/create/result_layout.h"
#include "csrc/ops/elementwise/input.h"
#include "csrc/ops/elementwise/positive_bits.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/promotion.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/op/remade.h"

namespace garboard {
namespace {

std::string names_of(DTypeSet set) {
  std::string names;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!set.has(dtype)) continue;
    if (!names.empty()) names += ", ";
    names += name_of(dtype);
  }
  return names;
}

/// What the kernel works in: `dtype`, or the default one where it takes floating dtypes alone.
DType working_dtype(const char* op, const kernels::Slot& kernel, DType dtype) {
  if (kernel.takes(dtype)) return dtype;
  if (kernel.accepts.has_gradients() && !has_gradient(dtype)) return default_floating();
  throw DTypeError(
      text(op, ": dtype ", name_of(dtype), "; one of ", names_of(kernel.accepts), " is needed"));
}

DType working_dtype(const Unary& op, DType dtype) {
  const bool is_counted = op.counts_bools && dtype == DType::boolean;
  return working_dtype(op.name, op.kernel, is_counted ? DType::int64 : dtype);
}

/// Beyond an integer dtype a number would wrap on its way in, and compare or bound wrongly.
void check_fits(const char* op, const Operand& operand, DType dtype) {
  if (!operand.tensor) garboard::check_fits(op, operand.scalar, dtype);
}

/// Raises what tells that a result does not go into `out`, which may grow unless it is the first
/// operand too.
void check_out(const char* op, const Tensor& out, const Operand& first, const Dims& sizes,
               DType dtype, Device device) {
  check_writable(op, out);
  const bool is_in_place = first.tensor && *first.tensor == out;
  if (!out.has_sizes(sizes) && (is_in_place || !can_grow(out)))
    throw ShapeError(
        text(op, ": out has sizes ", out.sizes(), ", the result ", sizes, "; they must be equal"));
  if (out.device() != device)
    throw DeviceError(text(op, ": out is on ", out.device(), ", the inputs on ", device,
                           "; they must be on one device"));
  if (category_of(out.dtype()) < category_of(dtype))
    throw DTypeError(text(op, ": a result of ", name_of(dtype), " does not fit into ",
                          name_of(out.dtype()), "; convert first, with to()"));
}

/// What a number comes to the kernel in: beside a half type in what arithmetic is done in, as in
/// PyTorch, except where it is compared.
DType number_dtype(const Binary& op, DType dtype) {
  return op.kernel.gives_bool ? dtype : widened(dtype);
}

/// Gives the kernel an output of its own dtype, and converts that where `out` wants another.
template <class Call>
void write(const char* op, const Tensor& out, DType dtype, Call&& call) {
  if (out.dtype() == dtype) return write_into(out, [&] { call(out.view()); });
  const GradModeGuard no_grad(false);
  const Tensor computed = empty_of(op, out.sizes(), dtype, out.device());
  call(computed.view());
  write_into(out, [&] { copy_into(out, computed); });
}

bool is_plain(const Tensor& tensor, const kernels::Slot& kernel) {
  return tensor.is_contiguous() && kernel.takes(tensor.dtype());
}

struct ResultPlan {
  Dims sizes;
  DType dtype;   // the kernel's
  DType result;  // the output's
  Device device;
};

Input input_of(const Binary& op, const Operand& operand, const ResultPlan& plan,
               const Tensor* written) {
  const DType dtype = operand.tensor ? plan.dtype : number_dtype(op, plan.dtype);
  return Input(operand, dtype, plan.sizes, written);
}

ResultPlan plan(const Binary& op, const Operand& a, const Operand& b) {
  ResultPlan plan;
  plan.device = common_device(op.name, {&a, &b});
  plan.sizes = a.tensor && b.tensor ? broadcast_sizes(op.name, a.tensor->sizes(), b.tensor->sizes())
                                    : (a.tensor ? a.tensor : b.tensor)->sizes();
  plan.dtype = working_dtype(op.name, op.kernel, result_dtype({&a, &b}));
  plan.result = op.kernel.gives_bool ? DType::boolean : plan.dtype;
  if (!op.wraps) {
    check_fits(op.name, a, plan.dtype);
    check_fits(op.name, b, plan.dtype);
  }
  return plan;
}

ResultPlan plan(const Ternary& op, const Operand& a, const Operand& b, const Operand& c) {
  ResultPlan plan;
  plan.device = common_device(op.name, {&a, &b, &c});
  for (const Operand* operand : {&a, &b, &c}) {
    if (operand->tensor)
      plan.sizes = broadcast_sizes(op.name, plan.sizes, operand->tensor->sizes());
  }
  const DType dtype = op.takes_condition ? result_dtype({&b, &c}) : result_dtype({&a, &b, &c});
  plan.dtype = plan.result = working_dtype(op.name, op.kernel, dtype);
  if (!op.wraps) {
    check_fits(op.name, b, plan.dtype);
    check_fits(op.name, c, plan.dtype);
  }
  return plan;
}

Tensor fresh_of(const char* op, const ResultPlan& plan) {
  return empty_of(op, plan.sizes, plan.result, plan.device);
}

/// Runs `op` into `given`, or into a result of its own.
Tensor run(const Ternary& op, const ResultPlan& plan, const Tensor* given, const Operand& a,
           const Operand& b, const Operand& c) {
  Tensor out = given ? *given : fresh_of(op.name, plan);
  Input x(a, op.takes_condition ? DType::boolean : plan.dtype, plan.sizes, given);
  Input y(b, plan.dtype, plan.sizes, given);
  Input z(c, plan.dtype, plan.sizes, given);
  if (!given) lie_as(out, {&x.view(), &y.view(), &z.view()});
  straighten(out, !given, {&x, &y, &z});
  const auto kernel = kernels::table_of(plan.device).ternary[op.kernel.index];
  write(op.name, out, plan.dtype, [&](const View& view) {
    kernel(view, x.view(), y.view(), z.view(), current_stream(plan.device));
  });
  return out;
}

/// All that the rule holds is a pointer to a function. Without one, no gradient passes.
void attach_rule(GradNode& node, GradientRule rule) {
  if (rule) return node.set_rule(rule);
  node.set_rule([](const Backward&) -> Grads { return {}; });
}

/// What is to be kept of an op and its output, which is written already. Of an output whose signs
/// are enough the node has got them here, unless there is no memory for them.
Keep keep_signs(const Unary& op, GradNode& node, const Tensor& out) {
  if (!op.keeps_signs || !is_worth_bits(out)) return op.keep;
  try {
    const Tensor bits = positive_bits(out);
    const Other other{"the signs", bits};
    node.keep_others({&other, 1});
    return Keep::nothing;
  } catch (const OutOfMemoryError&) {
    return op.keep;
  }
}
template <class Op>
Keep keep_signs(const Op& op, GradNode&, const Tensor&) {
  return op.keep;
}

/// To `out`, unless the node keeps that itself, as `left` says. `input` may be `out`.
void offer_way(const Unary& op, GradNode& node, const Operand& input, const Tensor& out,
               Keep left) {
  if (!op.remake || has(left, Keep::output) || !is_worth_remaking(out)) return;
  const Tensor& x = *input.tensor;
  if (op.is_remade_after_input && !reads_as_made(node, x, x == out ? 1 : 0)) return;
  offer_remake(node, out, op.remake);
}
template <class Op>
void offer_way(const Op&, GradNode&, const Operand&, const Tensor&, Keep) {}

/// An op on its way into `out`: in place, where that is its first operand too.
class Overwriting {
 public:
  /// Raises GradientError where something asks for a gradient that could not be recorded. Comes
  /// before the kernel, for backward may need what that overwrites.
  template <class Op>
  Overwriting(const Op& op, const Tensor& out, std::initializer_list<Operand> operands)
      : out_(out) {
    const Operand& first = *operands.begin();
    if (!(first.tensor && *first.tensor == out)) {
      if ((op.gradient && must_record(operands)) || must_record({out}))
        throw GradientError(text(op.name,
                                 ": out= given while an input or out requires grad, and writing "
                                 "into out is not recorded; call it inside no_grad(), or without "
                                 "out="));
      return;
    }
    is_recorded_ = has_gradient(out.dtype()) && must_record(operands);
    if (!is_recorded_) return;
    int i = 0;
    bool needs_copy = false;
    for (const Operand& operand : operands) {
      const bool is_kept = has(op.keep, Keep(1 << i)) || (i < 2 && has(op.keep, Keep::crosswise));
      needs_copy |= is_kept && operand.tensor && *operand.tensor == out;
      ++i;
    }
    if (!needs_copy) return;
    const GradModeGuard no_grad(false);
    before_ = row_major_copy(out);
    before_.body()->grad_node = edge_of(out).node;
  }

  /// Records the op once it has run.
  template <class Op>
  void finish(const Op& op, std::initializer_list<Operand> operands,
              std::initializer_list<const Operand*> inputs) {
    Counted<GradNode> node;
    if (is_recorded_) {
      node = make_node(op.name, out_, operands, op.keep);
      node->for_each_kept([&](SavedTensor& saved) {
        if (saved.tensor == out_) saved = {before_, version_of(before_)};
      });
      note_sizes(*node, out_.sizes(), inputs);
      attach_rule(*node, op.gradient);
    }
    const Keep left = node ? keep_signs(op, *node, out_) : op.keep;
    finish_in_place(out_, node, left);  // which counts as a write
    if (node) offer_way(op, *node, *operands.begin(), out_, left);
  }

 private:
  const Tensor& out_;
  Tensor before_;  // what the op overwrites, with its history, where the rule needs that
  bool is_recorded_ = false;
};

/// As `record`, for two tensors of one size: without lists and loops.
void record_usual(const Binary& op, const Tensor& out, const Tensor& x, const Tensor& y) {
  Counted<GradNode> node = GradNode::make(op.name, out);
  node->add_edge([&] { return edge_of(x); });
  node->add_edge([&] { return edge_of(y); });
  if (op.keep != Keep::nothing) {
    const std::span<const Edge> edges = node->edges();
    const bool crosswise = has(op.keep, Keep::crosswise);
    if (has(op.keep, Keep::first) || (crosswise && edges[1])) node->keep_input(0, x);
    if (has(op.keep, Keep::second) || (crosswise && edges[0])) node->keep_input(1, y);
  }
  node->set_rule(op.gradient);
  if (op.remake && is_worth_remaking(out)) [[unlikely]]
    offer_remake(*node, out, op.remake);
  attach(std::move(node), out, op.keep);
}

/// As `record`, of a result whose inputs had sizes of their own.
void record_broadcast(const Binary& op, const Tensor& out, const Operand& a, const Operand& b) {
  if (!op.gradient || !must_record({a, b})) return;
  Counted<GradNode> node = make_node(op.name, out, {a, b}, op.keep);
  note_sizes(*node, out.sizes(), {&a, &b});
  node->set_rule(op.gradient);
  if (op.remake && is_worth_remaking(out)) offer_remake(*node, out, op.remake);
  attach(std::move(node), out, op.keep);
}

/// A dense floating tensor and a number, which is brought to the tensor's dtype: nothing to plan.
bool is_simple(const Binary& op, const Tensor& tensor, const Scalar& number) {
  return is_floating(tensor.dtype()) && number.category != Category::complex &&
         is_plain(tensor, op.kernel);
}
Tensor with_number(const Binary& op, const Operand& a, const Operand& b) {
  const Tensor& x = a.tensor ? *a.tensor : *b.tensor;
  const ScalarView number(a.tensor ? b.scalar : a.scalar, number_dtype(op, x.dtype()));
  const View given = x.flat_view();
  Tensor out = empty_like(op.name, x, op.kernel.gives_bool ? DType::boolean : x.dtype());
  kernels::table_of(x.device())
      .binary[op.kernel.index](out.flat_view(), a.tensor ? given : number.view(),
                               a.tensor ? number.view() : given, current_stream(x.device()));
  record_broadcast(op, out, a, b);
  return out;
}

/// Runs `op` over its first operand, which is `out`, where there is nothing to plan or to record;
/// else false, with nothing done.
bool run_at_once(const Binary& op, const Tensor& out, const Operand& a, const Operand& b) {
  if (!a.tensor || *a.tensor != out || op.kernel.gives_bool || !is_plain(out, op.kernel) ||
      must_record({a, b}))
    return false;
  const auto run = [&](const View& other) {
    check_writable(op.name, out);
    const View view = out.flat_view();
    write_into(out, [&] {
      kernels::table_of(out.device())
          .binary[op.kernel.index](view, view, other, current_stream(out.device()));
    });
    note_write(out);
    return true;
  };
  if (!b.tensor)
    return is_simple(op, out, b.scalar) &&
           run(ScalarView(b.scalar, number_dtype(op, out.dtype())).view());
  const Tensor& other = *b.tensor;
  if (other.dtype() != out.dtype() || other.device() != out.device() || !other.is_contiguous() ||
      !have_same_sizes(other, out) ||
      (other.storage() == out.storage() && other.data() != out.data()))  // it may lie beside it
    return false;
  return run(other.flat_view());
}

/// Whatever there is to convert, broadcast or place on another device.
Tensor converted(const Binary& op, const Operand& a, const Operand& b) {
  const ResultPlan plan = garboard::plan(op, a, b);
  Tensor out = fresh_of(op.name, plan);
  {
    Input x = input_of(op, a, plan, nullptr), y = input_of(op, b, plan, nullptr);
    if (a.tensor || !op.is_number_in_rows) lie_as(out, {&x.view(), &y.view()});
    straighten(out, true, {&x, &y});
    kernels::table_of(plan.device)
        .binary[op.kernel.index](out.view(), x.view(), y.view(), current_stream(plan.device));
  }
  record_broadcast(op, out, a, b);
  return out;
}

}  // namespace

Tensor Unary::operator()(const Tensor& input) const {
  const DType dtype = working_dtype(*this, input.dtype());
  const Device device = input.device();
  const DType result = kernel.result_of(dtype);
  const auto run = kernels::table_of(device).unary[kernel.index];
  Tensor out;
  if (dtype == input.dtype() && input.is_contiguous()) {
    out = empty_like(name, input, result);
    run(out.flat_view(), input.flat_view(), current_stream(device));
  } else {
    out = empty_of(name, input.sizes(), result, device);
    Input x(input, dtype, input.sizes(), nullptr);
    if (!is_in_rows) lie_as(out, {&x.view()});
    straighten(out, true, {&x});
    run(out.view(), x.view(), current_stream(device));
  }
  if (gradient && is_grad_enabled() && input.requires_grad()) {
    Counted<GradNode> node = make_node(name, out, {input}, keep);
    node->set_rule(gradient);
    const Keep left = keep_signs(*this, *node, out);
    offer_way(*this, *node, input, out, left);
    attach(std::move(node), out, left);
  }
  return out;
}

void Unary::into(const Tensor& out, const Tensor& input) const {
  const DType dtype = working_dtype(*this, input.dtype());
  const DType result = kernel.result_of(dtype);
  check_out(name, out, input, input.sizes(), result, input.device());
  Overwriting overwriting(*this, out, {input});
  grow_empty(name, out, input.sizes());
  {
    Input x(input, dtype, out.sizes(), &out);
    straighten(out, false, {&x});
    const auto run = kernels::table_of(out.device()).unary[kernel.index];
    write(name, out, result,
          [&](const View& view) { run(view, x.view(), current_stream(out.device())); });
  }
  overwriting.finish(*this, {input}, {});
}

Tensor Binary::of_tensors(const Tensor& x, const Tensor& y) const {
  const bool is_usual = x.dtype() == y.dtype() && x.device() == y.device() && is_plain(x, kernel) &&
                        y.is_contiguous() && have_same_sizes(x, y);
  if (!is_usual) return converted(*this, x, y);
  Tensor out = empty_like(name, x, kernel.gives_bool ? DType::boolean : x.dtype());
  kernels::table_of(x.device())
      .binary[kernel.index](out.flat_view(), x.flat_view(), y.flat_view(),
                            current_stream(x.device()));
  if (gradient && is_grad_enabled() && (x.requires_grad() || y.requires_grad()))
    record_usual(*this, out, x, y);
  return out;
}

Tensor Binary::operator()(const Operand& a, const Operand& b) const {
  if (a.tensor && b.tensor) return of_tensors(*a.tensor, *b.tensor);
  const bool is_simple = a.tensor ? garboard::is_simple(*this, *a.tensor, b.scalar)
                                  : garboard::is_simple(*this, *b.tensor, a.scalar);
  return is_simple ? with_number(*this, a, b) : converted(*this, a, b);
}

void Binary::into(const Tensor& out, const Operand& a, const Operand& b) const {
  if (run_at_once(*this, out, a, b)) return;
  const ResultPlan plan = garboard::plan(*this, a, b);
  check_out(name, out, a, plan.sizes, plan.result, plan.device);
  Overwriting overwriting(*this, out, {a, b});
  grow_empty(name, out, plan.sizes);
  {
    Input x = input_of(*this, a, plan, &out), y = input_of(*this, b, plan, &out);
    straighten(out, false, {&x, &y});
    const auto run = kernels::table_of(plan.device).binary[kernel.index];
    write(name, out, plan.result,
          [&](const View& view) { run(view, x.view(), y.view(), current_stream(plan.device)); });
  }
  overwriting.finish(*this, {a, b}, {&a, &b});
}

Tensor Ternary::operator()(const Operand& a, const Operand& b, const Operand& c) const {
  const ResultPlan plan = garboard::plan(*this, a, b, c);
  const Tensor out = run(*this, plan, nullptr, a, b, c);
  if (must_record({a, b, c})) {
    Counted<GradNode> node = make_node(name, out, {a, b, c}, keep);
    note_sizes(*node, plan.sizes, {&a, &b, &c});
    attach_rule(*node, gradient);
    attach(std::move(node), out, keep);
  }
  return out;
}

void Ternary::into(const Tensor& out, const Operand& a, const Operand& b, const Operand& c) const {
  const ResultPlan plan = garboard::plan(*this, a, b, c);
  check_out(name, out, a, plan.sizes, plan.result, plan.device);
  Overwriting overwriting(*this, out, {a, b, c});
  grow_empty(name, out, plan.sizes);
  run(*this, plan, &out, a, b, c);
  overwriting.finish(*this, {a, b, c}, {&a, &b, &c});
}

}  // namespace garboard
