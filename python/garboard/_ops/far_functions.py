"""Bessel functions of the second kind, and Airy's, which are made of sums in float64.

Where a series would cancel, an integral is summed at even steps: of what falls as fast as these do
that is exact to the last digits (Trefethen and Weideman, "The exponentially convergent trapezoidal
rule", 2014).
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DTypeError, Tensor, where
from garboard.autograd.function import Function

__all__ = [
    "airy_ai",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
]

_EULER = 0.57721566490153286061
_TERMS = 14  # of (x^2 / 4)^k / (k!)^2 at x = 2
_STEP, _STEPS = 0.25, 36  # of an integrand below exp(-s^2 / 2)
_AI, _SLOPE = 0.35502805388781723926, -0.25881940379280679840  # of Ai at 0


def _far(x: Tensor, order: float) -> Tensor:
    """e^x K(x) for x above 1: the integral of e^(-x (cosh t - 1)) cosh(order t) over t."""
    root = x.sqrt()
    total = 0.5 * _engine.ones_like(x)
    for step in range(1, _STEPS + 1):
        t = step * _STEP / root
        half = (t / 2).sinh()
        total = total + (-2 * x * half * half).exp() * (order * t).cosh()
    return _STEP * total / root


def _near(x: Tensor, order: int) -> Tensor:
    """K(x) for x from 0 to 2, by its series."""
    quarter = x * x / 4
    log = (x / 2).log()
    term, count = _engine.ones_like(x), -_EULER
    total = _engine.zeros_like(x)
    for k in range(_TERMS):
        if order == 0:
            total = total + term * (count - log)
            term = term * quarter / (k + 1) ** 2
        else:
            total = total + term * (log - count - 0.5 / (k + 1))
            term = term * quarter / ((k + 1) * (k + 2))
        count += 1 / (k + 1)
    return total if order == 0 else 1 / x + x / 2 * total


def _bessel(x: Tensor, order: int, is_scaled: bool) -> Tensor:
    """K(x), or e^x K(x): NaN below 0, inf at 0, and 0 at inf."""
    wide = x.to(_engine.float64)
    near = _near(wide.clamp(0.0, 2.0), order)
    far = _far(wide.clamp_min(2.0), order)
    made = where(
        wide <= 2,
        near * wide.clamp_max(2.0).exp() if is_scaled else near,
        far if is_scaled else far * (-wide).exp(),
    )
    made = where(wide == 0, float("inf"), where(wide == float("inf"), 0.0, made))
    return where(wide >= 0, made, float("nan")).to(x.dtype)


class _Bessel(Function):
    """One of the four, and its slope by the other order."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, order: int, is_scaled: bool) -> Any:
        ctx.save_for_backward(x)
        ctx.order, ctx.is_scaled = order, is_scaled
        return _bessel(x, order, is_scaled)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        other = _Bessel.apply(x, 1 - ctx.order, ctx.is_scaled)
        slope = -other
        if ctx.order or ctx.is_scaled:
            value = _Bessel.apply(x, ctx.order, ctx.is_scaled)
            slope = slope - value / x if ctx.order else slope
            slope = slope + value if ctx.is_scaled else slope
        return gradients[0] * slope, None, None


def _given(op: str, input: Tensor) -> Tensor:
    x = check.tensor(op, "input", input)
    if x.dtype.is_complex or (x.dtype.is_floating_point and x.dtype.itemsize < 4):
        raise DTypeError(f"{op}: input of dtype {x.dtype}; float32, float64 or integers are needed")
    return x if x.dtype.is_floating_point else x.to(_engine.get_default_dtype())


def _called(
    op: str, summary: str, value: str, order: int, is_scaled: bool
) -> Callable[..., Tensor]:
    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        x = _given(op, input)
        with _engine.DisposeScope(op) as scope:
            made = scope.move_to_outer(_Bessel.apply(x, order, is_scaled))
            return written(op, made, out)

    function.__name__ = function.__qualname__ = op
    function.__doc__ = f"""Return {summary}.

    NaN below 0, and infinite at 0. Computed in float64, within a few units of its last digits.

    Args:
        input: Tensor of any shape, float32 or float64; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes. Until backward the graph keeps `input`.

    Raises:
        DTypeError: The dtype is a half or a complex one.
        DisposedError: The tensor is disposed.

    {">" * 3} gb.special.{op}(gb.tensor([1.0]))
    tensor([{value}])
    """
    return function


modified_bessel_k0: Callable[..., Tensor] = _called(
    "modified_bessel_k0",
    "K_0(x), the modified Bessel function of the second kind",
    "0.4210",
    0,
    False,
)
modified_bessel_k1: Callable[..., Tensor] = _called(
    "modified_bessel_k1",
    "K_1(x), the modified Bessel function of the second kind",
    "0.6019",
    1,
    False,
)
scaled_modified_bessel_k0: Callable[..., Tensor] = _called(
    "scaled_modified_bessel_k0", "e^x K_0(x), which falls slowly", "1.1445", 0, True
)
scaled_modified_bessel_k1: Callable[..., Tensor] = _called(
    "scaled_modified_bessel_k1", "e^x K_1(x), which falls slowly", "1.6362", 1, True
)


def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return Ai(x), Airy's function: it falls where x is positive, and swings where it is not.

    Computed in float64, to about 1e-10. As in PyTorch, no gradient passes.

    Args:
        input: Tensor of any shape, float32 or float64; integers become the default dtype.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes.

    Raises:
        DTypeError: The dtype is a half or a complex one.
        DisposedError: The tensor is disposed.

    >>> gb.special.airy_ai(gb.tensor([0.0, 1.0]))
    tensor([0.3550, 0.1353])
    """
    op = "airy_ai"
    x = _given(op, input)
    with no_grad(), _engine.DisposeScope(op) as scope:
        wide = x.to(_engine.float64)
        falling = wide.clamp_min(2.0)
        zeta = 2 / 3 * falling * falling.sqrt()
        right = (falling / 3).sqrt() / pi * _far(zeta, 1 / 3) * (-zeta).exp()
        made = where(wide > 2, right, where(wide < -8, _swinging(wide), _airy_near(wide)))
        made = where(wide == float("inf"), 0.0, made)
        return written(op, scope.move_to_outer(made.to(x.dtype)), out)


def _airy_near(given: Tensor) -> Tensor:
    """Ai from -8 to 2, by its series."""
    x = given.clamp(-8.0, 2.0)
    cube = x * x * x
    even, odd = _AI * _engine.ones_like(x), _SLOPE * x
    total = even + odd
    for k in range(1, 40):
        even = even * cube / ((3 * k - 1) * (3 * k))
        odd = odd * cube / ((3 * k) * (3 * k + 1))
        total = total + even + odd
    return total


def _swinging(given: Tensor) -> Tensor:
    """Ai below -8, by its asymptotic series."""
    x = -given.clamp_max(-8.0)
    zeta = 2 / 3 * x * x.sqrt()
    factor, power = 1.0, _engine.ones_like(x)
    sums = [power, _engine.zeros_like(x)]
    for k in range(1, 20):
        factor *= (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1))
        power = power / zeta
        sign = -1 if k % 4 in (2, 3) else 1
        sums[k % 2] = sums[k % 2] + sign * factor * power
    angle = zeta - pi / 4
    return (angle.cos() * sums[0] + angle.sin() * sums[1]) / (sqrt(pi) * x.sqrt().sqrt())


all_overridable(globals())
