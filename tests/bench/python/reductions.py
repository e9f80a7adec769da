"""Reductions along either dim, and what works on rows. Must reach: the best peer's speed for sums
and maxima, twice that for places of maxima, 1.3 times for softmax and its like.

Bound: reading the matrix once, 4 MiB, at the speed of the cache it lies in."""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import torch


def rows() -> Iterator[race.Race]:
    square = gb.rand(1024, 1024)
    as_numpy = square.numpy()
    as_torch = torch.from_numpy(as_numpy) if torch else None

    def contest(
        ours: Callable[[Any], object],
        numpys: Callable[[Any], object] | None = None,
        torchs: Callable[[Any], object] | None = None,
    ) -> dict[str, Callable[[], object]]:
        entries: dict[str, Callable[[], object]] = {"garboard": lambda: ours(square)}
        if numpys:
            entries["numpy"] = lambda: numpys(as_numpy)
        if torch:
            entries["torch"] = lambda: (torchs or ours)(as_torch)
        return entries

    for dim in (0, 1):
        yield race.Race(
            f"sum({dim}), 1024 x 1024",
            contest(lambda x, d=dim: x.sum(d), lambda x, d=dim: x.sum(d)),
            1.0,
            10,
        )
        yield race.Race(
            f"max({dim}), 1024 x 1024",
            contest(
                lambda x, d=dim: x.amax(d),
                lambda x, d=dim: x.max(d),
            ),
            1.0,
            10,
        )
        yield race.Race(
            f"argmax({dim}), 1024 x 1024",
            contest(lambda x, d=dim: x.argmax(d), lambda x, d=dim: x.argmax(d)),
            2.0,
            10,
        )
    yield race.Race("sum, 1024 x 1024", contest(lambda x: x.sum(), lambda x: x.sum()), 1.0, 10)
    yield race.Race(
        "softmax(1), 1024 x 1024",
        contest(lambda x: gb.softmax(x, 1), None, lambda x: torch.softmax(x, 1)),
        1.3,
        4,
    )
