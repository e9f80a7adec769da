"""One number made several, as layers of windows take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from garboard._arguments import check

__all__: list[str] = []


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that repeats what it is given `n` times, unless it is several already."""
    count = check.count("_ntuple", "n", n)

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * count

    parse.__name__ = check.text("_ntuple", "name", name)
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """Each of `t` `n` times, the last one first."""
    return tuple([x for x in reversed(t) for _ in range(n)])
