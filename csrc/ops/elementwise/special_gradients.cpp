// Rules that do not fit beside their declarations.
#include "csrc/core/error.h"
#include "csrc/ops/elementwise/kept_operand.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"

namespace garboard::gradients {
namespace {

/// `taken`: where the first operand was.
Grads parted(const Backward& at, const Tensor& taken) {
  Grads grads;
  if (at.needs(0)) grads[0] = garboard::where(taken, at.grad, 0.0);
  if (at.needs(1)) grads[1] = garboard::where(taken, 0.0, at.grad);
  return grads;
}

}  // namespace

Grads digamma(const Backward& at) { return at.grad * trigamma(at.input(0)); }

Grads refuse_polygamma(const Backward&) {
  throw GradientError("digamma: its second derivative; one derivative is all there is");
}

Grads fmax(const Backward& at) {
  const Tensor a = kept_operand(at, 0), b = kept_operand(at, 1);
  return parted(at, logical_or(ge(a, b), isnan(b)));
}

Grads fmin(const Backward& at) {
  const Tensor a = kept_operand(at, 0), b = kept_operand(at, 1);
  return parted(at, logical_or(le(a, b), isnan(b)));
}

Grads logaddexp2(const Backward& at) {
  Grads grads;
  const Tensor apart = (kept_operand(at, 0) - kept_operand(at, 1)) * 0.69314718055994531;
  if (at.needs(0)) grads[0] = at.grad * garboard::sigmoid(apart);
  if (at.needs(1)) grads[1] = at.grad * garboard::sigmoid(-apart);
  return grads;
}

Grads xlogy(const Backward& at) {
  Grads grads;
  const Tensor x = kept_operand(at, 0), y = kept_operand(at, 1);
  if (at.needs(0)) {
    const Tensor is_flat = logical_and(eq(x, 0.0), le(y, 0.0));
    grads[0] = garboard::where(is_flat, 0.0, garboard::xlogy(at.grad, y));
  }
  if (at.needs(1)) grads[1] = at.grad * (x / y);
  return grads;
}

}  // namespace garboard::gradients
