"""One float32 element from Python: what a call costs. Must reach: a fifth of NumPy's `a + b`.

Statements run inside a compiled loop, as a user's do; the loop's own time is taken off.
"""

from collections.abc import Iterator
from typing import Any

import garboard as gb
import race
from peers import NAMES, np, torch

CALLS = 20_000


def rows() -> Iterator[race.Race]:
    one = {"garboard": gb.ones(1), "numpy": np.ones(1, np.float32)}
    graded = gb.ones(1, requires_grad=True)
    if torch:
        one["torch"] = torch.ones(1)

    matrices = {name: x.reshape(1, 1) for name, x in one.items()}
    makers = {"garboard": gb.empty, "numpy": np.empty}
    if torch:
        makers["torch"] = torch.empty

    def contest(
        what: str,
        must: float,
        statement: str,
        given: dict[str, Any] = one,
        against: tuple[str, ...] = NAMES,
    ) -> race.Race:
        entries = {name: race.looped(statement, CALLS, "y = x", x=x) for name, x in given.items()}
        return race.of_loops(what, entries, must, CALLS, against)

    numpy_alone = ("numpy",)
    recorded = {"garboard": graded, "numpy": one["numpy"]}
    with gb.dispose_scope("bench"):
        yield contest("a + b, one element, in a scope", 5, "x + x", against=numpy_alone)
        yield contest("a + b with gradient / NumPy's plain", 4, "x + x", recorded, numpy_alone)
        yield contest("a + 1.5", 3, "x + 1.5")
        yield contest("-a", 3, "-x")
        yield contest("a.sum()", 3, "x.sum()")
        yield contest("a *= b", 3, "y *= x")
        yield contest("a @ b, 1 x 1", 3, "x @ x", matrices)
        yield contest("a[0]", 2, "x[0]")
        yield contest("a.T", 2, "x.T", matrices)
        yield contest("a.reshape(-1)", 2, "x.reshape(-1)")
        yield contest("empty(1)", 2, "x(1)", makers)
        yield contest("a.shape", 2, "x.shape")
        yield contest("a.item()", 2, "x.item()")
