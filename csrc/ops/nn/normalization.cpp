#include "csrc/ops/nn/normalization.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/op.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/op/remade.h"
#include "csrc/ops/reduce/reduce.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

void check(const Tensor& input, const Dims& sizes, const Tensor& weight, const Tensor& bias) {
  if (!is_floating(input.dtype()))
    throw DTypeError(
        text("layer_norm: input of dtype ", name_of(input.dtype()), "; a floating one is needed"));
  bool ends_so = !sizes.empty() && sizes.size() <= input.ndim();
  for (int i = 1; ends_so && i <= sizes.size(); ++i)
    ends_so = sizes[sizes.size() - i] == input.size(input.ndim() - i);
  if (!ends_so)
    throw ShapeError(text("layer_norm: input of sizes ", input.sizes(), " and normalized_shape ",
                          sizes, "; it must be the input's last sizes, one or more"));
  for (const Tensor* tensor : {&weight, &bias}) {
    if (!*tensor) continue;
    const char* const name = tensor == &weight ? "weight" : "bias";
    if (tensor->sizes() != sizes)
      throw ShapeError(
          text("layer_norm: ", name, " of sizes ", tensor->sizes(), "; ", sizes, " are needed"));
    if (tensor->dtype() != input.dtype())
      throw DTypeError(text("layer_norm: ", name, " of dtype ", name_of(tensor->dtype()),
                            ", input of ", name_of(input.dtype()), "; they must be equal"));
    if (tensor->device() != input.device())
      throw DeviceError(text("layer_norm: ", name, " on ", tensor->device(), ", input on ",
                             input.device(), "; they must be on one device, use to()"));
  }
}

/// What forward and backward share: the rows, and what is found out about each.
struct Rows {
  Dims sizes;  // of a row
  DType dtype;
  Tensor means, inverses;  // in the dtype that arithmetic is done in
  double epsilon;

  std::int64_t columns() const { return sizes.product(); }

  kernels::LayerNorm of(const Tensor& out, const Tensor& x, const Tensor& weight,
                        const Tensor& bias) const {
    return {matrix(out),  matrix(x),       vector(weight), vector(bias),
            means.view(), inverses.view(), epsilon};
  }
  View matrix(const Tensor& tensor) const {
    return make_view(tensor ? tensor.data() : nullptr, dtype, {means.count(), columns()},
                     {columns(), 1});
  }
  View vector(const Tensor& tensor) const {
    return make_view(tensor ? tensor.data() : nullptr, dtype, {columns()}, {1});
  }
};

Dims last_dims(const Dims& sizes) {
  Dims dims;
  for (int i = 1; i <= sizes.size(); ++i) dims.push_back(-i);
  return dims;
}

/// By ops that can be differentiated again.
Grads formula(const Backward& at, const Rows& rows, const Tensor& x, const Tensor& weight) {
  const Reduced over{last_dims(rows.sizes), true};
  const Tensor inverse = rsqrt(var(x, over, 0) + rows.epsilon);
  const Tensor normal = (x - mean(x, over)) * inverse;
  const Tensor slope = weight ? at.grad * weight : at.grad;
  Grads grads;
  if (at.needs(0))
    grads[0] = inverse * ((slope - mean(slope, over)) - normal * mean(slope * normal, over));
  if (weight && at.needs(1)) grads[1] = sum_to(at.grad * normal, rows.sizes);
  if (at.needs(2)) grads[2] = sum_to(at.grad, rows.sizes);
  return grads;
}

