"""How far to go along a direction: where the strong Wolfe conditions hold."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from garboard._engine import Tensor

__all__ = ["Point", "lowest_of_cubic", "strong_wolfe"]


class Point(NamedTuple):
    """What was found somewhere: the loss and the gradient, a vector."""

    loss: float
    gradient: Tensor


class _Try(NamedTuple):
    """A point, how far away it is, and the slope of the loss along the direction there."""

    far: float
    at: Point
    slope: float


_End = tuple[float, float, float]


def lowest_of_cubic(a: _End, b: _End, low: float, high: float) -> float:
    """Where the cubic through two points is lowest within bounds: each its place, value, slope.

    >>> from garboard.optim._line_search import lowest_of_cubic
    >>> lowest_of_cubic((0.0, 1.0, -2.0), (2.0, 1.0, 2.0), 0.0, 2.0)
    1.0
    """
    if a[0] > b[0]:
        a, b = b, a
    (at_a, value_a, slope_a), (at_b, value_b, slope_b) = a, b
    if at_a == at_b:
        return (low + high) / 2
    d1 = slope_a + slope_b - 3 * (value_a - value_b) / (at_a - at_b)
    square = d1 * d1 - slope_a * slope_b
    bottom = slope_b - slope_a
    if not isfinite(square) or square < 0 or bottom + 2 * sqrt(square) == 0:
        return (low + high) / 2
    root = sqrt(square)
    lowest = at_b - (at_b - at_a) * ((slope_b + root - d1) / (bottom + 2 * root))
    return min(max(lowest, low), high)


def _lowest(a: _Try, b: _Try, low: float, high: float) -> float:
    return lowest_of_cubic((a.far, a.at.loss, a.slope), (b.far, b.at.loss, b.slope), low, high)


def strong_wolfe(
    look: Callable[[float], Point],
    direction: Tensor,
    far: float,
    start: Point,
    slope: float,
    tolerance_change: float = 1e-9,
    most_looks: int = 25,
    c1: float = 1e-4,
    c2: float = 0.9,
) -> tuple[Point, float, int]:
    """Find a point that is low and flat enough; returns it, its distance, and how often it looked.

    Nocedal and Wright, "Numerical optimization", algorithms 3.5 and 3.6: low enough by `c1`, and
    flat enough by `c2`. As in PyTorch it looks once, and `most_looks` times more at most.
    """
    longest = float(direction.abs().amax())
    looks = 0

    def tried(distance: float) -> _Try:
        nonlocal looks
        looks += 1
        at = look(distance)
        return _Try(distance, at, float(at.gradient @ direction))

    def is_high(it: _Try) -> bool:
        return not it.at.loss <= start.loss + c1 * it.far * slope

    before, now = _Try(0.0, start, slope), tried(far)
    bracket: list[_Try] = []
    while looks <= most_looks:
        if is_high(now) or (looks > 2 and now.at.loss >= before.at.loss):
            bracket = [before, now]
            break
        if abs(now.slope) <= -c2 * slope:
            return now.at, now.far, looks
        if now.slope >= 0:
            bracket = [before, now]
            break
        low, high = now.far + 0.01 * (now.far - before.far), now.far * 10
        before, now = now, tried(_lowest(before, now, low, high))
    if not bracket:
        bracket = [_Try(0.0, start, slope), now]
    is_stuck = False
    while looks <= most_looks:
        low_end, high_end = sorted(bracket, key=lambda it: it.at.loss)
        near, away = sorted((bracket[0].far, bracket[1].far))
        if (away - near) * longest < tolerance_change:
            break
        distance = _lowest(bracket[0], bracket[1], near, away)
        margin = 0.1 * (away - near)
        if min(away - distance, distance - near) < margin:
            # Too near an end: once it may be; the second time it is moved inwards.
            if is_stuck or distance >= away or distance <= near:
                is_closer = abs(distance - away) < abs(distance - near)
                distance = away - margin if is_closer else near + margin
                is_stuck = False
            else:
                is_stuck = True
        else:
            is_stuck = False
        it = tried(distance)
        if is_high(it) or it.at.loss >= low_end.at.loss:
            bracket = [low_end, it]
            continue
        if abs(it.slope) <= -c2 * slope:
            return it.at, it.far, looks
        if it.slope * (high_end.far - low_end.far) >= 0:
            high_end = low_end
        bracket = [high_end, it]
    best = min(bracket, key=lambda it: it.at.loss)
    return best.at, best.far, looks
