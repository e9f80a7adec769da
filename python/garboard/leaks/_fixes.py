"""What to change, written into the user's own line where that can be read."""

from __future__ import annotations

import ast

from garboard._site import Site, site_of
from garboard.leaks._groups import Group
from garboard.leaks._holders import expression, storing_of
from garboard.leaks._kind import Kind
from garboard.leaks._source import accumulation_at

__all__ = ["fix_for_graph", "fix_for_tensors"]

_GRAPH = {
    Kind.STATE_CARRYOVER: "cut the graph after each step: {name} = {name}.detach()",
    Kind.RETAIN_GRAPH: (
        "drop retain_graph=True on the last backward of a step, and keep {name}.item()"
    ),
    Kind.GRAPH_IN_RUNNING_STAT: "update {name} inside no_grad(), or from {value}.detach()",
    Kind.ACCUMULATED_GRAPH: "add {value}.item() to {name}, or {value}.detach()",
}

_TENSORS = {
    Kind.VIEW_PINS_STORAGE: "store a copy: {name}.clone() lets the storage go",
    Kind.OPTIMIZER_ORPHAN: "drop the optimizer together with its model, or optimizer.dispose() it",
    Kind.RETAINED_EXCEPTION: (
        "keep repr(error), or call traceback.clear_frames(error.__traceback__)"
    ),
    Kind.NOTEBOOK_OUTPUT: "run `%reset -f out`, or end the cell with `;`",
    Kind.NOTEBOOK_OR_TEST_TRACEBACK: (
        "the tool keeps the last error; the next small error replaces it"
    ),
    Kind.LRU_CACHE: "give the cache a maxsize, or use cached_property on the instance",
    Kind.HOOK_CAPTURE: "remove the hook with handle.remove(), or store what .detach().mean() gives",
    Kind.QUEUE_FUTURE_ASYNC: "drop each future after .result(), or bound the queue with maxsize",
    Kind.THREAD_STATE: "overwrite the thread-local value, or clear it when a task ends",
    Kind.DUPLICATE_NETS: (
        "build the net once: override the method that builds it, and let {name} go"
    ),
    Kind.METRIC_STATE: "call {owner}.reset() at the end of each epoch",
    Kind.UNBOUNDED_SHAPE_CACHE: "bucket the shapes, or bound {name}",
    Kind.GLOBAL_REGISTRY: (
        "use weakref.WeakSet for {name}, or take items out of it when they are done"
    ),
    Kind.EXPORT_PIN: "drop the array, capsule or buffer after use",
    Kind.VARIABLE: "del {name} when it is done, or make it inside a dispose_scope()",
    Kind.UNKNOWN: "see who holds it; open a dispose_scope() around the step to end it there",
}


def fix_for_graph(kind: str, site: Site, holder: str, is_scalar: bool) -> str:
    """Return the remedy for a graph that grows at `site` and hangs on `holder`."""
    sum_ = accumulation_at(site.file, site.line)
    value = sum_.value if sum_ and sum_.value else "the new value"
    name = sum_.target if sum_ else holder or "the sum"
    if kind == Kind.ACCUMULATED_GRAPH and sum_ and sum_.is_augmented:
        ending = "item()" if is_scalar else "detach()"
        return f"{name} += {_called(value)}.{ending}"
    return _GRAPH[kind].format(name=name, value=_called(value))


def fix_for_tensors(kind: str, group: Group) -> str:
    """Return the remedy for tensors that pile up behind a holder."""
    name = expression(group.named) or "it"
    if kind == Kind.TENSOR_LIST:
        return _fix_for_list(group, name)
    owner = name.rpartition(".")[0] or "it"
    return _TENSORS.get(kind, _TENSORS[Kind.UNKNOWN]).format(name=name, owner=owner)


def _fix_for_list(group: Group, name: str) -> str:
    newest = group.survivors[-1]
    has_graph = newest.requires_grad or bool(newest.node)
    if newest.shape == ():
        ending, else_ = ".item()", "store numbers: .item()"
    elif has_graph:
        ending, else_ = ".detach()", "store .detach(), or compute inside no_grad()"
    elif len({it.step for it in group.survivors}) == 1:
        return f"take it out of {name} when it is done, or make it inside a dispose_scope()"
    else:
        return f"bound {name}, for instance deque(maxlen=...), or clear it at the end of each epoch"
    storing = storing_of(group.named, site_of(newest.site))
    if storing is not None:
        _, (_, statement, value) = storing
        if value in statement and "\n" not in statement:
            before, _, after = statement.rpartition(value)
            return f"{before}{_called(value)}{ending}{after}"
    return else_


def _called(value: str) -> str:
    """Put an expression into parentheses where a method could not follow it."""
    try:
        node = ast.parse(value, mode="eval").body
    except SyntaxError:
        return value
    is_primary = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    return value if is_primary else f"({value})"
