"""A thread or a context keeps tensors of its own, in a thread-local or a context variable.

    local.outputs.append(y)     # leaks: once for every thread of the pool
    local.output = y            # overwritten

So does each thread that never ends, in the variables of its function.

Evidence: a `threading.local` or a `ContextVar` is on the way; or frames of many threads, or what
they were begun with.
"""

from __future__ import annotations

import threading

from garboard._shown.site import site_of
from garboard.leaks.findings._fixes import filled_bounded
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import passes
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._source import variable_called
from garboard.leaks.holders._unasked import attributes_of

__all__ = ["KIND"]

_EDGES = ("thread-local", "context variable")


def _fits(group: Group) -> bool:
    if group.is_of_threads or _is_of_their_arguments(group):
        return True
    return passes(group, threading.local) or any(link.edge.kind in _EDGES for link in group.chain)


def _is_of_their_arguments(group: Group) -> bool:
    return group.holder is attributes_of(threading).get("_active")


def _fix(group: Group) -> str:
    if group.is_of_threads or _is_of_their_arguments(group):
        return "end each thread, or use a pool: one that waits keeps its arguments and variables"
    if is_container(group.holder) and (statement := filled_bounded(group, "clear it when it ends")):
        return statement
    variable = next((it for it in group.chain if it.edge.kind == "context variable"), None)
    if variable is None:
        return "overwrite the thread-local value, or clear it when a task ends"
    site = site_of(group.survivors[-1].site)
    name = variable_called(site.file, variable.edge.name)
    if is_container(group.holder):
        return f"take items out of {name}.get() when they are done, or {name}.set() it anew"
    return f"keep the token of {name}.set(...), and call {name}.reset(token) when the step ends"


KIND = Kind(
    name="thread-state",
    family="THREAD",
    text=__doc__ or "",
    rank=90,
    fits=_fits,
    fix_group=_fix,
)
