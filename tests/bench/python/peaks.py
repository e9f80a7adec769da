"""The most that a program has live, all its tensors. Must reach: 0.9 of PyTorch's, 0.7 in networks.

Ours is what the allocator's books say, PyTorch's what its profiler has recorded: see recording.py.
"""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import garboard as gb
import race
from networks import NETWORKS
from peers import torch

MUST, MUST_OF_NETWORKS = 0.9, 0.7


def three_steps(space: Any, model: Any, optimizer_name: str, x: Any, y: Any) -> None:
    optimizer = getattr(space.optim, optimizer_name)(model.parameters(), lr=0.01)
    for _ in range(3):
        loss = space.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def training(
    space: Any, sizes: tuple[int, ...], rows: int, optimizer_name: str
) -> Callable[[], None]:
    """Three training steps in `space`, garboard or PyTorch, the model's making included."""

    def program() -> None:
        layers: list[Any] = []
        for before, after in pairwise(sizes):
            layers += [space.nn.Linear(before, after), space.nn.ReLU()]
        model = space.nn.Sequential(*layers[:-1])
        x, y = space.rand(rows, sizes[0]), space.zeros(rows, dtype=space.int64)
        three_steps(space, model, optimizer_name, x, y)

    return program


def network(space: Any, make: Callable[[Any], tuple[Any, Any, Any]]) -> Callable[[], None]:
    """The same of a network of `networks`, by Adam."""

    def program() -> None:
        model, x, y = make(space)
        three_steps(space, model, "Adam", x, y)

    return program


def elementwise(space: Any) -> Callable[[], None]:
    """Twenty ops in a row on 16 MiB, without gradients."""

    def program() -> None:
        x, bias = space.rand(1 << 22), space.rand(1 << 22)
        with space.no_grad():
            for _ in range(5):
                x = space.exp(-(x * bias + bias))

    return program


def peak_of_ours(program: Callable[[], None]) -> int:
    before = gb.cpu.memory_allocated()
    gb.cpu.reset_peak_memory_stats()
    program()
    return gb.cpu.max_memory_allocated() - before


def programs() -> Iterator[tuple[str, float, Callable[[Any], Callable[[], None]]]]:
    for sizes, batch in (
        ((4, 16, 16, 3), 16),
        ((784, 128, 10), 32),
        ((784, 512, 512, 10), 128),
        ((784, 512, 512, 10), 4096),
    ):
        for name in ("SGD", "Adam"):
            what = f"peak: {'-'.join(map(str, sizes))}, batch {batch}, {name}"
            yield what, MUST, partial(training, sizes=sizes, rows=batch, optimizer_name=name)
    yield "peak: 20 ops on 16 MiB, no_grad", MUST, elementwise
    for what, make in NETWORKS.items():
        yield f"peak: {what}, Adam", MUST_OF_NETWORKS, partial(network, make=make)


def rows() -> Iterator[race.Result]:
    for what, must, program in programs():
        figures = {"garboard": float(peak_of_ours(program(gb)))}
        if torch:
            from recording import record

            figures["torch"] = float(record(program(torch)).peak_bytes)
        yield race.at_most_a_share(what, figures, must, "bytes")
