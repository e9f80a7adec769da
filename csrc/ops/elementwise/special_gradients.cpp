// Rules that do not fit beside their declarations.
#include <numbers>

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

/// The second derivative of digamma, made of ops, so that it has all others: moved up to 12 and
/// more by its recurrence, there by its asymptotic series, and reflected below 1/2 (Abramowitz and
/// Stegun, "Handbook of Mathematical Functions", 6.4.6, 6.4.7 and 6.4.14).
Tensor tetragamma(const Tensor& x) {
  constexpr double pi = std::numbers::pi;
  const Tensor is_left = lt(x, 0.5);
  Tensor z = garboard::where(is_left, x * -1.0 + 1.0, x);
  Tensor passed = reciprocal(square(z) * z);
  for (int step = 1; step < 12; ++step) {
    z = z + 1.0;
    passed = passed + reciprocal(square(z) * z);
  }
  z = z + 1.0;
  const Tensor w = reciprocal(square(z));
  Tensor series = w * (5.0 / 6) - 3.0 / 10;
  for (const double factor : {1.0 / 6, -1.0 / 6, 1.0 / 2}) series = series * w + factor;
  const Tensor right = w * (series * w + reciprocal(z) + 1.0) * -1.0 - passed * 2.0;
  const Tensor angle = garboard::where(is_left, x, 0.25) * pi;
  const Tensor sine = garboard::sin(angle);
  const Tensor mirrored = garboard::cos(angle) / (square(sine) * sine) * (2 * pi * pi * pi);
  return garboard::where(is_left, right - mirrored, right);
}

}  // namespace

Grads digamma(const Backward& at) { return at.grad * garboard::trigamma(at.input(0)); }

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

Grads trigamma(const Backward& at) { return at.grad * tetragamma(at.input(0)); }

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
