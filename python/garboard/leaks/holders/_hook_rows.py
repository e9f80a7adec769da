"""Registered hooks as rows: where and when each was put into its table."""

from __future__ import annotations

from garboard._shown.site import line_of
from garboard.leaks.evidence._carriers import row_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._rows import Survivor, Unheld
from garboard.leaks.evidence._steps import Steps

__all__ = ["hook_rows"]


def hook_rows(evidence: Evidence, steps: Steps) -> list[Survivor]:
    """Return a row for each registered hook."""
    found = []
    for table, births in evidence.hooks():
        for number, (site, step) in births.items():
            birth = Unheld(number, line_of(site), steps.own(step), 0)
            found.append(row_of(table, "hook", birth, 0))
    return found
