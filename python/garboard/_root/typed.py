"""Whether a container has items of the types that an annotation names."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import UnionType
from typing import Any, Union, get_args, get_origin

__all__ = ["isinstance"]


def isinstance(obj: object, target_type: Any) -> bool:
    """Tell whether something is of a type that may name its items' types too.

    Args:
        obj: Anything.
        target_type: A class, `list[T]`, `dict[K, V]`, `tuple[T, ...]`, a union of such, or several
            in a tuple. Lists, dicts and tuples are looked through, whatever they are in.

    Returns:
        True or False.

    Raises:
        TypeError: `target_type` is no type.

    >>> gb.jit.isinstance([1, 2], list[int]), gb.jit.isinstance([1, "a"], list[int])
    (True, False)
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, kind) for kind in target_type)
    kind, items = get_origin(target_type), get_args(target_type)
    if kind in (Union, UnionType):
        return any(isinstance(obj, it) for it in items)
    if kind is None:
        if target_type is None:
            return obj is None
        if target_type is Any:
            return True
        if not builtins.isinstance(target_type, type):
            raise TypeError(
                f"jit.isinstance: target_type of type {type(target_type).__name__}; a type is "
                "needed"
            )
        return builtins.isinstance(obj, target_type)
    if not builtins.isinstance(kind, type):
        raise TypeError("jit.isinstance: target_type is a special form; a type is needed")
    return builtins.isinstance(obj, kind) and _HAVE.get(kind, _have_any)(obj, items)


def _have_any(found: Any, kinds: tuple[Any, ...]) -> bool:
    return True  # what it holds is not looked at


def _list_has(found: Any, kinds: tuple[Any, ...]) -> bool:
    return all(isinstance(it, kinds[0]) for it in found)


def _dict_has(found: Any, kinds: tuple[Any, ...]) -> bool:
    return all(isinstance(k, kinds[0]) and isinstance(v, kinds[1]) for k, v in found.items())


def _tuple_has(found: Any, kinds: tuple[Any, ...]) -> bool:
    if kinds[-1:] == (Ellipsis,):
        return _list_has(found, kinds)
    return len(found) == len(kinds) and all(map(isinstance, found, kinds))


_HAVE: dict[type, Callable[[Any, tuple[Any, ...]], bool]] = {
    list: _list_has,
    dict: _dict_has,
    tuple: _tuple_has,
}
