#include "csrc/ops/nn/gated.h"

#include "csrc/core/error.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/activations.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/op/operators.h"
#include "csrc/ops/op/record.h"
#include "csrc/ops/shape/join.h"
#include "csrc/ops/shape/views.h"

namespace garboard {
namespace {

constexpr Binary gated{
    .name = "glu",
    .summary = "Multiply `input` by the logistic function of `other`.",
    .kernel = kernels::binary<functors::Gated>,
};
constexpr Ternary gate_gradient{
    .name = "glu",
    .summary = "Multiply a gradient by the slope of the gate.",
    .kernel = kernels::ternary<functors::GateGradient>,
};

struct Halves {
  Tensor value, gate;

  Halves(const Tensor& whole, int dim)
      : value(narrow(whole, dim, 0, whole.size(dim) / 2)),
        gate(narrow(whole, dim, whole.size(dim) / 2, whole.size(dim) / 2)) {}
};

}  // namespace

Tensor glu(const Tensor& input, std::int64_t dim) {
  const int d = checked_dim("glu", dim, input.ndim());
  if (input.ndim() == 0 || input.size(d) % 2 != 0)
    throw ShapeError(
        text("glu: sizes ", input.sizes(), ", odd along dim ", d, "; an even one is needed"));
  if (!is_floating(input.dtype()))
    throw DTypeError(text("glu: input of dtype ", name_of(input.dtype()),
                          "; a floating one is needed, use to()"));
  Tensor out;
  {
    const GradModeGuard no_grad(false);
    const Halves halves(input, d);
    out = gated(halves.value, halves.gate);
  }
  record("glu", out, {input}, Keep::first, [d](const Backward& at) -> Grads {
    const Tensor whole = at.input(0);
    const Halves halves(whole, d);
    if (is_grad_enabled()) {
      const Tensor share = sigmoid(halves.gate), slope = at.grad * share;
      return cat({slope, slope * halves.value * (-share + 1.0)}, d);
    }
    const Tensor grad = empty_of("glu", whole.sizes(), whole.dtype(), whole.device());
    const Halves to(grad, d);
    softplus_gradient.into(to.value, at.grad, halves.gate);
    gate_gradient.into(to.gate, at.grad, halves.value, halves.gate);
    return grad;
  });
  return out;
}

}  // namespace garboard
