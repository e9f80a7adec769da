"""A metric collects batches, and is never reset.

    metric.update(prediction)
    ...
    metric.reset()          # at the end of each epoch

Evidence: the container belongs to an object that has `reset()`. GROWING, until epochs are told and
it outlives two of them: LEAK.
"""

from __future__ import annotations

from types import FrameType, FunctionType, ModuleType
from typing import Any

from garboard.leaks.findings._kind import Kind
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._unasked import has_method, is_a

__all__ = ["KIND"]


def _owner(group: Group) -> Any:
    """The object whose attribute or variable the holder is."""
    named = [
        i
        for i in range(1, group.at + 1)
        if group.chain[i].edge.kind in ("attribute", "class attribute", "global", "local")
    ]
    return group.chain[named[-1] - 1].object if named else None


def _fits(group: Group) -> bool:
    owner = _owner(group)
    if owner is None or is_a(owner, (ModuleType, type, FrameType, FunctionType)):
        return False
    return group.is_contained and has_method(owner, "reset")


KIND = Kind(
    name="metric-state",
    family="STATE",
    text=__doc__ or "",
    rank=120,
    fits=_fits,
    is_settled=lambda group: False,
    may_settle=False,
    is_of_one_epoch=True,
    fix="call {owner}.reset() at the end of each epoch",
)
