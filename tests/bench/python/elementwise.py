"""Elementwise results, fresh ones: small in cache, and 64 MiB. Must reach: three times the best
peer at 2^10, where calling costs most; 1.5 times at 64 MiB, where peers take new pages from the
system at every call and we reuse warm ones.

Bound: 12 bytes an element for `a + b` over the memory's bandwidth, 8 for a function of one input.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import garboard as gb
import race
from peers import np, torch

LARGE = 1 << 24  # float32: 64 MiB
MIDDLE = 1 << 20
SMALL = 1 << 10

OF_NUMPY = {"relu": partial(np.maximum, 0.0), "sigmoid": lambda x: 1 / (1 + np.exp(-x))}


class Contest:
    """Rows of one size: the same statement of every space's own tensors `x` and `y`."""

    def __init__(self, count: int, calls: int) -> None:
        ours = {"x": gb.rand(count), "y": gb.rand(count)}
        self.calls = calls
        self.size = f"2^{count.bit_length() - 1}, fresh"
        self.given: dict[str, dict[str, Any]] = {"garboard": {"space": gb, **ours}}
        arrays = {name: tensor.numpy() for name, tensor in ours.items()}
        self.given["numpy"] = {"space": np, **arrays}
        if torch:
            shared = {name: torch.from_numpy(array) for name, array in arrays.items()}
            self.given["torch"] = {"space": torch, **shared}

    def statement(self, what: str, must: float, statement: str) -> race.Race:
        return self._row(what, must, statement, {name: None for name in self.given})

    def function(self, name: str, must: float, statement: str = "f(x)") -> race.Race:
        """`f` is each space's function of that name; a space without it stays out."""
        found = {peer: getattr(given["space"], name, None) for peer, given in self.given.items()}
        found["numpy"] = found["numpy"] or OF_NUMPY.get(name)
        return self._row(name, must, statement, {peer: f for peer, f in found.items() if f})

    def gelu(self, what: str, form: str) -> race.Race:
        spaces = {peer: given["space"] for peer, given in self.given.items() if peer != "numpy"}
        found = {
            peer: partial(space.nn.functional.gelu, approximate=form)
            for peer, space in spaces.items()
        }
        return self._row(what, 1.0, "f(x)", found)

    def _row(
        self, what: str, must: float, statement: str, of: dict[str, Callable[..., object] | None]
    ) -> race.Race:
        contestants = {
            peer: race.looped(statement, self.calls, **self.given[peer], f=f)
            for peer, f in of.items()
        }
        return race.of_loops(f"{what}, {self.size}", contestants, must, self.calls)


def rows() -> Iterator[race.Race]:
    for count, calls, must in ((SMALL, 5000, 3.0), (MIDDLE, 50, 1.0), (LARGE, 2, 1.5)):
        contest = Contest(count, calls)
        yield contest.statement("a + b", must, "x + y")
        if count == LARGE:
            yield contest.statement("(a + b) * a - b", 1.2, "(x + y) * x - y")
        for name in ("exp", "tanh", "relu", "sigmoid"):
            yield contest.function(name, must)
        if count == MIDDLE:  # where arithmetic counts most, of functions that a peer may lack
            for name in ("log", "sin", "cos", "erf"):
                yield contest.function(name, 1.0)
            yield contest.function("pow", 1.0, "f(x, y)")
            yield contest.gelu("gelu", "none")
            yield contest.gelu("gelu by tanh", "tanh")
