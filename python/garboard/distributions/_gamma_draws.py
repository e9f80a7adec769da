"""Logarithms of gamma numbers, drawn exactly, with the gradient of their shape."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments.overridable import all_overridable
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, where
from garboard.autograd import Function

__all__ = ["log_gamma_draws", "log_gamma_rsample"]

# Gauss and Legendre's nodes and weights, in each of so many pieces of an interval.
_PIECES = 4
_NODES = 16
_BLOCK = 1024  # draws at a time: what is made for all nodes of a block stays in the cache
_DEPTH = 40.0  # what lies e^-40 below the largest is left out of integrals
_NEWTON_STEPS = 14


def log_gamma_draws(shape: Tensor) -> Tensor:
    """ln x of one x of the density x^(shape - 1) e^-x / Gamma(shape) for each shape, in float64.

    By rejection from the cube of a normal number (Marsaglia and Tsang, "A simple method for
    generating gamma variables", 2000); of a shape below 1, from shape + 1, and times u^(1 / shape):
    a sum of logarithms, which does not underflow. Shapes that are none, NaN too, give NaN.
    """
    with no_grad():
        given = shape.detach().to(_engine.float64).reshape(-1)
        found = _engine.full_like(given, float("nan"))
        left = ((given > 0) & (given < float("inf"))).argwhere().squeeze(-1)
        while left.numel():
            here = given[left]
            d = where(here < 1, here + 1, here) - 1 / 3
            normal = _engine.randn(left.shape, dtype=given.dtype, device=given.device)
            cubed = (1 + normal / (9 * d).sqrt()) ** 3
            log_cubed = cubed.clamp(min=1e-300).log()
            chance = _engine.rand(left.shape, dtype=given.dtype, device=given.device)
            bound = 0.5 * normal.square() + d * (1 - cubed + log_cubed)
            is_taken = (cubed > 0) & (chance.log() < bound)
            found[left[is_taken]] = (d.log() + log_cubed)[is_taken]
            left = left[~is_taken]
        waited = _engine.empty(given.shape, dtype=given.dtype, device=given.device).exponential_()
        found = where(given < 1, found - waited / given, found)
        return found.view(shape.shape)


def log_gamma_rsample(shape: Tensor) -> Tensor:
    """Draw like `log_gamma_draws`, so that gradients pass to `shape`."""
    drawn: Tensor = _LogGamma.apply(shape)
    return drawn


class _LogGamma(Function):
    """The implicit gradient of a draw: how x moves with the shape while its probability stays.

    dx / dshape = -(dF / dshape) / density(x), F being the distribution (Figurnov, Mohamed, Mnih,
    "Implicit reparameterization gradients", arXiv:1805.08498).
    """

    @staticmethod
    def forward(ctx: Any, shape: Tensor) -> Tensor:
        drawn = log_gamma_draws(shape)
        ctx.save_for_backward(shape, drawn)
        return drawn

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Tensor:
        shape, drawn = ctx.saved_tensors
        with no_grad():
            grad: Tensor = grads[0]
            slope = slope_of_log_gamma(shape.to(drawn.dtype), drawn)
            return (slope * grad).to(shape.dtype)


def slope_of_log_gamma(shape: Tensor, log_x: Tensor) -> Tensor:
    """d ln x / d shape at a constant probability, in float64, within about 1e-9 of itself."""
    shapes, logs = shape.reshape(-1).split(_BLOCK), log_x.reshape(-1).split(_BLOCK)
    blocks = [_slope_of_block(*both) for both in zip(shapes, logs, strict=True)]
    found: Tensor = _engine.cat(blocks)
    return found.view(log_x.shape)


def _slope_of_block(shape: Tensor, log_x: Tensor) -> Tensor:
    """The slope of each of some draws, from an integral.

    With t = x e^-w the integral of density(t) (digamma(shape) - ln t) over t < x is x density(x)
    times that of e^(-shape w + x (1 - e^-w)) (digamma(shape) - ln x + w) over w > 0, and minus the
    one over w < 0, as both together are 0. The side is taken on which the exponent falls from 0:
    w > 0 where x <= shape.
    """
    x = log_x.exp()
    side = where(x <= shape, 1.0, -1.0).to(_engine.float64)
    width = 2 * _DEPTH / x.clamp(min=1e-300)
    above = _engine.minimum(width.sqrt(), (1.7 + width.log().clamp(min=0.0)).clamp(max=700.0))
    end = where(x <= shape, (_DEPTH + x) / shape, above)
    for _ in range(_NEWTON_STEPS):  # from beyond the end of a concave function that falls
        shrunk = -side * end
        value = shape * shrunk - x * shrunk.expm1() + _DEPTH
        end = end - value / (side * (x * shrunk.exp() - shape))
    nodes, weights = (it.to(x.device) for it in _gauss_legendre())
    w = nodes.unsqueeze(1) * (side * end)
    weighed = (-shape * w - x * (-w).expm1()).exp() * (shape.digamma() - log_x + w)
    slopes: Tensor = (weights @ weighed) * (side * end)
    return slopes


def _gauss_legendre() -> tuple[Tensor, Tensor]:
    """Nodes and weights on [0, 1], in pieces."""
    import numpy as np

    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    starts = np.arange(_PIECES)[:, None]
    return (
        _engine.tensor(((starts + (nodes + 1) / 2) / _PIECES).ravel()),
        _engine.tensor(np.tile(weights / 2 / _PIECES, _PIECES)),
    )


all_overridable(globals())
