// Rules that do not fit beside their declarations.
#include "csrc/ops/elementwise/kept_operand.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"

namespace garboard::gradients {
namespace {

Tensor no_slope(const Backward& at) {
  return zeros(at.grad.sizes(), at.grad.dtype(), at.grad.device());
}

}  // namespace

Grads atan2(const Backward& at) {
  Grads grads;
  const Tensor y = kept_operand(at, 0), x = kept_operand(at, 1);
  const Tensor squares = square(x) + square(y);
  const Operand zero = Scalar::of(0.0), one = Scalar::of(1.0);
  const Tensor scaled = at.grad / garboard::where(eq(squares, zero), one, squares);  // 0 at 0, 0
  if (at.needs(0)) grads[0] = scaled * x;
  if (at.needs(1)) grads[1] = -(scaled * y);
  return grads;
}

Grads copysign(const Backward& at) {
  Grads grads;
  if (at.needs(0))
    grads[0] =
        at.grad * sign(kept_operand(at, 0)) * garboard::copysign(Operand(1.0), kept_operand(at, 1));
  if (at.needs(1)) grads[1] = no_slope(at);
  return grads;
}

Grads cosh(const Backward& at) { return at.grad * sinh(at.input(0)); }

Grads fmod(const Backward& at) {
  Grads grads;
  if (at.needs(0)) grads[0] = at.grad;
  if (at.needs(1)) grads[1] = -(at.grad * trunc(kept_operand(at, 0) / kept_operand(at, 1)));
  return grads;
}

Grads hypot(const Backward& at) {
  Grads grads;
  if (at.needs(0)) grads[0] = at.grad * (kept_operand(at, 0) / at.output());
  if (at.needs(1)) grads[1] = at.grad * (kept_operand(at, 1) / at.output());
  return grads;
}

Grads logaddexp(const Backward& at) {
  Grads grads;
  const Tensor apart = kept_operand(at, 0) - kept_operand(at, 1);
  if (at.needs(0)) grads[0] = at.grad * garboard::sigmoid(apart);
  if (at.needs(1)) grads[1] = at.grad * garboard::sigmoid(-apart);
  return grads;
}

// Of g s (1 + x (1 - s)) with s = sigmoid(x).
Grads silu(const Backward& at) {
  Grads grads;
  const Tensor g = at.input(0), x = at.input(1);
  if (at.needs(0)) grads[0] = silu_gradient(at.grad, x);
  if (at.needs(1)) {
    const Tensor share = garboard::sigmoid(x), rest = share * -1.0 + 1.0;
    grads[1] = at.grad * g * (share * rest * (x * (rest - share) + 2.0));
  }
  return grads;
}

}  // namespace garboard::gradients
