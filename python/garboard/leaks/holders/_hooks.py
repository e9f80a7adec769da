"""Tells whether a module's hook fills a container that the shortest chain finds elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

from garboard import _engine
from garboard.leaks.evidence._classes import classes, loaded_class
from garboard.leaks.holders._unasked import attributes_of, is_a, items_of

__all__ = ["is_filled_by_hook"]


def is_filled_by_hook(container: Any) -> bool:
    """Tell whether a forward hook of a living module refers to a container."""
    return any(any(it is container for it in _reach(hook)) for hook in _hooks())


def _hooks() -> Iterator[Any]:
    table: Any = loaded_class("garboard._hooks", "HookTable")
    tables = () if table is None else (table,)
    for thing in _engine._instances([*tables, *classes("module")]):
        if type(thing) is table:
            yield from thing.snapshot()
            continue
        space = attributes_of(thing)  # PyTorch's have plain dicts
        for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"):
            yield from items_of(space.get(name))


def _reach(hook: Any) -> Iterator[Any]:
    """Yield what a hook can name: its closure, its globals, the attributes of its object."""
    if is_a(hook, MethodType):
        yield from attributes_of(hook.__self__).values()
        hook = hook.__func__
    if not is_a(hook, FunctionType):
        return
    for cell in hook.__closure__ or ():
        try:
            content = cell.cell_contents
        except ValueError:  # not bound yet
            continue
        yield content
        yield from list(attributes_of(content).values())
    for name in hook.__code__.co_names:
        yield dict.get(hook.__globals__, name)
