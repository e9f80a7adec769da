"""What has survived, in the steps of one watch instead of those that births are stamped with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from garboard._shown.site import line_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._rows import Births, Key, Since, Survivor
from garboard.leaks.evidence._steps import Steps

__all__ = ["cohorts", "registered_hooks", "survivors"]


def survivors(
    evidence: Evidence,
    since: int,
    steps: Steps | None = None,
    storages: Sequence[int] | None = None,
    most: int = 0,
) -> Iterator[Survivor]:
    """Yield living tensors as the evidence does; without steps, all are of step 0."""
    for row in evidence.survivors(since, storages=storages, most=most):
        row.step = steps.own(row.step) if steps else 0
        yield row


def registered_hooks(evidence: Evidence) -> list[tuple[int, int]]:
    """Return the site and step of each hook that is registered now."""
    return [birth for _, births in evidence.hooks() for birth in births.values()]


def cohorts(
    evidence: Evidence, since: Since, steps: Steps, first: int, last: int
) -> dict[Key, dict[int, int]]:
    """Count the survivors born in own steps `first` to `last`, by line and birth step."""
    found: dict[Key, dict[int, int]] = {}
    born = evidence.births(since, *steps.global_range(first, last))
    if tables := evidence.hooks():
        hooks = [birth for _, births in tables for birth in births.values()]
        born = [*born, *(Births("hook", site, step, 1) for site, step in hooks)]
    for what, site, global_step, number in born:
        step = steps.own(global_step)
        if first <= step <= last and step not in steps.warm:
            group = found.setdefault(Key(what, line_of(site)), {})
            group[step] = group.get(step, 0) + number
    return found
