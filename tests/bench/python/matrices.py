"""Contractions and factors of matrices. Must reach: 0.9 times the best peer; all of them call a
LAPACK of one origin, so what differs is what stands around it."""

from collections.abc import Callable, Iterator
from typing import Any

import garboard as gb
import race
from peers import np, torch

CONTRACTIONS = (
    ("ij,jk->ik", (32, 32), (32, 32), 5000),
    ("bhid,bhjd->bhij", (4, 8, 64, 32), (4, 8, 64, 32), 50),
    ("bij,kj->bik", (16, 64, 64), (64, 64), 200),
)


def contraction(equation: str, *shapes: tuple[int, ...]) -> dict[str, Callable[[], Any]]:
    ours = [gb.rand(*shape) for shape in shapes]
    of_numpy = [it.numpy() for it in ours]
    entries: dict[str, Callable[[], Any]] = {
        "garboard": lambda: gb.einsum(equation, *ours),
        "numpy": lambda: np.einsum(equation, *of_numpy, optimize=True),
    }
    if torch:
        theirs = [torch.from_numpy(it) for it in of_numpy]
        entries["torch"] = lambda: torch.einsum(equation, *theirs)
    return entries


def factor(name: str, *given: Any) -> dict[str, Callable[[], Any]]:
    of_numpy = [it.numpy() for it in given]
    entries: dict[str, Callable[[], Any]] = {
        "garboard": lambda: getattr(gb.linalg, name)(*given),
        "numpy": lambda: getattr(np.linalg, name)(*of_numpy),
    }
    if torch:
        theirs = [torch.from_numpy(it) for it in of_numpy]
        entries["torch"] = lambda: getattr(torch.linalg, name)(*theirs)
    return entries


def rows() -> Iterator[race.Race]:
    for equation, *shapes, calls in CONTRACTIONS:
        yield race.Race(f"einsum {equation}", contraction(equation, *shapes), 0.9, calls)
    for n, calls in ((8, 2000), (256, 4)):
        x = gb.rand(n, n)
        positive = x @ x.T + n * gb.eye(n)
        for name, given in (
            ("cholesky", (positive,)),
            ("solve", (positive, x)),
            ("eigh", (positive,)),
            ("svd", (x,)),
        ):
            yield race.Race(f"{name}, {n} x {n}", factor(name, *given), 0.9, calls)
