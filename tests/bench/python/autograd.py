"""A chain of one-element products, forward and backward. Must reach: 15 times PyTorch's speed."""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import torch

LENGTH = 200


def chain_of(space: Any) -> Callable[[], object]:
    x = space.ones(1, requires_grad=True)
    factor = space.ones(1)

    def run() -> None:
        y = x
        for _ in range(LENGTH):
            y = y * factor
        x.grad = None
        y.backward()

    return run


def rows() -> Iterator[race.Race]:
    entries = {"garboard": chain_of(gb)}
    if torch:
        entries["torch"] = chain_of(torch)
    yield race.Race("chain of products, forward + backward, each", entries, 15, 20, runs=LENGTH)
