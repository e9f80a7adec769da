"""Runs a cell as a loop, and judges what each step has left."""

from __future__ import annotations

from collections.abc import Callable

from garboard.leaks._watch import LeakWatcher
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.judging._exact import judged
from garboard.leaks.judging._growth import CERTAIN, WARMUP
from garboard.leaks.reports._report import LeakReport

__all__ = ["FEWEST_STEPS", "looped"]

FEWEST_STEPS = WARMUP + 2  # of a single step, what a variable holds would be a leak


def looped(body: Callable[[], object], steps: int, file: str) -> LeakReport:
    """Run a body so many times; as many as a watch needs it watches, fewer it judges exactly.

    Args:
        body: One step.
        steps: How many.
        file: The source file of the loop.
    """
    if steps < CERTAIN:
        return _judged_exactly(body, steps, file)
    with LeakWatcher(on_leak=lambda leak: None) as watch:
        watch._watch_file(file)
        for _ in range(steps):
            body()
            watch.step()
    return watch.report()


def _judged_exactly(body: Callable[[], object], steps: int, file: str) -> LeakReport:
    since, own = EVIDENCE.now(), Steps(EVIDENCE)
    for _ in range(steps):
        body()
        own.advance()
    return LeakReport(*judged(since, own, range(WARMUP + 1, steps + 1), loop_file=file))
