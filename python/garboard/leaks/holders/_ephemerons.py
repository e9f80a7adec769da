"""Knows containers whose items end with an object that they do not keep: the key of a weak
dictionary, or what a finalizer of takes its entry out.

    notes = weakref.WeakKeyDictionary()
    notes[request] = net(x)             # lives as long as `request` does
    weakref.finalize(request, notes.pop, id(request))

What keeps the keys keeps the items, so the way to an item leads by its key.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinMethodType, MethodType
from typing import Any
from weakref import WeakKeyDictionary

from garboard.leaks.evidence._rows import Survivor
from garboard.leaks.holders._unasked import first_is_there, is_a, is_plain_tuple, space_of

__all__ = ["by_their_keys"]

Path = tuple[Survivor, list[Any]]
_Ways = Callable[[Sequence[object], Sequence[object]], list[list[Any] | None]]

_LEAST_ADDRESS = 1 << 16  # smaller numbers are nobody's `id`


def by_their_keys(paths: Sequence[Path], holder: Any, paths_to: _Ways) -> list[Path]:
    """Return the paths through a dict that lead by the keys of its values instead, where something
    else keeps these; an empty list where the items do not end with any object.

    Args:
        paths: Those that pass the dict.
        holder: The dict.
        paths_to: Finds the objects from a root to each of some objects, by a way that passes none
            of others.
    """
    if not is_a(holder, dict) or len(paths) < 2:
        return []
    places = [first_is_there(holder, path) for _, path in paths]
    own = [(it, at) for it, at in zip(paths, places, strict=True) if at and it[1][at + 1 :]]
    if len(own) < 2:
        return []
    owner = next((it for it in own[0][0][1][: own[0][1]][-2:] if is_a(it, WeakKeyDictionary)), None)
    keys = _referred_to(holder) if owner is not None else _finalized(holder)
    known = [(path, at, keys.get(id(path[1][at + 1]))) for path, at in own]
    if 2 * sum(key is not None for *_, key in known) < len(own):
        return []
    asked = {id(key): key for *_, key in known if key is not None}
    ways = dict(zip(asked, paths_to(list(asked.values()), [holder]), strict=True))
    found = []
    for (survivor, path), at, key in known:
        way = ways.get(id(key))
        if way is not None:
            begins = next((i for i in (at - 1, at - 2) if i >= 0 and path[i] is owner), at)
            found.append((survivor, [*way, *path[begins:]]))
    return found


def _referred_to(space: dict[Any, Any]) -> dict[int, Any]:
    """Return the keys of a weak dictionary by the addresses of the values."""
    return {
        id(value): key
        for it, value in list(dict.items(space))
        if is_a(it, weakref.ref) and (key := _target(it)) is not None
    }


def _target(reference: Any) -> Any:
    return weakref.ref.__call__(reference)


def _finalized(space: dict[Any, Any]) -> dict[int, Any]:
    """Return, by the addresses of the values, the objects that take their entry with them: by a
    finalizer that is given the key, or as the address that the key is."""
    items = list(dict.items(space))
    found: dict[int, Any] = {}
    by_key = {
        it: target for target, arguments in _finalizers() for it in arguments if _is_plain(it)
    }
    for key, value in items if by_key else ():
        if _is_plain(key) and key in by_key:
            found[id(value)] = by_key[key]
    numbers = {key: value for key, value in items if type(key) is int and key > _LEAST_ADDRESS}
    if 2 * len(numbers) > len(items):
        for it in gc.get_objects():
            if id(it) in numbers and any(_has_callback(ref) for ref in weakref.getweakrefs(it)):
                found[id(numbers[id(it)])] = it
    return found


def _is_plain(key: object) -> bool:
    """Tell whether comparing a key runs no code of a program."""
    parts: Any = key if is_plain_tuple(key) else (key,)
    return all(type(part) in (int, str) for part in parts)


def _finalizers() -> Iterable[tuple[Any, tuple[Any, ...]]]:
    """Yield objects that live, each with the arguments of a method that it calls when it dies."""
    registry = space_of(weakref.finalize).get("_registry")
    for info in list(registry.values()) if type(registry) is dict else ():
        target, called = _target(info.weakref), info.func
        if target is not None and is_a(called, (BuiltinMethodType, MethodType)):
            yield target, info.args


def _has_callback(reference: Any) -> bool:
    return weakref.ref.__dict__["__callback__"].__get__(reference) is not None
