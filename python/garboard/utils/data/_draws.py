"""Orders of numbers, drawn at random."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import inf, log
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.generator import Generator

__all__ = ["drawn_seed", "picked", "shuffled", "uniform"]


def _checked(op: str, generator: Any) -> Generator | None:
    """Raise TypeError, naming `op`, for what is no generator."""
    if generator is None:
        return None
    return check.of_type(Generator, op, "generator", generator)


def uniform(op: str, count: int, generator: Any) -> list[float]:
    """Numbers in [0, 1)."""
    with _engine.DisposeScope("draw"):
        given = _checked(op, generator)
        drawn = _engine.rand(count, dtype=_engine.float64, device="cpu", generator=given)
        found: list[float] = drawn.tolist()
    return found


def shuffled(op: str, count: int, generator: Any) -> list[int]:
    """The numbers below `count` in any order."""
    keys = uniform(op, count, generator)
    return sorted(range(count), key=keys.__getitem__)


def drawn_seed(op: str, generator: Any) -> int:
    """A seed for others' generators."""
    return int(uniform(op, 1, generator)[0] * (1 << 53))


def picked(
    op: str, weights: list[float], count: int, replacement: bool, generator: Any
) -> list[int]:
    """Places of `weights`, each as likely as its weight says."""
    if not replacement:  # Efraimidis and Spirakis, 2006: the greatest of u^(1/w) are a sample
        draws = uniform(op, len(weights), generator)
        keys = [log(u or 5e-324) / w if w else -inf for u, w in zip(draws, weights, strict=True)]
        return sorted(range(len(weights)), key=keys.__getitem__, reverse=True)[:count]
    ends = list(accumulate(weights))
    last = max(place for place, weight in enumerate(weights) if weight)
    draws = uniform(op, count, generator)
    return [min(bisect_right(ends, u * ends[-1]), last) for u in draws]
