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
        yield race.Race(
            f"var({dim}), 1024 x 1024",
            contest(lambda x, d=dim: x.var(d), lambda x, d=dim: x.var(d, ddof=1)),
            2.0,
            4,
        )
    yield race.Race("sum, 1024 x 1024", contest(lambda x: x.sum(), lambda x: x.sum()), 1.0, 10)
    yield race.Race(
        "softmax(1), 1024 x 1024",
        contest(lambda x: gb.softmax(x, 1), None, lambda x: torch.softmax(x, 1)),
        1.3,
        4,
    )
    for name, call, numpys in (
        ("mean(1)", lambda x: x.mean(1), lambda x: x.mean(1)),
        ("log_softmax(1)", None, None),
    ):
        ours = call or (lambda x: gb.nn.functional.log_softmax(x, 1))
        torchs = call or (lambda x: torch.nn.functional.log_softmax(x, 1))
        must = 1.0 if call else 1.3
        yield race.Race(f"{name}, 1024 x 1024", contest(ours, numpys, torchs), must, 4)
    yield race.Race("cumsum(0), 1024 x 1024", contest(*along(0)), 1.0, 4)
    yield race.Race("cumsum(1), 1024 x 1024", contest(*along(1)), 1.0, 4)
    yield race.Race("cross_entropy, 512 x 1000, with its gradient", losses(), 1.3, 4)
    yield race.Race("layer_norm, 512 x 768, with its gradients", norms(), 1.3, 4)


def along(dim: int) -> tuple[Callable[[Any], object], Callable[[Any], object]]:
    """Running sums of a tensor, and of an array."""
    return lambda x: x.cumsum(dim), lambda x: x.cumsum(dim)


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
