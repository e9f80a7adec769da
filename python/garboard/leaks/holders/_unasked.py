"""What an object is and holds, found out without asking it: no code of its class runs.

Whatever is met on the way from a root to a tensor is somebody else's. Its `len`, its `repr`, its
attributes and even its class may be computed, by code that raises, takes long, or makes a reference
of its own. So each question goes to the builtin type that the object is made of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, TypeGuard

from garboard import _engine
from garboard._arguments.texts import printable
from garboard._engine import Tensor, _Size
from garboard.leaks.evidence._classes import loaded_class

__all__ = [
    "attributes_of",
    "fields_of",
    "first_is_there",
    "has_method",
    "is_a",
    "is_cache",
    "is_disposed",
    "is_object_array",
    "is_plain_tuple",
    "items_of",
    "keys_of",
    "length_of",
    "module_name_of",
    "module_of_class",
    "mro_of",
    "space_of",
    "type_name",
]

_CACHE: Any = type(lru_cache(lambda: None))


def is_plain_tuple(thing: object) -> TypeGuard[tuple[Any, ...]]:
    """Tell whether a thing is a tuple, or sizes, of no class of a user's."""
    return type(thing) in (tuple, _Size)


def is_a(thing: Any, kind: Any) -> bool:
    """Tell whether a thing's type is one of these; `isinstance` would ask the thing, too.

    Proxies and mocks answer for what they stand for.
    """
    return issubclass(type(thing), kind)


def is_cache(thing: Any) -> bool:
    """Tell whether a thing is a function behind `lru_cache` or `cache`."""
    return is_a(thing, _CACHE)


def is_object_array(thing: Any) -> bool:
    """Tell whether a thing is a NumPy array whose elements are objects."""
    array: Any = loaded_class("numpy", "ndarray")
    if array is None or not is_a(thing, array):
        return False
    return str(space_of(array)["dtype"].__get__(thing).kind) == "O"


# Classes, which a metaclass may speak for


def _of_type(name: str) -> Callable[[Any], Any]:
    found: Callable[[Any], Any] = type.__dict__[name].__get__
    return found


_name, _qualified, _module, mro_of, space_of = map(
    _of_type, ("__name__", "__qualname__", "__module__", "__mro__", "__dict__")
)


def type_name(cls: Any, *, is_qualified: bool = False) -> str:
    """Return a class's name, fit to be written to a file."""
    return printable((_qualified if is_qualified else _name)(cls))


def module_of_class(cls: Any) -> str:
    """Return the name of the module that a class says it is from; empty where that is no text."""
    name = _module(cls)
    return printable(name) if is_a(name, str) else ""


def has_method(thing: Any, name: str) -> bool:
    """Tell whether a thing's class, or one it is made of, defines a name."""
    return any(name in space_of(cls) for cls in mro_of(type(thing)))


# Objects


def attributes_of(thing: Any) -> Any:
    """Return a thing's `__dict__`; an empty dict where it has none."""
    if type(thing) is Tensor:
        return _engine._set_attributes(thing) or {}
    for cls in mro_of(type(thing)):
        slot = space_of(cls).get("__dict__")
        if type(slot) in (GetSetDescriptorType, MemberDescriptorType):  # and no property of its own
            try:
                space = slot.__get__(thing)
            except (AttributeError, TypeError):
                return {}
            return space if type(space) is dict else {}
    return {}


def module_name_of(module: ModuleType) -> str:
    """Return a module's name; empty where it has none that is text."""
    space = _space_of_module(module)
    name = dict.get(space, "__name__") if type(space) is dict else None
    return printable(name) if is_a(name, str) else ""


_space_of_module = vars(ModuleType)["__dict__"].__get__  # quick: each look asks all modules

_PLAIN: tuple[Any, ...] = (list, tuple, dict, set, frozenset, deque)


def _builtin(thing: Any) -> Any:
    """Return the builtin container that a thing's type is made of, or None."""
    return next((kind for kind in _PLAIN if is_a(thing, kind)), None)


def length_of(thing: Any) -> int | None:
    """Return how many items a builtin container has, or one made of it, or an array of objects;
    None for all else."""
    kind = _builtin(thing)
    if kind is not None:
        return int(kind.__len__(thing))
    return len(items_of(thing)) if is_object_array(thing) else None


def items_of(thing: Any) -> list[Any]:
    """Return what a list, tuple, set, deque or array of objects has; the values of a dict; of all
    else nothing."""
    kind = _builtin(thing)
    if kind is None:
        array: Any = loaded_class("numpy", "ndarray")
        return list(space_of(array)["flat"].__get__(thing)) if is_object_array(thing) else []
    return list(dict.values(thing) if kind is dict else kind.__iter__(thing))


def keys_of(mapping: Mapping[Any, Any]) -> list[Any]:
    """Return the keys of a dict, or of one made of it."""
    return list(dict.keys(mapping))  # type: ignore[arg-type]


def fields_of(thing: Any) -> list[tuple[str, Any]]:
    """Return the fields of a namedtuple or dataclass in the order in which it is made of them, each
    with its value; of all else nothing."""
    spaces = list(map(space_of, mro_of(type(thing))))
    is_tuple = is_a(thing, tuple) and any("_fields" in it for it in spaces)
    if not is_tuple and not any("__dataclass_fields__" in it for it in spaces):
        return []
    names = next((it["__match_args__"] for it in spaces if "__match_args__" in it), ())
    if not is_plain_tuple(names) or any(type(it) is not str for it in names):
        return []
    if is_tuple:
        return list(zip(names, items_of(thing), strict=False))
    return [(name, attributes_of(thing).get(name)) for name in names]


def first_is_there(thing: Any, among: Sequence[Any]) -> int | None:
    """Return the place of a thing in a list, by identity; None where it is not there."""
    return next((place for place, it in enumerate(among) if it is thing), None)


_disposed = vars(Tensor)["is_disposed"].__get__


def is_disposed(tensor: Any) -> bool:
    """Tell whether a tensor has ended, also where a subclass says something else."""
    return is_a(tensor, Tensor) and bool(_disposed(tensor))
