"""What scopes and the leak watcher cost, and what is kept: see kept.py.

Must reach: 400 ns to enter and leave a scope, 15 ns a tensor to adopt and dispose, 3 ns for each
scope further out, whose bytes are counted too, and 3 % of a training step that is watched.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial

import garboard as gb
import kept
import race
import training

TENSORS = 1000
SCOPES = 1000
SUMS = 100_000


def rows() -> Iterator[race.Budget | race.Result]:
    scope = gb.dispose_scope
    x = gb.ones(1)
    times = range(TENSORS)

    def enter_and_leave() -> None:
        for _ in range(SCOPES):
            with scope("step"):
                pass

    def empty_loop() -> None:
        for _ in range(SCOPES):
            pass

    def make_in_scope() -> None:
        with scope("step"):
            kept = [x.alias() for _ in times]
        del kept

    def make_outside() -> None:
        kept = [x.alias() for _ in times]
        del kept

    yield race.Budget(
        "scope: enter + exit, with a name",
        {"scope": enter_and_leave, "loop": empty_loop},
        lambda ns: (ns["scope"] - ns["loop"]) / SCOPES,
        most_ns=400,
        calls=20,
    )
    yield race.Budget(
        "scope: adopt + dispose, per tensor",
        {"inside": make_in_scope, "outside": make_outside},
        lambda ns: (ns["inside"] - ns["outside"]) / TENSORS,
        most_ns=15,
        calls=20,
    )
    yield race.Budget(
        "a + b, for each scope further out",
        {"ten": lambda: sums_inside(10), "one": lambda: sums_inside(1)},
        lambda ns: (ns["ten"] - ns["one"]) / 9 / SUMS,
        most_ns=3,
    )
    step = training.step_of(gb, (4, 16, 16, 3), 16)
    costs = {"plain": partial(race.ns_of, step, 200), "watched": partial(watched_ns, step, 200)}
    ratios = race.ratios_by_turns(costs)
    what = "watched step of 4-16-16-3 / without"
    yield race.at_most(what, {"garboard": ratios["watched"]}, 1.03, "")
    yield from kept.rows()


def sums_inside(depth: int) -> None:
    """Sums of one element inside so many scopes."""
    x = gb.ones(1)
    with ExitStack() as stack:
        for _ in range(depth):
            stack.enter_context(gb.dispose_scope("outer"))
        for _ in range(SUMS):
            x + x


def watched_ns(step: Callable[[], object], steps: int) -> float:
    """Nanoseconds of a step that ends with the watcher's; its reports are not counted."""
    with gb.leaks.watch() as watch:

        def watched() -> None:
            step()
            watch.step()

        return race.ns_of(watched, steps)
