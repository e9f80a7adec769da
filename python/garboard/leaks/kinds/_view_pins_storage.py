"""A small view keeps a large storage alive.

    keep.append(batch[0])            # leaks: a row, and the memory of the whole batch
    keep.append(batch[0].clone())    # keeps the row

Evidence: the living views of a storage cover less than a tenth of it. PINNED from 1 MiB on, LEAK
where it happens at every step.
"""

from __future__ import annotations

from garboard._engine import human_bytes
from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.evidence._views import LEAST_PINNED
from garboard.leaks.findings._fixes import patch_stored_bounded, stored_bounded
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._leak import Verdict
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression

__all__ = ["KIND"]


def _standing(group: Group) -> Verdict | None:
    return "PINNED" if group.pinned_bytes >= LEAST_PINNED else None


def _figures(group: Group) -> str:
    viewed = sum(it.nbytes for it in group.survivors)
    return f"{human_bytes(viewed)} of views pin {human_bytes(group.pinned_bytes)}"


def _fix(group: Group) -> str:
    if line := stored_bounded(group, _ending):
        return line
    name = expression(group.named) or "it"
    return f"store copies in {name}, made by .clone(): each lets its storage go"


def _ending(stored: Survivor) -> str:
    return "clone" if stored.is_view else ""


KIND = Kind(
    name="view-pins-storage",
    family="VIEW",
    text=__doc__ or "",
    rank=10,
    fits=lambda group: group.pinned_bytes > 0,
    standing=_standing,
    nbytes=lambda group: group.pinned_bytes,
    figures=_figures,
    fix_group=_fix,
    patch_group=lambda group: patch_stored_bounded(group, _ending),
)
