"""Which kind of leak a group of survivors is. First rule that fits.

A rule looks at the objects on the way to the tensor, never at counts: whether something grows is
settled before.
"""

from __future__ import annotations

import logging
import queue
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from types import (
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    ModuleType,
    TracebackType,
)
from typing import Any

from garboard._site import site_of
from garboard.leaks._describe import file_of, loaded_class
from garboard.leaks._graphs import Chain
from garboard.leaks._groups import Group
from garboard.leaks._holders import may_be_emptied
from garboard.leaks._hooks import is_filled_by_hook
from garboard.leaks._kind import Kind
from garboard.leaks._unasked import has_method, is_a, is_cache, keys_of, type_name

__all__ = ["graph_kind", "is_settled", "may_stand", "tensor_kind"]


def graph_kind(chain: Chain, owner: Group | None) -> str:
    """Name what one head of a growing graph is, by the ops between two steps and by its owner."""
    if not chain.is_arithmetic:
        return Kind.STATE_CARRYOVER
    if chain.is_retained:
        return Kind.RETAIN_GRAPH
    edge = owner.chain[-1].edge.kind if owner else ""
    in_object = edge in ("attribute", "item", "class attribute", "thread-local")
    return Kind.GRAPH_IN_RUNNING_STAT if in_object else Kind.ACCUMULATED_GRAPH


def tensor_kind(group: Group) -> str:
    """Name what a group of survivors is."""
    return next((kind for kind, fits in _RULES if fits(group)), Kind.UNKNOWN)


def may_stand(group: Group) -> bool:
    """Tell whether a group can be worth a word although it does not grow."""
    return group.pinned_bytes > 0 or _is_exception(group) or _is_notebook_output(group)


def is_settled(kind: str, group: Group) -> bool:
    """Tell whether growth of this kind is a leak, and not perhaps a buffer that still fills.

    Nobody keeps one-element tensors or whole graphs on purpose where numbers would do; tensors with
    contents may be a replay buffer whose capacity only its author knows. What the program takes
    items out of, it may yet take them out of; except that unfreed graphs are never meant.
    """
    if kind in (Kind.TENSOR_LIST, Kind.GLOBAL_REGISTRY):
        newest = group.survivors[-1]
        if may_be_emptied(group.named, site_of(newest.site)) and not group.saved_bytes:
            return False
    if kind == Kind.TENSOR_LIST:
        survivors = group.survivors
        if all(it.requires_grad or it.node for it in survivors):
            return True
        return all(it.shape == () for it in survivors) and not _is_lookup(group.holder)
    return kind not in (Kind.UNKNOWN, Kind.VARIABLE, Kind.METRIC_STATE, Kind.UNBOUNDED_SHAPE_CACHE)


def _objects(group: Group) -> list[Any]:
    return [link.object for link in group.chain]


def _passes(group: Group, *types: type) -> bool:
    return any(issubclass(type(it), types) for it in _objects(group))


def _passes_loaded(group: Group, *names: tuple[str, str]) -> bool:
    loaded = [cls for cls in (loaded_class(*name) for name in names) if cls is not None]
    return bool(loaded) and _passes(group, *loaded)


def _is_of_tool(group: Group) -> bool:
    """An exception that a tool keeps: the interpreter, a log handler, IPython or pytest."""
    if not _is_exception(group):
        return False
    names = {link.edge.name for link in group.chain}
    if names & {"last_exc", "last_value", "last_traceback", "InteractiveTB"}:
        return True
    return _passes(group, logging.LogRecord) or _passes_loaded(
        group, ("_pytest._code.code", "ExceptionInfo")
    )


def _is_exception(group: Group) -> bool:
    return _passes(group, BaseException, TracebackType)


def _is_future(group: Group) -> bool:
    return _passes_loaded(
        group,
        ("concurrent.futures._base", "Future"),
        ("asyncio", "Future"),
        ("_asyncio", "Future"),
        ("asyncio", "Queue"),
    ) or _passes(group, queue.Queue, queue.SimpleQueue, CoroutineType, GeneratorType)


def _is_notebook_output(group: Group) -> bool:
    if "IPython" not in sys.modules:
        return False
    names = {link.edge.name for link in group.chain}
    return bool(names & {"_oh", "Out", "_", "__", "___"}) or any(
        name[:1] == "_" and name[1:].isdigit() for name in names
    )


