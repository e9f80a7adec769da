"""Tells whether a hook fills a container that the shortest chain finds elsewhere."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from garboard import _engine
from garboard._arguments.texts import printable
from garboard._shown.site import Site
from garboard.leaks.evidence._classes import classes, is_one, loaded_class
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    items_of,
    length_of,
    mro_of,
    space_of,
    type_name,
)

__all__ = ["is_filled_by_hook"]

_DEEPEST, _MOST = 4, 300  # references from a hook, and objects that are looked at
_LONGEST = 64  # of a list or dict whose items a hook is taken to know


def is_filled_by_hook(container: Any, place: Site | None) -> bool:
    """Tell whether a hook of a living module or tensor refers to a container and fills it.

    `place` is the line that fills it, where that is known: it must be in what the hook calls.
    """
    for hook in _hooks():
        reached = list(_reach(hook))
        if all(it is not container for it in reached):
            continue
        if place is None or any(_has_line(code, place) for code in _codes(reached)):
            return True
    return False


def _hooks() -> Iterator[Any]:
    table: Any = loaded_class("garboard._hooks", "HookTable")
    of_tensors = _tables_of_tensors()
    tables = () if table is None else (table,)
    for thing in _engine._instances([*tables, *classes("module"), *of_tensors]):
        if type(thing) is table:
            yield from thing.snapshot()
        elif type(thing) in of_tensors:
            yield from gc.get_referents(thing)
        space = attributes_of(thing)  # PyTorch's have plain dicts
        for name in ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks"):
            yield from items_of(space.get(name))
    parameter = loaded_class("torch.nn", "Parameter")
    for thing in _engine._instances([parameter]) if parameter is not None else ():
        yield from items_of(_backward_hooks_of(thing))


def _tables_of_tensors() -> list[Any]:
    """The class of tables that tensors have, where one is registered: the engine does not say."""
    from garboard._hooks import hook_tables

    return list({type(it) for it, _ in hook_tables() if type_name(type(it)) == "Hooks"})


def _backward_hooks_of(tensor: Any) -> Any:
    base = loaded_class("torch._C", "TensorBase")
    slot = space_of(base).get("_backward_hooks") if base is not None else None
    return slot.__get__(tensor) if slot is not None else None


def _reach(hook: Any) -> Iterator[Any]:
    """Yield what a hook can name: its closure, its globals, the attributes of its object."""
    open_: list[tuple[Any, int]] = [(hook, 0)]
    seen: set[int] = set()
    while open_ and len(seen) < _MOST:
        thing, depth = open_.pop(0)
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        yield thing
        if depth < _DEEPEST:
            open_ += [(it, depth + 1) for it in _behind(thing)]


def _behind(thing: Any) -> list[Any]:
    if is_a(thing, MethodType):
        return [thing.__self__, thing.__func__]
    if is_a(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if is_a(thing, FunctionType):
        named = [dict.get(thing.__globals__, name) for name in thing.__code__.co_names]
        given = [*(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
        return [*_closure_of(thing), *given, *named]
    length = length_of(thing)
    if length is not None:
        return items_of(thing) if length <= _LONGEST else []
    if is_a(thing, (type, ModuleType)) or is_one("tensor", thing):
        return []
    return list(attributes_of(thing).values())


def _closure_of(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue


def _codes(reached: list[Any]) -> list[CodeType]:
    """Return the code of functions among some things, and of methods that those call by name."""
    codes = [it.__code__ for it in reached if is_a(it, FunctionType)]
    names = {"__call__", *(name for code in codes for name in code.co_names)}
    for thing in reached:
        if is_a(thing, (type, ModuleType, FunctionType)):
            continue
        for cls in mro_of(type(thing)):
            methods = (space_of(cls).get(name) for name in names)
            codes += [it.__code__ for it in methods if is_a(it, FunctionType)]
    return codes


def _has_line(code: CodeType, place: Site) -> bool:
    if printable(code.co_filename) != place.file:
        return False
    lines = [line for _, _, line in code.co_lines() if line is not None]
    inner = [it for it in code.co_consts if isinstance(it, CodeType)]
    return min(lines) <= place.line <= max(lines) or any(_has_line(it, place) for it in inner)
