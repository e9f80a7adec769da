// The gradient rules of activations, made of ops, so that they can be differentiated.
#include "csrc/ops/elementwise/activations.h"
#include "csrc/ops/elementwise/binary.h"
#include "csrc/ops/elementwise/kept_operand.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"

namespace garboard::gradients {

Grads hardsigmoid(const Backward& at) {
  return garboard::where(lt(abs(at.input(0)), 3.0), at.grad / 6.0, zero_operand());
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

// With n = e^x (e^x + 2) and t = n / (n + 2), which is tanh(ln(1 + e^x)), the slope is
// t + x (1 - t^2) / (1 + e^-x). Beyond the bounds it is 0 or 1 to the last digit.
Grads mish(const Backward& at) {
  const Tensor x = clamp_between(at.input(0), -100.0, 20.0);
  const Tensor power = garboard::exp(x);
  const Tensor n = power * (power + 2.0);
  const Tensor t = n / (n + 2.0);
  return at.grad * (t + x * (-square(t) + 1.0) * garboard::sigmoid(x));
}

Grads leaky_relu(const Backward& at) {
  Grads grads;
  const Kept x(at, 0), slope(at, 1);
  const Tensor is_above = gt(x, zero_operand());
  if (at.needs(0)) grads[0] = garboard::where(is_above, at.grad, mul(at.grad, slope));
  if (at.needs(1)) grads[1] = garboard::where(is_above, zero_operand(), mul(at.grad, x));
  return grads;
}

Grads shrunk(const Backward& at) {
  const Tensor x = at.input(0);
  const Operand bound = *at.node().kept_scalar(1);
  return garboard::where(gt(abs(x), bound), at.grad, zero_operand());
}

Grads huber(const Backward& at) {
  const double turn = at.node().kept_scalar(1)->real;
  return at.grad * clamp_between(at.input(0), -turn, turn);
}

Grads hardtanh(const Backward& at) {
  const Tensor x = at.input(0);
  const Tensor is_beyond = logical_or(le(x, Kept(at, 1)), ge(x, Kept(at, 2)));
  return garboard::where(is_beyond, zero_operand(), at.grad);
}

Grads finite_number(const Backward& at) {
  return garboard::where(isfinite(at.input(0)), at.grad, zero_operand());
}

}  // namespace garboard::gradients