def _is_hook(group: Group) -> bool:
    """A hook fills a container: behind a module's hook table, or captured by a function in one."""
    names = [link.edge.name for link in group.chain]
    if any(name.endswith("hooks") and name.startswith("_") for name in names):
        return True
    if any(type_name(type(it)) in ("Hooks", "HookTable") for it in _objects(group)):
        return True
    return group.is_contained and is_filled_by_hook(group.holder)


def _is_cache(group: Group) -> bool:
    return any(is_cache(it) for it in _objects(group))


def _is_thread_state(group: Group) -> bool:
    return _passes(group, threading.local) or any(
        link.edge.kind == "thread-local" for link in group.chain
    )


def _is_of_nets(group: Group) -> bool:
    """Parameters of several networks, each with all of its own."""
    parameter = loaded_class("garboard.nn", "Parameter")
    module = loaded_class("garboard.nn", "Module")
    if parameter is None or module is None:
        return False
    if not any(is_a(it.tensor, parameter) for it in group.survivors):
        return False
    below = [link.object for link in group.chain[group.at :]]
    return any(is_a(it, module) for it in below)


def _is_resettable(group: Group) -> bool:
    """A list state of a metric: the object it belongs to knows how to empty it."""
    owner = _owner(group)
    if owner is None or is_a(owner, (ModuleType, type, FrameType, FunctionType)):
        return False
    return group.is_contained and has_method(owner, "reset")


def _is_keyed_by_shape(group: Group) -> bool:
    keys = keys_of(group.holder) if is_a(group.holder, dict) else []
    return len(keys) > 1 and all(map(_is_shape, keys))


def _is_lookup(holder: Any) -> bool:
    """Tell whether a dict is a cache, and not a history: one is keyed by ever later steps."""
    if not is_a(holder, dict):
        return False
    keys = keys_of(holder)
    is_counted = all(is_a(key, int) for key in keys)
    return not is_counted or any(int.__ge__(a, b) for a, b in pairwise(keys))


def _is_shape(key: object) -> bool:
    if type(key) is not tuple or not key:
        return False
    return all(is_a(it, int) for it in key) or (
        any(_is_shape(it) for it in key) and not any(is_a(it, str) for it in key)
    )


def _is_registry(group: Group) -> bool:
    """Held by a class, a default argument, a finalizer, or another module than the loop's."""
    if not group.is_contained:
        return False
    for link in group.named:
        if link.edge.kind in ("class attribute", "default argument", "callback"):
            return True
        if link.edge.name == "_registry":
            return True
    root = group.chain[0].object
    if not is_a(root, ModuleType) or group.chain[1].edge.kind != "global":
        return False
    return file_of(root) != group.loop_file


def _owner(group: Group) -> Any:
    """The object whose attribute or variable the holder is."""
    named = [
        i
        for i in range(1, group.at + 1)
        if group.chain[i].edge.kind in ("attribute", "class attribute", "global", "local")
    ]
    return group.chain[named[-1] - 1].object if named else None


_RULES: tuple[tuple[str, Callable[[Group], bool]], ...] = (
    (Kind.VIEW_PINS_STORAGE, lambda it: it.pinned_bytes > 0),
    (Kind.OPTIMIZER_ORPHAN, lambda it: _passes_loaded(it, ("garboard.optim", "Optimizer"))),
    (Kind.NOTEBOOK_OR_TEST_TRACEBACK, _is_of_tool),
    (Kind.QUEUE_FUTURE_ASYNC, lambda it: _is_exception(it) and _is_future(it)),
    (Kind.RETAINED_EXCEPTION, _is_exception),
    (Kind.NOTEBOOK_OUTPUT, _is_notebook_output),
    (Kind.LRU_CACHE, _is_cache),
    (Kind.HOOK_CAPTURE, _is_hook),
    (Kind.QUEUE_FUTURE_ASYNC, _is_future),
    (Kind.THREAD_STATE, _is_thread_state),
    (Kind.DUPLICATE_NETS, _is_of_nets),
    (Kind.METRIC_STATE, _is_resettable),
    (Kind.UNBOUNDED_SHAPE_CACHE, _is_keyed_by_shape),
    (Kind.GLOBAL_REGISTRY, _is_registry),
    (Kind.TENSOR_LIST, lambda it: it.is_contained),
    (Kind.VARIABLE, lambda it: not it.is_contained),
)
