#include "csrc/ops/nn/channel_normalization.h"

#include <array>

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/op/remade.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

View or_none(const Tensor& tensor) { return tensor ? tensor.view() : View(); }

void check(const char* op, const Tensor& input, const Tensor& weight, const Tensor& bias,
           std::int64_t groups) {
  if (input.ndim() < 2 || groups < 0 || (groups > 0 && input.size(1) % groups != 0))
    throw ShapeError(text(op, ": input ", input.sizes(), " in ", groups,
                          " groups; [samples, channels, ...] that they divide are needed"));
  if (!is_floating(input.dtype()))
    throw DTypeError(
        text(op, ": input of dtype ", name_of(input.dtype()), "; a floating one is needed"));
  for (const Tensor* tensor : {&weight, &bias}) {
    if (!*tensor) continue;
    const char* const name = tensor == &weight ? "weight" : "bias";
    if (tensor->sizes() != Dims{input.size(1)})
      throw ShapeError(text(op, ": ", name, " ", tensor->sizes(), ", input ", input.sizes(),
                            "; an element a channel is needed"));
    if (tensor->dtype() != input.dtype() && tensor->dtype() != widened(input.dtype()))
      throw DTypeError(text(op, ": ", name, " of dtype ", name_of(tensor->dtype()), ", input of ",
                            name_of(input.dtype()),
                            "; they must be equal, or float32 beside a half type"));
    if (tensor->device() != input.device())
      throw DeviceError(text(op, ": ", name, " on ", tensor->device(), ", input on ",
                             input.device(), "; they must be on one device, use to()"));
  }
}

/// In row-major order, half types in float32, as kernels read them.
Tensor read(const Tensor& tensor) {
  return tensor ? contiguous(to(tensor, widened(tensor.dtype()))) : tensor;
}

/// What forward and backward share.
struct SlabForm {
  const char* op;
  Dims input;  // its sizes
  Dims sizes;  // [samples, channels, places]
  std::int64_t groups;
  double epsilon;

  SlabForm(const char* op, const Dims& input, std::int64_t groups, double epsilon)
      : op(op), input(input), sizes{input[0], input[1], 1}, groups(groups), epsilon(epsilon) {
    for (int i = 2; i < input.size(); ++i) sizes[2] *= input[i];
  }
  /// Of what is dense.
  View in_slabs(const Tensor& dense) const {
    return make_view(dense.data(), dense.dtype(), sizes, contiguous_strides(sizes));
  }
  Dims found() const { return groups > 0 ? Dims{sizes[0], groups} : Dims{sizes[1]}; }
  /// A slab is what lies along the last dims of this view: [samples, channels, places], or
  /// [samples, groups, channels of a group, places].
  Dims view() const {
    return groups > 0 ? Dims{sizes[0], groups, sizes[1] / groups, sizes[2]} : sizes;
  }
  Reduced over() const { return {groups > 0 ? Dims{2, 3} : Dims{0, 2}, true}; }
  /// [channels] beside the view.
  Tensor beside(const Tensor& channels) const {
    return reshape(channels,
                   groups > 0 ? Dims{1, groups, sizes[1] / groups, 1} : Dims{1, sizes[1], 1});
  }
  /// Of the view, over all but the channels.
  Tensor sum_of_channels(const Tensor& of) const { return sum(reshape(of, sizes), {Dims{0, 2}}); }
};

/// By ops that can be differentiated again.
Grads formula(const Backward& at, const SlabForm& slabs, const Tensor& input,
              const Tensor& weight) {
  const Reduced over = slabs.over();
  const DType dtype = widened(input.dtype());
  const Tensor x = reshape(to(input, dtype), slabs.view());
  const Tensor grad = reshape(to(at.grad, dtype), slabs.view());
  const Tensor inverse = rsqrt(var(x, over, 0) + slabs.epsilon);
  const Tensor normal = (x - mean(x, over)) * inverse;
  const Tensor slope = weight ? grad * slabs.beside(weight) : grad;
  Grads grads;
  if (at.needs(0))
    grads[0] = reshape(
        inverse * ((slope - mean(slope, over)) - normal * mean(slope * normal, over)), slabs.input);
  if (weight && at.needs(1)) grads[1] = slabs.sum_of_channels(grad * normal);
  if (at.needs(2)) grads[2] = slabs.sum_of_channels(grad);
  return grads;
}

Grads by_kernel(const Backward& at, const SlabForm& slabs, const Tensor& input,
                const Tensor& weight) {
  const Device device = input.device();
  const Tensor x = read(input), dense_weight = read(weight);
  const auto wanted = [&](int i, const Dims& sizes) {
    return at.needs(i) ? empty_of(slabs.op, sizes, x.dtype(), device) : Tensor();
  };
  const Dims channels{slabs.sizes[1]};
  // The kernels sum over a channel before they write to it, and then go element by element.
  const Tensor d_x = at.needs(0) ? place_of_gradient(slabs.op, at, x) : Tensor(),
               d_weight = wanted(1, channels), d_bias = wanted(2, channels);
  const Tensor d_out = read(at.grad);
  const kernels::ChannelNorm forward{
      {}, slabs.in_slabs(x),  or_none(dense_weight), {},           at.other(0).view(),
      {}, at.other(1).view(), slabs.groups,          slabs.epsilon};
  kernels::run(
      kernels::ChannelNormGradient{slabs.in_slabs(d_out), d_x ? slabs.in_slabs(d_x) : View(),
                                   or_none(d_weight), or_none(d_bias), forward},
      device);
  return {d_x, d_weight, d_bias};
}

