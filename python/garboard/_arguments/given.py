"""What callers give in bulk, taken item by item.

A range of 2^62 numbers, an iterator without an end, a mapping that lies about its length: each ends
at the first item that cannot be right, before anything is done with what came before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown

__all__ = ["items_of", "keys_of", "list_of", "refuse_unless_list"]

_T = TypeVar("_T")

_MOST_AGAIN = 1 << 16  # items that came before: more than that, and there is no end to them


def refuse_unless_list(op: str, name: str, given: object, of: str) -> None:
    """Raise TypeError unless `given` is a list or a tuple, whose length is the truth."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"{op}: {name} is of type {type(given).__name__}; a list or tuple of {of} is needed"
        )


def items_of(given: Any) -> list[Any]:
    """Return what a list or tuple holds, whatever a subclass says it holds."""
    return [*(list.__iter__(given) if isinstance(given, list) else tuple.__iter__(given))]


def list_of(
    wanted: type[_T] | tuple[type[_T], ...], op: str, name: str, given: Any, of: str
) -> list[_T]:
    """Return the items of a list, a tuple or another iterable, each checked as it comes.

    What is no list or tuple may have no end: it may give items that came before, as a generator
    of a shared layer does, but not for ever.

    Raises:
        TypeError: `given` is not iterable, or an item is of another type.
        ValueError: An iterable gives items again, over and over.
    """
    is_list = isinstance(given, (list, tuple))
    if not isinstance(given, Iterable):
        raise TypeError(f"{op}: {name} is of type {type(given).__name__}; a list of {of} is needed")
    items: list[_T] = []
    seen: set[int] = set()
    again = 0
    for item in items_of(given) if is_list else given:
        if not is_really(item, wanted):
            raise TypeError(
                f"{op}: item {len(items)} of {name} is of type {type(item).__name__}; a list of "
                f"{of} is needed"
            )
        again += id(item) in seen
        if again > _MOST_AGAIN:
            raise ValueError(
                f"{op}: item {len(items)} of {name} came before, as {_MOST_AGAIN} others, out of a "
                f"{type(given).__name__}, which may have no end; give a list of {of}"
            )
        if not is_list:
            seen.add(id(item))
        items.append(item)
    return items


def keys_of(wanted: type[_T], op: str, name: str, given: Any, of: str) -> list[_T]:
    """Return the keys of a mapping, each checked as it comes.

    Raises:
        TypeError: `given` is no mapping, or a key is of another type.
        ValueError: A key comes a second time.
    """
    if not isinstance(given, Mapping):
        raise TypeError(f"{op}: {name} is of type {type(given).__name__}; a dict of {of} is needed")
    keys: dict[_T, None] = {}
    for key in given:
        if not isinstance(key, wanted):
            raise TypeError(
                f"{op}: a key of {name} is of type {type(key).__name__}; a dict of {of}, its keys "
                f"of type {wanted.__name__}, is needed"
            )
        if key in keys:
            raise ValueError(
                f"{op}: {name} gives the key {shown(key)} twice; a mapping gives each once"
            )
        keys[key] = None
    return list(keys)
