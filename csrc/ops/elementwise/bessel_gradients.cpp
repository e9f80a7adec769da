// Rules of Bessel functions and incomplete integrals, by their recurrences.
#include <numbers>

#include "csrc/core/error.h"
#include "csrc/ops/elementwise/bessel.h"
#include "csrc/ops/elementwise/gamma_integrals.h"
#include "csrc/ops/elementwise/kept_operand.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/op/operators.h"

namespace garboard::gradients {
namespace {

/// of_order_0 - of_order_1 / x, where that has a value at 0, 1/2.
Tensor lowered(const Tensor& of_order_0, const Tensor& of_order_1, const Tensor& x) {
  const Tensor is_zero = eq(x, 0.0);
  const Tensor divisor = garboard::where(is_zero, 1.0, x);
  return garboard::where(is_zero, 0.5, of_order_0 - of_order_1 / divisor);
}

/// Raises GradientError where the first operand wants a gradient.
void refuse_first(const Backward& at, const char* op) {
  if (at.needs(0))
    throw GradientError(
        text(op, ": its gradient for input has no formula here; give input.detach()"));
}

/// The slope of the lower share of gamma(a) at x.
Tensor density(const Backward& at) {
  const Tensor a = kept_operand(at, 0), x = kept_operand(at, 1);
  return garboard::exp(garboard::xlogy(a - 1.0, x) - x - garboard::lgamma(a));
}

}  // namespace

Grads i0(const Backward& at) { return at.grad * garboard::i1(at.input(0)); }

Grads i0e(const Backward& at) {
  const Tensor x = at.input(0);
  return at.grad * (garboard::i1e(x) - garboard::sign(x) * at.output());
}

Grads i1(const Backward& at) {
  const Tensor x = at.input(0);
  return at.grad * lowered(garboard::i0(x), at.output(), x);
}

Grads i1e(const Backward& at) {
  const Tensor x = at.input(0), output = at.output();
  return at.grad * (lowered(garboard::i0e(x), output, x) - garboard::sign(x) * output);
}

Grads bessel_j0(const Backward& at) { return -at.grad * garboard::bessel_j1(at.input(0)); }

Grads bessel_j1(const Backward& at) {
  const Tensor x = at.input(0);
  return at.grad * lowered(garboard::bessel_j0(x), at.output(), x);
}

Grads bessel_y0(const Backward& at) { return -at.grad * garboard::bessel_y1(at.input(0)); }

Grads bessel_y1(const Backward& at) {
  const Tensor x = at.input(0);
  return at.grad * (garboard::bessel_y0(x) - at.output() / x);
}

Grads erfcx(const Backward& at) {
  constexpr double slope_at_0 = 2 * std::numbers::inv_sqrtpi;
  return at.grad * (at.input(0) * at.output() * 2.0 - slope_at_0);
}

Grads igamma(const Backward& at) {
  refuse_first(at, "igamma");
  Grads grads;
  grads[1] = at.grad * density(at);
  return grads;
}

Grads igammac(const Backward& at) {
  refuse_first(at, "igammac");
  Grads grads;
  grads[1] = -at.grad * density(at);
  return grads;
}

Grads zeta(const Backward& at) {
  refuse_first(at, "zeta");
  const Tensor s = kept_operand(at, 0), q = kept_operand(at, 1);
  Grads grads;
  grads[1] = -at.grad * s * garboard::zeta(s + 1.0, q);
  return grads;
}

}  // namespace garboard::gradients
