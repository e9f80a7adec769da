"""One float32 element from Python: what a call costs. Must reach: a fifth of NumPy's `a + b`.

Statements run inside a compiled loop, as a user's do; the loop's own time is taken off.
"""

from collections.abc import Callable, Iterator
from timeit import Timer
from typing import Any

import garboard as gb
import race
from peers import np, torch

CALLS = 20_000


def looped(statement: str, **names: object) -> Callable[[], object]:
    """`CALLS` runs of a statement, in a loop without function calls."""
    timer = Timer(statement, "y = x", globals=names)
    return lambda: timer.timeit(CALLS)


def rows() -> Iterator[race.Race]:
    one = {"garboard": gb.ones(1), "numpy": np.ones(1, np.float32)}
    graded = gb.ones(1, requires_grad=True)
    if torch:
        one["torch"] = torch.ones(1)

    matrices = {name: x.reshape(1, 1) for name, x in one.items()}
    makers = {"garboard": gb.empty, "numpy": np.empty}
    if torch:
        makers["torch"] = torch.empty

    def contest(statement: str, given: dict[str, Any] = one) -> dict[str, Callable[[], object]]:
        entries = {name: looped(statement, x=x) for name, x in given.items()}
        return entries | {"loop": looped("x", x=None)}

    numpy_alone = ("numpy",)
    with gb.dispose_scope("bench"):
        yield race.Race(
            "a + b, one element, in a scope", contest("x + x"), 5, 1, numpy_alone, "loop", CALLS
        )
        recorded = contest("x + x", {"garboard": graded, "numpy": one["numpy"]})
        yield race.Race(
            "a + b with gradient / NumPy's plain", recorded, 4, 1, numpy_alone, "loop", CALLS
        )
        yield race.Race("a + 1.5", contest("x + 1.5"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race("-a", contest("-x"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.sum()", contest("x.sum()"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race("a *= b", contest("y *= x"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race(
            "a @ b, 1 x 1", contest("x @ x", matrices), 3, 1, baseline="loop", runs=CALLS
        )
        yield race.Race("a[0]", contest("x[0]"), 2, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.T", contest("x.T", matrices), 2, 1, baseline="loop", runs=CALLS)
        yield race.Race(
            "a.reshape(-1)", contest("x.reshape(-1)"), 2, 1, baseline="loop", runs=CALLS
        )
        yield race.Race("empty(1)", contest("x(1)", makers), 2, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.shape", contest("x.shape"), 2, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.item()", contest("x.item()"), 2, 1, baseline="loop", runs=CALLS)
