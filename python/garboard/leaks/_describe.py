"""What an object is, in a few words: types, sizes and places, never values."""

from __future__ import annotations

import sys
from collections import deque
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    ModuleType,
)
from typing import Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.leaks._site import Site, site_of

__all__ = [
    "attributes_of",
    "code_of",
    "described",
    "file_of",
    "is_a",
    "is_cache",
    "loaded_class",
    "place_of",
    "unwrapped",
]


def is_a(thing: Any, kind: Any) -> bool:
    """Tell whether a thing's type is one of these; `isinstance` would ask the thing, too.

    Proxies and mocks answer for what they stand for.
    """
    return issubclass(type(thing), kind)


def attributes_of(thing: Any) -> Any:
    """Return a thing's `__dict__` without asking the thing; an empty dict where it has none."""
    try:
        space = object.__getattribute__(thing, "__dict__")
    except (AttributeError, TypeError):
        return {}
    return space if type(space) is dict else {}


_CONTAINERS = (list, tuple, dict, set, frozenset, deque)


def described(thing: Any) -> str:
    """Return `list of 60`, `Tensor float32[8] #214`, `function hook()`, `class Run`."""
    kind = type(thing)
    if issubclass(kind, Tensor):
        return _tensor(thing)
    if issubclass(kind, ModuleType):
        return f"module {thing.__name__}"
    if issubclass(kind, type):
        return f"class {thing.__qualname__}"
    if issubclass(kind, FrameType):
        return f"frame of {_code(thing.f_code, thing.f_lineno).called}"
    if issubclass(kind, FunctionType):
        return f"function {thing.__name__}()"
    if issubclass(kind, _CONTAINERS):
        bound = getattr(thing, "maxlen", None) if issubclass(kind, deque) else None
        return f"{kind.__name__} of {len(thing)}" + (f", at most {bound}" if bound else "")
    if is_cache(thing):
        return f"lru_cache of {unwrapped(thing).__name__}()"
    code = code_of(thing)
    if code is not None:
        return f"{kind.__name__} {_code(code, code.co_firstlineno).called}"
    return f"{kind.__name__} object"


def _tensor(tensor: Any) -> str:
    serial = _engine._birth(tensor)[0]
    if tensor.is_disposed:
        return f"{type(tensor).__name__} #{serial}, disposed"
    shape = str(list(tensor.shape))
    return f"{type(tensor).__name__} {str(tensor.dtype).rpartition('.')[2]}{shape} #{serial}"


_CODES = (
    (FunctionType, "__code__"),
    (GeneratorType, "gi_code"),
    (CoroutineType, "cr_code"),
    (AsyncGeneratorType, "ag_code"),
)


def code_of(thing: Any) -> CodeType | None:
    """Return the code that a function, generator or coroutine runs."""
    codes = (getattr(thing, name) for kind, name in _CODES if is_a(thing, kind))
    return next(codes, None)


def _code(code: CodeType, line: int) -> Site:
    return Site(code.co_filename, line, code.co_qualname)


def is_cache(thing: Any) -> bool:
    """Tell whether a thing is a function behind `lru_cache` or `cache`."""
    return type(thing).__name__ == "_lru_cache_wrapper"


def unwrapped(thing: Any) -> Any:
    """Return the function below an `lru_cache`."""
    return thing.__wrapped__ if is_cache(thing) else thing


def place_of(thing: Any) -> Site | None:
    """Return the line of what has one: frames, functions, generators, tensors."""
    if is_a(thing, FrameType):
        return _code(thing.f_code, thing.f_lineno)
    if is_a(thing, Tensor):
        site = site_of(_engine._birth(thing)[1])
        return site if site.file else None
    code = code_of(unwrapped(thing)) if not is_a(thing, type) else None
    return _code(code, code.co_firstlineno) if code is not None else None


def file_of(thing: Any) -> str:
    """Return the source file in which a module, class, function, frame or object is defined."""
    place = place_of(thing) if not is_a(thing, Tensor) else None
    if place is not None:
        return place.file
    if is_a(thing, ModuleType):
        return getattr(thing, "__file__", None) or ""
    cls = thing if is_a(thing, type) else type(thing)
    module = sys.modules.get(cls.__module__)
    return getattr(module, "__file__", None) or ""


def loaded_class(module: str, name: str) -> type | None:
    """Return a class if its module has been imported; otherwise nothing can be an instance."""
    found = getattr(sys.modules.get(module), name, None)
    return found if isinstance(found, type) else None
