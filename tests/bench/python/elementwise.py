"""Elementwise results, fresh ones, from 4 KiB to 256 MiB. Must reach: three times the best peer at
2^10, where calling costs most; its speed up to 2^22; twice that from 2^23 on, where peers take new
pages from the system at every call and we reuse warm ones.

Bound: 12 bytes an element for `a + b` over the memory's bandwidth, 8 for a function of one input.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import garboard as gb
import race
from peers import np, torch

SMALL, MIDDLE = 10, 20
POWERS = (SMALL, 14, 16, 18, MIDDLE, 22, 24, 26)
CHAINED = 24
BEYOND = 23  # results from this power of two on are pages that the system has taken back

Said = tuple[str, Callable[..., object] | None]  # a statement, and what `f` is in it

FURTHER = ("log1p", "expm1", "log2", "exp2", "tan", "asin", "atan", "sinh", "lgamma", "erfinv")

OF_NUMPY = {"relu": partial(np.maximum, 0.0), "sigmoid": lambda x: 1 / (1 + np.exp(-x))}


class Contest:
    """Rows of one size: the same statement of every space's own tensors `x` and `y`."""

    def __init__(self, power: int) -> None:
        x, y = gb.rand(1 << power), gb.rand(1 << power)
        ours = {"x": x, "y": y, "is_less": x < y}
        self.must = 3.0 if power == SMALL else 2.0 if power >= BEYOND else 1.0
        self.calls = min(5000, max(1, (1 << 25) >> power))
        self.size = f"2^{power}, fresh"
        self.given: dict[str, dict[str, Any]] = {"garboard": {"space": gb, **ours}}
        arrays = {name: tensor.numpy() for name, tensor in ours.items()}
        self.given["numpy"] = {"space": np, **arrays}
        if torch:
            shared = {name: torch.from_numpy(array) for name, array in arrays.items()}
            self.given["torch"] = {"space": torch, **shared}

    def statement(
        self, what: str, statement: str, must: float | None = None, **numpys: str
    ) -> race.Race:
        """`numpys` may say it otherwise for NumPy."""
        return self._row(
            what,
            dict.fromkeys(self.given, (statement, None))
            | {peer: (otherwise, None) for peer, otherwise in numpys.items()},
            must,
        )

    def function(self, name: str, statement: str = "f(x)") -> race.Race:
        """`f` is each space's function of that name; a space without it stays out."""
        found = {peer: getattr(of["space"], name, None) for peer, of in self.given.items()}
        found["numpy"] = found["numpy"] or OF_NUMPY.get(name)
        return self._row(name, {peer: (statement, f) for peer, f in found.items() if f})

    def fused(
        self, what: str, statement: str, must: float, f: Callable[[Any, Any], Any]
    ) -> race.Race:
        """Ours, `f`, in a block of `fuse`, of tensors that no array shares."""
        given = self.given["garboard"]
        own = {**given, "x": given["x"].clone(), "y": given["y"].clone()}
        contestants = {
            peer: race.looped(statement, self.calls, **of) for peer, of in self.given.items()
        }
        contestants["garboard"] = race.looped("f(x, y)", self.calls, **own, f=gb.fuse(f))
        return race.of_loops(f"{what}, {self.size}", contestants, must, self.calls)

    def gelu(self, what: str, form: str) -> race.Race:
        spaces = {peer: given["space"] for peer, given in self.given.items() if peer != "numpy"}
        found = {
            peer: ("f(x)", partial(space.nn.functional.gelu, approximate=form))
            for peer, space in spaces.items()
        }
        return self._row(what, found)

    def _row(self, what: str, of: dict[str, Said], must: float | None = None) -> race.Race:
        contestants = {
            peer: race.looped(statement, self.calls, **self.given[peer], f=f)
            for peer, (statement, f) in of.items()
        }
        return race.of_loops(f"{what}, {self.size}", contestants, must or self.must, self.calls)


def rows() -> Iterator[race.Race]:
    for power in POWERS:
        contest = Contest(power)
        yield contest.statement("a + b", "x + y")
        yield contest.statement("a * b", "x * y")
        if power == CHAINED:
            yield contest.statement("(a + b) * a - b", "(x + y) * x - y", 1.2)
            chain = "(x + y) * x - y"
            yield contest.fused("fused (a + b) * a - b", chain, 2.0, lambda x, y: (x + y) * x - y)
            yield contest.fused(
                "fused ((a - b) ** 2).mean()",
                "((x - y) ** 2).mean()",
                2.0,
                lambda x, y: ((x - y) ** 2).mean(),
            )
        for name in ("exp", "tanh", "relu", "sigmoid"):
            yield contest.function(name)
        yield contest.gelu("gelu", "none")
        yield contest.function("where", "f(is_less, x, y)")
        yield contest.statement("as float64", "x.double()", numpy="x.astype('float64')")
        if power == MIDDLE:  # where arithmetic counts most
            for name in (*("log", "sin", "cos", "erf"), *FURTHER):
                yield contest.function(name)
            for name in ("pow", "atan2", "hypot", "logaddexp", "fmod", "xlogy"):
                yield contest.function(name, "f(x, y)")
            yield contest.gelu("gelu by tanh", "tanh")
