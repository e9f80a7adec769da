"""What has survived, in the steps of one watch instead of those that births are stamped with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from garboard._shown.site import line_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._rows import Births, Key, Node, Since, Survivor, Unheld
from garboard.leaks.evidence._steps import Steps

__all__ = ["cohorts", "nodes", "registered_hooks", "survivors", "unheld"]


def survivors(
    evidence: Evidence,
    since: int,
    steps: Steps | None = None,
    with_graph: bool = False,
    storages: Sequence[int] | None = None,
    most: int = 0,
) -> Iterator[Survivor]:
    """Yield living tensors as the evidence does; without steps, all are of step 0."""
    for row in evidence.survivors(since, with_graph, storages, most):
        row.step = steps.own(row.step) if steps else 0
        yield row


def nodes(evidence: Evidence, since: int, steps: Steps | None = None) -> dict[int, Node]:
    """Return the living graph nodes born since a serial, by serial, oldest first."""
    found = {}
    for row in evidence.nodes(since):
        row.step = steps.own(row.step) if steps else 0
        found[row.serial] = row
    return found


def unheld(evidence: Evidence, since: int, steps: Steps | None = None) -> list[Unheld]:
    """Return the living storages that no tensor of Python's has, oldest first."""
    found = []
    for row in evidence.unheld(since):
        row.step = steps.own(row.step) if steps else 0
        found.append(row)
    return found


def registered_hooks(evidence: Evidence) -> list[tuple[int, int]]:
    """Return the site and step of each hook that is registered now."""
    return [birth for _, births in evidence.hooks() for birth in births.values()]


def cohorts(
    evidence: Evidence, since: Since, steps: Steps, first: int, last: int
) -> dict[Key, dict[int, int]]:
    """Count the survivors born in own steps `first` to `last`, by line and birth step."""
    found: dict[Key, dict[int, int]] = {}
    hooks = [Births("hook", site, step, 1) for site, step in registered_hooks(evidence)]
    for what, site, global_step, number in (
        *evidence.births(since, *steps.global_range(first, last)),
        *hooks,
    ):
        step = steps.own(global_step)
        if first <= step <= last and step not in steps.warm:
            group = found.setdefault(Key(what, line_of(site)), {})
            group[step] = group.get(step, 0) + number
    return found
