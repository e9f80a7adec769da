"""What several kinds ask of a way from a root to tensors."""

from __future__ import annotations

import gc
import queue
import re
from itertools import pairwise
from types import (
    AsyncGeneratorType,
    CoroutineType,
    FrameType,
    GeneratorType,
    ModuleType,
    TracebackType,
)
from typing import Any
from weakref import WeakKeyDictionary, ref

from garboard._shown.site import site_of
from garboard.leaks.evidence._classes import is_one, loaded_class
from garboard.leaks.holders._bounding import may_be_emptied, may_be_trimmed, room_of
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import storing_of
from garboard.leaks.holders._unasked import is_a, is_plain_tuple, keys_of
from garboard.leaks.holders._windows import is_of_some_turns

__all__ = [
    "holds_generators",
    "is_emptied_by_code",
    "is_exception",
    "is_future",
    "is_lookup",
    "is_stored_for_a_while",
    "is_trimmed_by_code",
    "leads_to_its_key",
    "objects_of",
    "passes",
    "passes_loaded",
    "passes_one",
    "room_in_code",
]


def is_emptied_by_code(group: Group) -> bool:
    """Tell whether the program has code that takes items out of the holder, or begins it anew."""
    site = site_of(group.survivors[-1].site)
    is_whole = group.named == group.inner or leads_to_its_key(group)  # which would take it out
    ways = [group.named] if is_whole else [group.named, group.inner]
    return any(may_be_emptied(way, site, group.opened) for way in ways)


_MOST_WAYS = 512  # objects behind a value


def leads_to_its_key(group: Group) -> bool:
    """Tell whether the newest value of a weak dictionary leads to its key: it never dies then."""
    if not is_a(group.named[-1].object, WeakKeyDictionary) or not is_a(group.holder, dict):
        return False
    (newest, value), *_ = [*reversed(dict.items(group.holder)), (None, None)]
    key = newest() if type(newest) is ref else None
    seen, open_ = {id(value)}, [value]
    while key is not None and open_ and len(seen) < _MOST_WAYS:
        thing = open_.pop(0)
        if thing is key:
            return True
        if is_a(thing, (type, ModuleType, FrameType)):
            continue
        new = [it for it in gc.get_referents(thing) if id(it) not in seen]
        seen.update(map(id, new))
        open_ += new
    return False


def is_trimmed_by_code(group: Group) -> bool:
    """Tell whether it has code that takes some items out, and not all at once."""
    return may_be_trimmed(group.named, site_of(group.survivors[-1].site))


def room_in_code(group: Group) -> int | None:
    """Return how many items the program lets the holder have, where it looks at its length."""
    return room_of(group.named, site_of(group.survivors[-1].site))


def is_stored_for_a_while(group: Group) -> bool:
    """Tell whether the program fills the holder in some turns of an outer loop alone."""
    found = storing_of(group.named, site_of(group.survivors[-1].site))
    return found is not None and is_of_some_turns(found[0], found[1].line)


def is_lookup(holder: Any) -> bool:
    """Tell whether a dict is a cache, and not a history: one is keyed by ever later steps."""
    if not is_a(holder, dict):
        return False
    counts = [_counted(key) for key in keys_of(holder)]
    known = [it for it in counts if it is not None]
    return len(known) < len(counts) or any(a >= b for a, b in pairwise(known))


def _counted(key: Any) -> tuple[int, ...] | None:
    """Return the numbers of `step`, `(epoch, batch)` or `"epoch 7"`; None of other keys."""
    if is_a(key, int):
        return (int.__index__(key),)
    if is_plain_tuple(key):
        return key if all(type(it) is int for it in key) else None
    found = _DIGITS.findall(key) if type(key) is str else []
    return tuple(map(int, found)) or None


_DIGITS = re.compile(r"\d{1,18}")


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
    return any(is_a(it, (AsyncGeneratorType, GeneratorType)) for it in held)


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
