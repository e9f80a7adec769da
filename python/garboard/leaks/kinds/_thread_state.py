"""A thread keeps tensors of its own, in a thread-local.

    local.outputs.append(y)     # leaks: once for every thread of the pool
    local.output = y            # overwritten

Evidence: a `threading.local` is on the way.
"""

from __future__ import annotations

import threading

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import passes
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    return passes(group, threading.local) or any(
        link.edge.kind == "thread-local" for link in group.chain
    )


KIND = Kind(
    name="thread-state",
    family="THREAD",
    text=__doc__ or "",
    rank=90,
    fits=_fits,
    fix="overwrite the thread-local value, or clear it when a task ends",
)