Grads gradients_of(const Backward& at, const Dims& sizes, double epsilon, bool has_weight) {
  const Tensor kept = at.input(0);
  const Tensor weight = has_weight ? at.input(1) : Tensor();
  const Rows rows{sizes, kept.dtype(), at.other(0), at.other(1), epsilon};
  if (is_grad_enabled()) return formula(at, rows, kept, weight);
  const Device device = kept.device();
  const Tensor x = contiguous(kept);
  const Tensor dense_weight = weight ? contiguous(weight) : Tensor();
  const auto wanted = [&](int i, const Dims& sizes) {
    return at.needs(i) ? empty_of("layer_norm", sizes, x.dtype(), device) : Tensor();
  };
  // The CPU's kernel is done with a row when it writes it; another one reads all rows twice.
  const Tensor dx = !at.needs(0)      ? Tensor()
                    : device.is_cpu() ? place_of_gradient("layer_norm", at, x)
                                      : wanted(0, x.sizes()),
               d_weight = wanted(1, sizes), d_bias = wanted(2, sizes);
  const Tensor dy = contiguous(at.grad);
  kernels::run(kernels::LayerNormGradient{rows.matrix(dy), rows.matrix(dx), rows.vector(d_weight),
                                          rows.vector(d_bias), rows.of({}, x, dense_weight, {})},
               device);
  return {dx, d_weight, d_bias};
}

struct LayerNormRule {
  Dims sizes;
  double epsilon;
  bool has_weight;

  Grads operator()(const Backward& at) const {
    return gradients_of(at, sizes, epsilon, has_weight);
  }
};

class RemadeLayerNorm final : public Remade {
 public:
  static Counted<PackedTensor> of(GradNode& node) {
    const LayerNormRule* const rule = node.rule<LayerNormRule>();
    const SavedTensor* const input = node.kept_input(0);
    if (!rule || !input) return {};
    Counted<RemadeLayerNorm> way(new RemadeLayerNorm(*rule));
    // The bias is the last that was kept.
    const bool knows_all = way->remember(input) && way->remember(node.kept_input(1)) &&
                           way->remember(&node.seldom()->others.back().saved);
    return knows_all ? Counted<PackedTensor>(way.get()) : nullptr;
  }

 private:
  explicit RemadeLayerNorm(const LayerNormRule& rule) : Remade("layer_norm"), rule_(rule) {}
  Tensor make() const override {
    return layer_norm(made_from(0), rule_.sizes, made_from(1), made_from(2), rule_.epsilon);
  }

  const LayerNormRule rule_;
};

}  // namespace

Tensor layer_norm(const Tensor& input, const Dims& sizes, const Tensor& weight, const Tensor& bias,
                  double epsilon) {
  const auto is_single = [](const Tensor& tensor) {
    return tensor && tensor.dtype() == DType::float32;
  };
  if (is_half(input.dtype()) && (is_single(weight) || is_single(bias)))
    return to(layer_norm(to(input, DType::float32), sizes, weight, bias, epsilon), input.dtype());
  check(input, sizes, weight, bias);
  const Device device = input.device();
  const Tensor out = empty_of("layer_norm", input.sizes(), input.dtype(), device);
  Dims row_sizes;
  for (int i = 0; i < input.ndim() - sizes.size(); ++i) row_sizes.push_back(input.size(i));
  const std::int64_t count = row_sizes.product();
  const DType wide = widened(input.dtype());
  const Rows rows{sizes, input.dtype(), empty_of("layer_norm", {count}, wide, device),
                  empty_of("layer_norm", {count}, wide, device), epsilon};
  {
    const GradModeGuard no_grad(false);
    const Tensor x = contiguous(input);
    const Tensor dense_weight = weight ? contiguous(weight) : Tensor();
    const Tensor dense_bias = bias ? contiguous(bias) : Tensor();
    if (out.view().count > 0) kernels::run(rows.of(out, x, dense_weight, dense_bias), device);
  }
  // An edge in each place, even where there is no tensor: the rule counts them.
  const Operand none = Scalar::of(0.0);
  record("layer_norm", out, {input, weight ? Operand(weight) : none, bias ? Operand(bias) : none},
         weight ? Keep::first | Keep::second : Keep::first,
         LayerNormRule{sizes, epsilon, bool(weight)},
         {{"means", rows.means}, {"inverse deviations", rows.inverses}, {"bias", bias}});
  GradNode* const node = out.body()->grad_node.get();
  if (node && is_worth_remaking(out)) offer_remake(*node, out, RemadeLayerNorm::of);
  return out;
}

}  // namespace garboard
