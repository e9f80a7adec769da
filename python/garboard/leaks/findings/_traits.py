"""What several kinds ask of a way from a root to tensors."""

from __future__ import annotations

import queue
from types import CoroutineType, GeneratorType, TracebackType
from typing import Any

from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one, loaded_class
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import may_be_emptied
from garboard.leaks.holders._unasked import is_a

__all__ = [
    "holds_generators",
    "is_emptied_by_code",
    "is_exception",
    "is_future",
    "objects_of",
    "passes",
    "passes_loaded",
    "passes_one",
]


def is_emptied_by_code(group: Group) -> bool:
    """Tell whether the program has code that takes items out of the holder, or begins it anew."""
    site = site_of(group.survivors[-1].site)
    ways = [group.named] if group.named == group.inner else [group.named, group.inner]
    return any(may_be_emptied(way, site, group.opened) for way in ways)


def objects_of(group: Group) -> list[Any]:
    """Return the objects of the way, from the root on."""
    return [link.object for link in group.chain]


def passes(group: Group, *types: type) -> bool:
    """Tell whether the way leads by an object of one of these types."""
    return any(issubclass(type(it), types) for it in objects_of(group))


def passes_loaded(group: Group, *names: tuple[str, str]) -> bool:
    """Tell the same of classes that may not be imported: (module, name)."""
    loaded = [cls for cls in (loaded_class(*name) for name in names) if cls is not None]
    return bool(loaded) and passes(group, *loaded)


def passes_one(group: Group, role: str) -> bool:
    """Tell whether the way leads by a module, an optimizer, ..., of any library."""
    return any(is_one(role, it) for it in objects_of(group))


def is_exception(group: Group) -> bool:
    """Tell whether an exception or a traceback is on the way."""
    return passes(group, BaseException, TracebackType)


def holds_generators(group: Group) -> bool:
    """Tell whether the holder has generators, each with its tensors."""
    held = [link.object for link in group.chain[group.at + group.is_contained :]]
    return any(is_a(it, GeneratorType) for it in held)


def is_future(group: Group) -> bool:
    """Tell whether a future, a queue or something suspended is on the way.

    A list in a generator's own variable is a list: a generator counts where a container has it.
    """
    if holds_generators(group):
        return True
    return passes_loaded(
        group,
        ("concurrent.futures._base", "Future"),
        ("asyncio", "Future"),
        ("_asyncio", "Future"),
        ("asyncio", "Queue"),
        ("asyncio", "Handle"),
    ) or passes(group, queue.Queue, queue.SimpleQueue, CoroutineType)
