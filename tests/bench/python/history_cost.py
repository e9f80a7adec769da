"""What a history of memory adds to a training step. Must reach: 5 % by lines, 15 % with stacks."""

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter_ns

import garboard as gb
import race
import training

TURNS = 25
MUST = {"site": 1.05, "stack": 1.15}


def step_ns(step: Callable[[], object], level: str, steps: int) -> float:
    """Nanoseconds a step takes while `level` is recorded; starting and ending it is not counted."""
    gb.memory._record_memory_history(level, max_entries=10_000)
    step()
    start = perf_counter_ns()
    for _ in range(steps):
        step()
    took = perf_counter_ns() - start
    gb.memory._record_memory_history("off")
    return took / steps


def rows() -> Iterator[race.Result]:
    for sizes, batch, steps in (((4, 16, 16, 3), 16, 200), ((64, 128, 128, 10), 64, 30)):
        step = training.step_of(gb, sizes, batch)
        ns: dict[str, list[float]] = {level: [] for level in ("off", *MUST)}
        for _ in range(1 + TURNS):
            for level in ns:
                ns[level].append(step_ns(step, level, steps))
        name = "-".join(map(str, sizes))
        for level, most in MUST.items():
            ratio = median(
                with_it / without
                for with_it, without in zip(ns[level][1:], ns["off"][1:], strict=True)
            )
            what = f"history of {level}s: step of {name} / without"
            yield race.at_most(what, {"garboard": ratio}, most, "")