/// `dtypes` are those of input, weight and bias.
Grads gradients_of(const Backward& at, const SlabForm& slabs, bool has_weight,
                   const std::array<DType, 3>& dtypes) {
  const Tensor input = at.input(0);
  const Tensor weight = has_weight ? at.input(1) : Tensor();
  Grads grads =
      is_grad_enabled() ? formula(at, slabs, input, weight) : by_kernel(at, slabs, input, weight);
  for (int i = 0; i < 3; ++i)
    if (grads[i]) grads[i] = to(grads[i], dtypes[static_cast<std::size_t>(i)]);
  return grads;
}

struct ChannelNormRule {
  SlabForm slabs;
  bool has_weight;
  std::array<DType, 3> dtypes;

  Grads operator()(const Backward& at) const { return gradients_of(at, slabs, has_weight, dtypes); }
};

class RemadeChannelNorm final : public Remade {
 public:
  static Counted<PackedTensor> of(GradNode& node) {
    const ChannelNormRule* const rule = node.rule<ChannelNormRule>();
    const SavedTensor* const input = node.kept_input(0);
    if (!rule || !input) return {};
    Counted<RemadeChannelNorm> way(new RemadeChannelNorm(rule->slabs));
    // The bias is the last that was kept.
    const bool knows_all = way->remember(input) && way->remember(node.kept_input(1)) &&
                           way->remember(&node.seldom()->others.back().saved);
    return knows_all ? Counted<PackedTensor>(way.get()) : nullptr;
  }

 private:
  explicit RemadeChannelNorm(const SlabForm& slabs)
      : Remade(slabs.op), groups_(slabs.groups), epsilon_(slabs.epsilon) {}
  Tensor make() const override {
    return normalize_channels(made_from(0), made_from(1), made_from(2), groups_, epsilon_).out;
  }

  std::int64_t groups_;
  double epsilon_;
};

}  // namespace

NormalizedChannels normalize_channels(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                      std::int64_t groups, double epsilon) {
  const char* const op = groups > 0 ? "group_norm" : "batch_norm";
  check(op, input, weight, bias, groups);
  const SlabForm slabs(op, input.sizes(), groups, epsilon);
  const Device device = input.device();
  const DType dtype = widened(input.dtype());
  const auto made = [&](const Dims& sizes) { return empty_of(op, sizes, dtype, device); };
  NormalizedChannels result{made(slabs.input), made(slabs.found()), made(slabs.found())};
  const Tensor inverses = made(slabs.found());
  {
    const GradModeGuard no_grad(false);
    const Tensor x = read(input), dense_weight = read(weight), dense_bias = read(bias);
    kernels::run(
        kernels::ChannelNorm{slabs.in_slabs(result.out), slabs.in_slabs(x), or_none(dense_weight),
                             or_none(dense_bias), result.means.view(), result.variances.view(),
                             inverses.view(), groups, epsilon},
        device);
    result.out = to(result.out, input.dtype());
  }
  const std::array dtypes{input.dtype(), weight ? weight.dtype() : dtype,
                          bias ? bias.dtype() : dtype};
  // An edge in each place, even where there is no tensor: the rule counts them.
  const Operand none = Scalar::of(0.0);
  record(op, result.out, {input, weight ? Operand(weight) : none, bias ? Operand(bias) : none},
         weight ? Keep::first | Keep::second : Keep::first,
         ChannelNormRule{slabs, bool(weight), dtypes},
         {{"means", result.means}, {"inverse deviations", inverses}, {"bias", bias}});
  GradNode* const node = result.out.body()->grad_node.get();
  if (node && is_worth_remaking(result.out)) offer_remake(*node, result.out, RemadeChannelNorm::of);
  return result;
}

Tensor scale_channels(const Tensor& input, const Tensor& scale, const Tensor& shift) {
  const char* const op = "batch_norm";
  check(op, input, scale, shift, 0);
  Dims beside;
  for (int d = 0; d < input.ndim(); ++d) beside.push_back(d == 1 ? input.size(1) : 1);
  Tensor out;
  {
    const GradModeGuard no_grad(false);
    out = add_scaled(reshape(shift, beside), input, reshape(scale, beside));
  }
  const Keep keep = (scale.requires_grad() ? Keep::first : Keep::nothing) |
                    (input.requires_grad() ? Keep::second : Keep::nothing);
  record(op, out, {input, scale, shift}, keep,
         [beside, slabs = SlabForm(op, input.sizes(), 0, 0)](const Backward& at) {
           Grads grads;
           if (at.needs(0)) grads[0] = at.grad * reshape(at.input(1), beside);
           if (at.needs(1)) grads[1] = slabs.sum_of_channels(at.grad * at.input(0));
           if (at.needs(2)) grads[2] = slabs.sum_of_channels(at.grad);
           return grads;
         });
  return out;
}

}  // namespace garboard
