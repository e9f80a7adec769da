"""Matrix products at one thread. Bound: 2 n^3 operations over the core's multiply-add peak."""

from collections.abc import Iterator

import garboard as gb
import race
from peers import np, torch


def rows() -> Iterator[race.Race]:
    for n, calls, must in ((16, 5000, 2.0), (64, 500, 2.0), (256, 20, 0.95), (1024, 1, 0.95)):
        a = gb.rand(n, n)
        b = a.numpy()
        entries = {"garboard": lambda a=a: a @ a, "numpy": lambda b=b: np.matmul(b, b)}
        if torch:
            c = torch.from_numpy(b)
            entries["torch"] = lambda c=c: c @ c
        yield race.Race(f"a @ b, {n} x {n}", entries, must, calls)
