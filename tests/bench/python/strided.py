"""Operands that do not lie as the result does. Must reach: three times the best peer
where one is transposed, and its speed where one is repeated. Bound: 12 bytes an element, for a copy
8."""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import np, torch


def rows() -> Iterator[race.Race]:
    x, y = gb.rand(1024, 1024), gb.rand(1024, 1024)
    operands: dict[str, tuple[Any, Any]] = {"garboard": (x, y), "numpy": (x.numpy(), y.numpy())}
    if torch:
        operands["torch"] = (torch.from_numpy(x.numpy()), torch.from_numpy(y.numpy()))

    def contest(op: Callable[[Any, Any], object]) -> dict[str, Callable[[], object]]:
        return {name: lambda a=a, b=b: op(a, b) for name, (a, b) in operands.items()}

    def copied(a: Any, _: Any) -> object:
        return np.ascontiguousarray(a.T) if isinstance(a, np.ndarray) else a.T.contiguous()

    yield race.Race("x.T + y, 1024 x 1024", contest(lambda a, b: a.T + b), 3.0, 4)
    yield race.Race("copy of x.T, 1024 x 1024", contest(copied), 3.0, 4)
    yield race.Race("x + row, 1024 x 1024", contest(lambda a, b: a + b[0]), 1.0, 4)
    yield race.Race("x + column, 1024 x 1024", contest(lambda a, b: a + b[:, :1]), 1.0, 4)
    across = "64 x 1 x 256 + 1 x 128 x 256"
    yield race.Race(across, contest(outer_sum), 1.0, 4)


def outer_sum(a: Any, _: Any) -> object:
    return a[:16].reshape(64, 1, 256) + a[16:48].reshape(1, 128, 256)
