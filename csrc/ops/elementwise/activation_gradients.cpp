// The gradient rules of activations, made of ops, so that they can be differentiated.
#include "csrc/ops/elementwise/activations.h"
#include "csrc/ops/elementwise/between.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/kept_operand.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/fuse/expression.h"
#include "csrc/ops/op/operators.h"

namespace garboard::gradients {

Grads hardsigmoid(const Backward& at) {
  const Expression is_inside = of<lt>(of<abs>(at.input(0)), 3.0);
  return of<garboard::where>(is_inside, of<div>(at.grad, 6.0), 0.0).made();
}

Grads hardswish(const Backward& at) { return hardswish_gradient.of_gradient(at, at.input(0)); }

Grads hardswish_slope(const Backward& at) {
  Grads grads;
  const Tensor x = at.input(1);
  if (at.needs(0)) grads[0] = hardswish_gradient(at.grad, x);
  if (at.needs(1)) {
    const Tensor curved = at.grad * at.input(0) * (1.0 / 3);
    grads[1] = garboard::where(lt(abs(x), 3.0), curved, zero_operand());
  }
  return grads;
}

Grads mish(const Backward& at) { return mish_gradient.of_gradient(at, at.input(0)); }

// With t = tanh(ln(1 + e^x)) and s the logistic function of x, the slope's slope is
// (1 - t^2) s (2 + x (1 - s - 2 t s)).
Grads mish_slope(const Backward& at) {
  Grads grads;
  const Tensor x = at.input(1);
  if (at.needs(0)) grads[0] = mish_gradient(at.grad, x);
  if (at.needs(1)) {
    const Tensor inside = clamp_between(x, -100.0, 20.0), s = garboard::sigmoid(inside);
    const Tensor t = garboard::tanh(garboard::softplus(inside));
    const Tensor bent = inside * (-s - t * s * 2.0 + 1.0) + 2.0;
    grads[1] = at.grad * at.input(0) * (-square(t) + 1.0) * s * bent;
  }
  return grads;
}

Grads logsigmoid(const Backward& at) { return softplus_gradient.of_gradient(at, -at.input(0)); }

Grads softplus_slope(const Backward& at) {
  Grads grads;
  const Tensor x = at.input(1);
  if (at.needs(0)) grads[0] = softplus_gradient(at.grad, x);
  if (at.needs(1)) {
    const Tensor s = garboard::sigmoid(x);
    grads[1] = at.grad * at.input(0) * (s * (-s + 1.0));
  }
  return grads;
}

Grads elu(const Backward& at) {
  return elu_gradient(at.grad, at.input(0), *at.node().kept_scalar(1));
}

Grads elu_slope(const Backward& at) {
  Grads grads;
  const Tensor x = at.input(1);
  const Operand alpha = *at.node().kept_scalar(2);
  if (at.needs(0)) grads[0] = elu_gradient(at.grad, x, alpha);
  if (at.needs(1)) {
    const Tensor bent = elu_gradient(at.grad * at.input(0), x, alpha);
    grads[1] = garboard::where(lt(x, zero_operand()), bent, zero_operand());
  }
  return grads;
}

Grads leaky_relu(const Backward& at) {
  Grads grads;
  const Kept x(at, 0), slope(at, 1);
  const auto above_or = [&](const Operand& above, const Operand& factor) {
    const Expression is_above = of<gt>(Operand(x), 0.0);
    return of<garboard::where>(is_above, above, of<mul>(at.grad, factor)).made();
  };
  if (at.needs(0)) grads[0] = above_or(at.grad, slope);
  if (at.needs(1)) grads[1] = above_or(0.0, x);
  return grads;
}

Grads shrunk(const Backward& at) {
  const Tensor x = at.input(0);
  const Operand bound = *at.node().kept_scalar(1);
  return of<garboard::where>(of<le>(of<abs>(x), bound), 0.0, at.grad).made();  // NaN passes on
}

Grads huber(const Backward& at) {
  const double turn = at.node().kept_scalar(1)->real;
  return at.grad * clamp_between(at.input(0), -turn, turn);
}

Grads hardtanh(const Backward& at) {
  return between<true>(at.input(0), *at.node().kept_scalar(1), *at.node().kept_scalar(2), at.grad);
}

Grads threshold(const Backward& at) {
  const Scalar bound = *at.node().kept_scalar(1);
  return of<garboard::where>(of<le>(at.input(0), bound), 0.0, at.grad).made();
}

Grads finite_number(const Backward& at) {
  return of<garboard::where>(of<isfinite>(at.input(0)), at.grad, 0.0).made();
}

}  // namespace garboard::gradients
