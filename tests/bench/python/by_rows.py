"""Functions of whole rows, and losses and norms with their gradients. Must reach: 1.3 times
the best peer. Bound: reading and writing each row once, its exponentials.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import garboard as gb
import race
from peers import torch

SHAPES = ((64, 1000), (1024, 1024), (4096, 1000))


def rows() -> Iterator[race.Race]:
    for shape in SHAPES:
        x = gb.rand(*shape)
        given: dict[str, tuple[Any, Any]] = {"garboard": (gb, x)}
        if torch:
            given["torch"] = (torch, torch.from_numpy(x.numpy()))
        calls = max(1, (4 << 20) // x.numel())
        for name in ("softmax", "log_softmax"):
            entries = {
                peer: partial(getattr(space.nn.functional, name), x, 1)
                for peer, (space, x) in given.items()
            }
            yield race.Race(f"{name}(1), {shape[0]} x {shape[1]}", entries, 1.3, calls)
    yield race.Race("cross_entropy, 512 x 1000, with its gradient", losses(), 1.3, 4)
    yield race.Race("layer_norm, 512 x 768, with its gradients", norms(), 1.3, 4)


def norms() -> dict[str, Callable[[], object]]:
    """Layer norm of 512 rows, forward and backward."""
    rows = gb.rand(512, 768)
    entries = {"garboard": norm_of(gb, rows)}
    if torch:
        entries["torch"] = norm_of(torch, torch.from_numpy(rows.numpy()))
    return entries


def norm_of(space: Any, rows: Any) -> Callable[[], object]:
    leaf, slopes = rows.clone().requires_grad_(), space.ones_like(rows)
    layer = space.nn.LayerNorm(768)

    def run() -> None:
        leaf.grad = layer.weight.grad = layer.bias.grad = None
        layer(leaf).backward(slopes)

    return run


def losses() -> dict[str, Callable[[], object]]:
    """A mean cross-entropy of 512 rows, forward and backward."""
    scores, classes = gb.rand(512, 1000), gb.zeros(512, dtype=gb.int64)
    entries = {"garboard": loss_of(gb, scores, classes)}
    if torch:
        given = (torch.from_numpy(tensor.numpy()) for tensor in (scores, classes))
        entries["torch"] = loss_of(torch, *given)
    return entries


def loss_of(space: Any, scores: Any, classes: Any) -> Callable[[], object]:
    leaf = scores.clone().requires_grad_()

    def run() -> None:
        leaf.grad = None
        space.nn.functional.cross_entropy(leaf, classes).backward()

    return run
