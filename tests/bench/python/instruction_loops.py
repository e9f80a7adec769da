"""The loops whose instructions are counted. Run by callgrind.py, under valgrind.

Before and after every loop it calls `getppid`, at which valgrind writes down its count: no program
calls that by chance, and no signal or library of our own is needed.
"""

import gc
import os
from collections.abc import Callable

import garboard as gb
from callgrind import STATEMENTS


def small_step() -> Callable[[], None]:
    """A training step of 4-16-16-3 on 16 rows: forward, loss, backward, Adam."""
    nn = gb.nn
    sizes = (nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
    model = nn.Sequential(*sizes)
    optimizer = gb.optim.Adam(model.parameters(), lr=1e-3)
    x, y = gb.rand(16, 4), gb.zeros(16, dtype=gb.int64)

    def step() -> None:
        with gb.dispose_scope("step"):
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    return step


def names() -> dict[str, object]:
    return {
        "gb": gb,
        "x": gb.ones(1),
        "graded": gb.ones(1, requires_grad=True),
        "matrix": gb.ones(2, 2),
        "step": small_step(),
        "watch": gb.leaks.watch().__enter__(),
    }


def looped(statement: str, known: dict[str, object]) -> Callable[[range], None]:
    """A function that runs `statement` for each of a range, as a program's own loop would."""
    found: dict[str, Callable[[range], None]] = {}
    exec(f"def loop(times):\n for _ in times:\n  {statement}\n", known, found)
    return found["loop"]


def main() -> None:
    gc.disable()  # where it would run depends on what was imported
    gb.set_num_threads(1)
    known = names()
    with gb.dispose_scope("counted"):
        for statement, lengths in STATEMENTS.items():
            loop = looped(statement, known)
            loop(range(lengths[0]))  # the interpreter has specialised it by then
            for length in lengths:
                os.getppid()
                loop(range(length))
            os.getppid()


if __name__ == "__main__":
    main()
