"""What a history of memory adds to a training step. Must reach: 5 % by lines, 15 % with stacks."""

from collections.abc import Callable, Iterator
from functools import partial

import garboard as gb
import race
import training

MUST = {"site": 1.05, "stack": 1.15}


def step_ns(step: Callable[[], object], steps: int, level: str) -> float:
    """Nanoseconds a step takes while `level` is recorded; starting and ending it is not counted."""
    gb.memory._record_memory_history(level, max_entries=10_000)
    took = race.ns_of(step, steps)
    gb.memory._record_memory_history("off")
    return took


def rows() -> Iterator[race.Result]:
    for sizes, batch, steps in (((4, 16, 16, 3), 16, 200), ((64, 128, 128, 10), 64, 30)):
        step = training.step_of(gb, sizes, batch)
        costs = {level: partial(step_ns, step, steps, level) for level in ("off", *MUST)}
        ratios = race.ratios_by_turns(costs)
        name = "-".join(map(str, sizes))
        for level, most in MUST.items():
            what = f"history of {level}s: step of {name} / without"
            yield race.at_most(what, {"garboard": ratios[level]}, most, "")
