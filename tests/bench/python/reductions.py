"""Reductions along either dim and over all. Must reach: the best peer's speed, and twice that for
places of maxima and for variances.

Bound: reading the tensor once, at the speed of the cache or memory it lies in.
"""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import torch

SHAPES = ((1024, 1024), (64, 1 << 20), (1 << 20, 64))
Reduction = Callable[[Any], object]


def reductions_along(dim: int | None) -> Iterator[tuple[str, float, Reduction, Reduction]]:
    """What, what it must reach, how ours and PyTorch's are called, and how NumPy's is."""
    dims = () if dim is None else (dim,)
    yield "sum", 1.0, lambda x: x.sum(*dims), lambda x: x.sum(dim)
    yield "mean", 1.0, lambda x: x.mean(*dims), lambda x: x.mean(dim)
    maximum: Reduction = (lambda x: x.max()) if dim is None else (lambda x: x.amax(dim))
    yield "max", 1.0, maximum, lambda x: x.max(dim)
    yield "argmax", 2.0, lambda x: x.argmax(*dims), lambda x: x.argmax(dim)
    yield "var", 2.0, lambda x: x.var(*dims), lambda x: x.var(dim, ddof=1)


def rows() -> Iterator[race.Race]:
    for shape in SHAPES:
        x = gb.rand(*shape)
        given: dict[str, Any] = {"garboard": x, "numpy": x.numpy()}
        if torch:
            given["torch"] = torch.from_numpy(x.numpy())
        calls = max(1, (10 << 20) // x.numel())
        size = " x ".join(map(str, shape))
        for dim in (0, 1, None):
            for what, must, ours, numpys in reductions_along(dim):
                entries = {
                    peer: lambda x=x, call=numpys if peer == "numpy" else ours: call(x)
                    for peer, x in given.items()
                }
                name = what if dim is None else f"{what}({dim})"
                yield race.Race(f"{name}, {size}", entries, must, calls)
        for dim in (0, 1):
            sums = {peer: lambda x=x, dim=dim: x.cumsum(dim) for peer, x in given.items()}
            yield race.Race(f"cumsum({dim}), {size}", sums, 1.0, max(1, calls // 2))
