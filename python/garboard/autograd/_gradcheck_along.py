"""Gradients compared with differences along one random direction of each input and output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard._contexts.generator import Generator
from garboard._contexts.grad_mode import enable_grad, no_grad
from garboard._engine import Tensor, float64, rand, zeros_like
from garboard.autograd._gradcheck_parts import (
    Modes,
    check_near,
    check_same,
    numbers_of,
    outputs_of,
    parts_of,
)
from garboard.autograd._passes import grad
from garboard.autograd.forward_ad import dual_level, make_dual, unpack_dual

__all__ = ["compare_along"]

_Function = Callable[..., Any]


def _direction(draws: Generator, like: Tensor) -> Tensor:
    """A random direction of length 1, of which no part is below 0, as PyTorch draws them."""
    found = rand(parts_of(like.detach()).numel(), generator=draws, dtype=float64)
    return found.div_(found.norm()).to(like.device) if found.numel() else found


def _differences_along(
    op: str, func: _Function, given: list[Any], at: Tensor, direction: Tensor, eps: float
) -> list[Tensor]:
    """The slope of each output along a direction of one input."""
    moved = parts_of(at.detach())
    before = moved.clone()
    ends = []
    try:
        for step in (eps, -eps):
            moved.copy_(before).add_(direction.view(moved.shape).to(moved.dtype) * step)
            with enable_grad():
                ends.append([numbers_of(it) for it in outputs_of(op, func, given)])
    finally:
        moved.copy_(before)
    return [a.sub_(b).div_(2 * eps) for a, b in zip(*ends, strict=True)]


def compare_along(
    op: str,
    func: _Function,
    given: list[Any],
    asking: list[Tensor],
    limits: dict[str, float],
    modes: Modes,
) -> None:
    """Compare w^T J u of each input and output, u and w random: one pass for all of a Jacobian.

    Where its elements may be off by atol each, w^T J u may be by atol times the sums of u and w.
    """
    draws = Generator().manual_seed(0)
    with enable_grad():
        outputs = outputs_of(op, func, given)
    are_asked = any(it.requires_grad for it in outputs)
    weights = [_direction(draws, it) for it in outputs]
    found = [
        _gradients_of(it, asking, by, limits) if modes.check_backward_ad else []
        for it, by in zip(outputs, weights, strict=True)
    ]
    for place, at in enumerate(asking):
        along = _direction(draws, at)
        with no_grad():
            slopes = _differences_along(op, func, given, at, along, limits["eps"])
        tangents = _tangents_along(func, given, at, along) if modes.check_forward_ad else slopes
        for number, output in enumerate(outputs):
            if not output.numel() or not at.numel() or (are_asked and not output.requires_grad):
                continue
            by = weights[number]
            wanted = (slopes[number] * by).sum()
            atol = limits["atol"] * float(along.sum() * by.sum())
            room = {**limits, "atol": atol}
            got = []
            if modes.check_forward_ad:
                got.append((True, (tangents[number] * by).sum()))
            if modes.check_backward_ad:
                got.append((False, (found[number][place] * along).sum()))
            for is_forward, one in got:
                near = one.view(1, 1), wanted.view(1, 1)
                check_near(number, place, *near, room, is_forward=is_forward)


def _gradients_of(
    output: Tensor, asking: list[Tensor], weights: Tensor, limits: dict[str, float]
) -> list[Tensor]:
    """The gradients for the inputs of one output times weights."""
    if not output.requires_grad or not output.numel():
        return [zeros_like(numbers_of(it)) for it in asking]
    start = weights.view(output.shape).to(output.dtype)
    passes = []
    for _ in range(2):
        made: Any = grad(output, asking, start, retain_graph=True, materialize_grads=True)
        passes.append([numbers_of(it) for it in made])
    check_same(passes[0], passes[1], limits["nondet_tol"])
    return passes[0]


def _tangents_along(
    func: _Function, given: list[Any], at: Tensor, direction: Tensor
) -> list[Tensor]:
    tangent = zeros_like(at)
    parts_of(tangent).copy_(direction.view(parts_of(tangent).shape))
    with enable_grad(), dual_level():
        dual = make_dual(at, tangent)
        found = func(*[dual if it is at else it for it in given])
        outputs = found if isinstance(found, (tuple, list)) else [found]
        tensors = [it for it in outputs if isinstance(it, Tensor)]
        floats = [it for it in tensors if it.is_floating_point() or it.is_complex()]
        moved = [(it, unpack_dual(it).tangent) for it in floats]
    return [numbers_of(zeros_like(it) if by is None else by) for it, by in moved]
