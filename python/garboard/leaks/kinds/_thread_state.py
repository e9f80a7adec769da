"""A thread or a context keeps tensors of its own, in a thread-local or a context variable.

    local.outputs.append(y)     # leaks: once for every thread of the pool
    local.output = y            # overwritten

Evidence: a `threading.local` or a `ContextVar` is on the way.
"""

from __future__ import annotations

import threading

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import passes
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]

_EDGES = ("thread-local", "context variable")


def _fits(group: Group) -> bool:
    return passes(group, threading.local) or any(link.edge.kind in _EDGES for link in group.chain)


def _fix(group: Group) -> str:
    variable = next((it for it in group.chain if it.edge.kind == "context variable"), None)
    if variable is None:
        return "overwrite the thread-local value, or clear it when a task ends"
    name = variable.edge.name
    return f"keep the token of {name}.set(...), and call {name}.reset(token) when the step ends"


KIND = Kind(
    name="thread-state",
    family="THREAD",
    text=__doc__ or "",
    rank=90,
    fits=_fits,
    fix_group=_fix,
)
