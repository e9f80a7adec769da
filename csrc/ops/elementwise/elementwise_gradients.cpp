// The gradient rules of elementwise ops that do not fit beside their declarations, and C++
// operators.
#include "csrc/ops/complex/complex.h"
#include "csrc/ops/create/convert.h"
#include "csrc/ops/create/create.h"
#include "csrc/ops/elementwise/between.h"
#include "csrc/ops/elementwise/kept_operand.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/operators.h"

namespace garboard {

Tensor operator+(const Tensor& a, const Operand& b) { return add(a, b); }
Tensor operator-(const Tensor& a, const Operand& b) { return sub(a, b); }
Tensor operator*(const Tensor& a, const Operand& b) { return mul(a, b); }
Tensor operator/(const Tensor& a, const Operand& b) { return div(a, b); }
Tensor operator-(const Tensor& a) { return neg(a); }

namespace gradients {
namespace {

Scalar one_less(const Scalar& number) {
  if (number.category == Category::complex)
    return Scalar::of(Complex<double>(number.real - 1, number.imaginary));
  return number.is_whole() ? Scalar::of(number.integer - 1) : Scalar::of(number.real - 1);
}

/// Where a power of 0 stays 0 however the exponent moves.
Tensor is_flat_from(const Tensor& base, const Kept& exponent) {
  const Tensor is_zero = eq(base, zero_operand());
  if (exponent.tensor) return logical_and(is_zero, ge(real(exponent.tensor), zero_operand()));
  return exponent.scalar.real >= 0 ? is_zero : zeros(base.sizes(), DType::boolean, base.device());
}

}  // namespace

Grads add(const Backward& at) {
  return {at.needs(0) ? at.grad : Tensor(), at.needs(1) ? at.grad : Tensor()};
}

Grads subtract(const Backward& at) {
  return {at.needs(0) ? at.grad : Tensor(), at.needs(1) ? -at.grad : Tensor()};
}

Grads multiply(const Backward& at) {
  Grads grads;
  if (at.needs(0)) grads[0] = mul(at.grad, Kept(at, 1));
  if (at.needs(1)) grads[1] = mul(at.grad, Kept(at, 0));
  return grads;
}

Grads divide(const Backward& at) {
  Grads grads;
  const Kept divisor(at, 1);
  const Tensor scaled = div(at.grad, divisor);
  if (at.needs(1)) grads[1] = -mul(scaled, div(Kept(at, 0), divisor));
  if (at.needs(0)) grads[0] = scaled;
  return grads;
}

Grads remainder(const Backward& at) {
  Grads grads;
  if (at.needs(0)) grads[0] = at.grad;
  if (at.needs(1)) grads[1] = -mul(at.grad, floor(div(Kept(at, 0), Kept(at, 1))));
  return grads;
}

// d/dx x^p = p x^(p-1), which is 0 at p = 0 even where x is; d/dp = x^p ln x, and 0 where x = 0 <=
// p.
Grads power(const Backward& at) {
  Grads grads;
  const Kept base(at, 0), exponent(at, 1);
  if (at.needs(0)) {
    const Tensor less = exponent.tensor ? sub(exponent.tensor, 1.0) : Tensor();
    if (less) {
      const Tensor slope = mul(exponent, garboard::pow(base, less));
      const Tensor is_zero = eq(exponent, zero_operand());
      grads[0] = mul(at.grad, garboard::where(is_zero, zero_operand(), slope));
    } else if (!exponent.scalar.is(0)) {
      const Scalar below = one_less(exponent.scalar);
      // Of squares. Recorded as a power, it has one more derivative, of zeros, as others have.
      const bool is_base = below.is(1) && !is_grad_enabled();
      const Tensor power = is_base ? base.tensor : garboard::pow(base, below);
      grads[0] = mul(at.grad, mul(power, exponent));
    } else {
      grads[0] = mul(at.grad, zero_operand());
    }
  }
  if (at.needs(1)) {
    Tensor base_tensor =
        base.tensor ? base.tensor : scalar_tensor(base.scalar, at.grad.dtype(), at.grad.device());
    if (is_complex(at.grad.dtype())) base_tensor = to(base_tensor, at.grad.dtype());  // ln of < 0
    const Tensor slope = mul(garboard::pow(base, exponent), log(base_tensor));
    const Tensor is_flat = is_flat_from(base_tensor, exponent);
    grads[1] = mul(at.grad, garboard::where(is_flat, zero_operand(), slope));
  }
  return grads;
}

/// Of an extremum: nothing where `loses(mine, other)`, and half each where both are equal, which is
/// PyTorch's choice.
template <class Loses>
Grads of_extremum(const Backward& at, const Loses& loses) {
  const Kept a(at, 0), b(at, 1);
  const Tensor shared = garboard::where(eq(a, b), at.grad * 0.5, at.grad);
  Grads grads;
  if (at.needs(0)) grads[0] = garboard::where(loses(a, b), zero_operand(), shared);
  if (at.needs(1)) grads[1] = garboard::where(loses(b, a), zero_operand(), shared);
  return grads;
}
Grads maximum(const Backward& at) {
  return of_extremum(at, [](const auto& mine, const auto& other) { return lt(mine, other); });
}
Grads minimum(const Backward& at) {
  return of_extremum(at, [](const auto& mine, const auto& other) { return gt(mine, other); });
}

// Of g (share(x) + x density(x)), where the density falls by x times itself.
Grads gelu(const Backward& at) {
  Grads grads;
  const Tensor g = at.input(0), x = at.input(1);
  if (at.needs(0)) grads[0] = gelu_gradient(at.grad, x);
  if (at.needs(1)) {
    const Tensor density = garboard::exp(x * x * -0.5) * functors::density_scale<double>;
    grads[1] = at.grad * g * density * (x * x * -1.0 + 2.0);
  }
  return grads;
}

// Of g (x / 2 (1 + tanh u))', where u = sqrt(2 / pi) (x + 0.044715 x^3).
Grads gelu_tanh(const Backward& at) {
  constexpr double scale = functors::twice_root / 2, cubic = functors::cubic;
  Grads grads;
  const Tensor g = at.input(0), x = at.input(1);
  if (at.needs(0)) grads[0] = gelu_tanh_gradient(at.grad, x);
  if (at.needs(1)) {
    const Tensor t = garboard::tanh(x * scale + x * x * x * (scale * cubic));
    const Tensor slope = x * x * (3 * scale * cubic) + scale;
    const Tensor bend = x * (3 * scale * cubic) - t * slope * slope;
    grads[1] = at.grad * g * ((t * t * -1.0 + 1.0) * (slope + x * bend));
  }
  return grads;
}

// Of relu_gradient(g, y), which is linear in g and does not move with y.
Grads relu(const Backward& at) {
  Grads grads;
  if (at.needs(0)) grads[0] = relu_gradient(at.grad, at.input(1));
  if (at.needs(1)) grads[1] = at.grad * 0.0;
  return grads;
}

// Of g y (1 - y).
Grads sigmoid(const Backward& at) {
  Grads grads;
  const Tensor g = at.input(0), y = at.input(1);
  if (at.needs(0)) grads[0] = sigmoid_gradient(at.grad, y);
  if (at.needs(1)) grads[1] = at.grad * g * (y * -2.0 + 1.0);
  return grads;
}

// Of g (1 - y^2).
Grads tanh(const Backward& at) {
  Grads grads;
  const Tensor g = at.input(0), y = at.input(1);
  if (at.needs(0)) grads[0] = tanh_gradient(at.grad, y);
  if (at.needs(1)) grads[1] = at.grad * g * y * -2.0;
  return grads;
}

Grads absolute(const Backward& at) { return at.grad * sgn(at.input(0)); }

// A step across, turned by a quarter from z, moves the angle by its share of |z|.
Grads angle(const Backward& at) {
  const Tensor z = at.input(0);
  if (!is_complex(z.dtype())) return zeros(at.grad.sizes(), at.grad.dtype(), at.grad.device());
  const Tensor size = abs(z), is_zero = eq(size, zero_operand());
  const Tensor across = z * Operand(Scalar::of(Complex<double>(0, 1)));
  return garboard::where(is_zero, zero_operand(), at.grad * across / square(size));
}
Grads cosine(const Backward& at) { return -(at.grad * garboard::sin(at.input(0))); }
Grads error_function(const Backward& at) {
  constexpr double twice_over_root_pi = 1.1283791670955126;
  return at.grad * (garboard::exp(-square(at.input(0))) * twice_over_root_pi);
}
Grads sine(const Backward& at) { return at.grad * garboard::cos(at.input(0)); }
Grads zero(const Backward& at) {  // not a product: infinity times 0 is NaN
  Grads grads;
  for (int i = 0; i < 2; ++i) {
    if (at.needs(i)) grads[i] = zeros(at.grad.sizes(), at.grad.dtype(), at.grad.device());
  }
  return grads;
}

Grads where(const Backward& at) {
  Grads grads;
  const Tensor condition = at.input(0);
  if (at.needs(1)) grads[1] = garboard::where(condition, at.grad, zero_operand());
  if (at.needs(2)) grads[2] = garboard::where(condition, zero_operand(), at.grad);
  return grads;
}

Grads retain(const Backward& at) {
  Grads grads;
  if (at.needs(1)) grads[1] = garboard::retain(at.input(0), at.grad, Kept(at, 2));
  return grads;
}

// Where the bounds are crossed, the upper one is the output. Between numbers the slope is 0 on
// both; an element that equals one of two tensors shares its gradient with it.
Grads clamp(const Backward& at) {
  Grads grads;
  const Tensor x = at.input(0);
  const Kept low(at, 1), high(at, 2);
  if (!low.tensor && !high.tensor) {
    if (at.needs(0)) grads[0] = between<false>(x, low.scalar, high.scalar, at.grad);
    return grads;
  }
  Tensor below, above, on_low, on_high;
  {
    const GradModeGuard no_grad(false);
    above = gt(garboard::maximum(x, low), high);
    below = logical_and(lt(x, low), logical_not(above));
    on_low = logical_and(eq(x, low), lt(x, high));
    on_high = logical_and(eq(x, high), gt(x, low));
  }
  const Tensor half = mul(at.grad, Scalar::of(0.5));
  const auto of_bound = [&](const Tensor& beyond, const Tensor& on) {
    return garboard::where(beyond, at.grad, garboard::where(on, half, zero_operand()));
  };
  if (at.needs(0))
    grads[0] = garboard::where(logical_or(below, above), zero_operand(),
                               garboard::where(logical_or(on_low, on_high), half, at.grad));
  if (at.needs(1)) grads[1] = of_bound(below, on_low);
  if (at.needs(2)) grads[2] = of_bound(above, on_high);
  return grads;
}

Grads add_scaled(const Backward& at) {
  Grads grads;
  if (at.needs(0)) grads[0] = at.grad;
  if (at.needs(1)) grads[1] = mul(at.grad, *at.node().kept_scalar(2));
  return grads;
}

Grads lerp(const Backward& at) {
  Grads grads;
  if (at.needs(2)) grads[2] = mul(at.grad, at.input(1) - at.input(0));
  if (!at.needs(0) && !at.needs(1)) return grads;
  const Tensor towards_end = mul(at.grad, Kept(at, 2));
  if (at.needs(0)) grads[0] = at.grad - towards_end;
  if (at.needs(1)) grads[1] = towards_end;
  return grads;
}

}  // namespace gradients
}  // namespace garboard
