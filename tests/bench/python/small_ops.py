"""One float32 element from Python: what a call costs. Must reach: a fifth of NumPy's `a + b`.

Statements run inside a compiled loop, as a user's do; the loop's own time is taken off.
"""

from collections.abc import Callable, Iterator
from timeit import Timer

import garboard as gb
import race
from peers import np, torch

CALLS = 20_000


def looped(statement: str, **names: object) -> Callable[[], object]:
    """`CALLS` runs of a statement, in a loop without function calls."""
    timer = Timer(statement, globals=names)
    return lambda: timer.timeit(CALLS)


def rows() -> Iterator[race.Race]:
    one = {"garboard": gb.ones(1), "numpy": np.ones(1, np.float32)}
    graded = gb.ones(1, requires_grad=True)
    if torch:
        one["torch"] = torch.ones(1)

    def contest(
        statement: str, only: tuple[str, ...] = tuple(one)
    ) -> dict[str, Callable[[], object]]:
        entries = {name: looped(statement, x=x) for name, x in one.items() if name in only}
        return entries | {"loop": looped("x", x=None)}

    numpy_alone = ("numpy",)
    with gb.dispose_scope("bench"):
        yield race.Race(
            "a + b, one element, in a scope", contest("x + x"), 5, 1, numpy_alone, "loop", CALLS
        )
        recorded = contest("x + x", numpy_alone) | {"garboard": looped("x + x", x=graded)}
        yield race.Race(
            "a + b with gradient / NumPy's plain", recorded, 4, 1, numpy_alone, "loop", CALLS
        )
        yield race.Race("a + 1.5", contest("x + 1.5"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race("-a", contest("-x"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.sum()", contest("x.sum()"), 3, 1, baseline="loop", runs=CALLS)
        yield race.Race("a[0]", contest("x[0]"), 2, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.shape", contest("x.shape"), 2, 1, baseline="loop", runs=CALLS)
        yield race.Race("a.item()", contest("x.item()"), 2, 1, baseline="loop", runs=CALLS)
