"""One training step of networks, eager. Must reach: 10, 2 and 1.2 times PyTorch, by their size."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import garboard as gb
import race
from peers import torch


def step_of(
    space: Any, sizes: tuple[int, ...], rows: int, optimizer_name: str = "Adam"
) -> Callable[[], object]:
    """A step in `space`, garboard or PyTorch: forward, loss, backward, update."""
    layers: list[Any] = []
    for before, after in pairwise(sizes):
        layers += [space.nn.Linear(before, after), space.nn.ReLU()]
    model = space.nn.Sequential(*layers[:-1])
    optimizer = getattr(space.optim, optimizer_name)(model.parameters(), lr=1e-3)
    x, y = space.rand(rows, sizes[0]), space.zeros(rows, dtype=space.int64)
    cross_entropy = space.nn.functional.cross_entropy

    def step() -> None:
        loss = cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def rows() -> Iterator[race.Race]:
    for sizes, batch, calls, must in (
        ((4, 16, 16, 3), 16, 200, 10.0),
        ((784, 128, 10), 32, 20, 2.0),
        ((784, 512, 512, 10), 128, 2, 1.2),
    ):
        for optimizer in ("SGD", "Adam"):
            entries = {"garboard": step_of(gb, sizes, batch, optimizer)}
            if torch:
                entries["torch"] = step_of(torch, sizes, batch, optimizer)
            name = "-".join(map(str, sizes))
            yield race.Race(f"step of {name}, batch {batch}, {optimizer}", entries, must, calls)
