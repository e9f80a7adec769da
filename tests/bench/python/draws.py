"""Random numbers, 2^20 of them, into fresh or given memory. Must reach: the best peer's speed.

Bound: the ten rounds of Philox a block of four words; writing 4 bytes an element.
"""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import np, torch

COUNT = 1 << 20
CALLS = 8


def entries(what: Callable[[Any], object], numpys: Callable[[Any], object] | None) -> Any:
    found: dict[str, Callable[[], object]] = {"garboard": lambda: what(gb)}
    if numpys:
        generator = np.random.default_rng(0)
        found["numpy"] = lambda: numpys(generator)
    if torch:
        found["torch"] = lambda: what(torch)
    return found


def rows() -> Iterator[race.Race]:
    places = {space: space.zeros(COUNT) for space in (gb, torch) if space}
    weights = {space: space.rand(50_000) for space in (gb, torch) if space}
    single = np.float32
    for name, what, numpys in (
        ("rand", lambda m: m.rand(COUNT), lambda g: g.random(COUNT, single)),
        ("randn", lambda m: m.randn(COUNT), lambda g: g.standard_normal(COUNT, single)),
        ("normal_", lambda m: places[m].normal_(), None),
        ("bernoulli_", lambda m: places[m].bernoulli_(0.3), None),
        (
            "exponential_",
            lambda m: places[m].exponential_(),
            lambda g: g.standard_exponential(COUNT, single),
        ),
        ("randint", lambda m: m.randint(0, 100, (COUNT,)), lambda g: g.integers(0, 100, COUNT)),
        ("randperm", lambda m: m.randperm(COUNT), lambda g: g.permutation(COUNT)),
    ):
        yield race.Race(f"{name}, 2^20", entries(what, numpys), 1.0, CALLS)
    for replacement in (False, True):
        drawn = entries(lambda m, r=replacement: m.multinomial(weights[m], 1000, r), None)
        yield race.Race(f"multinomial, 1000 of 50,000, {replacement}", drawn, 1.0, CALLS)
