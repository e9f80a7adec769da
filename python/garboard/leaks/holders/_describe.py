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

from garboard._arguments.texts import printable
from garboard._engine import GraphNode
from garboard._shown.notebook import CellOutputs
from garboard._shown.site import Site, site_of
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._tensors import birth_of, is_known, type_text_of
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    is_cache,
    is_disposed,
    length_of,
    module_name_of,
    module_of_class,
    space_of,
    type_name,
)

__all__ = [
    "code_of",
    "described",
    "file_of",
    "function_name",
    "is_context",
    "place_of",
]


def described(thing: Any) -> str:
    """Return `list of 60`, `Tensor float32[8] #214`, `function hook()`, `class Run`."""
    kind = type(thing)
    if kind is GraphNode:
        return f"graph node {printable(thing.name())} #{thing.serial}"
    if is_context(thing):
        return f"ctx of {function_name(thing)}"
    if is_known(thing):
        return _tensor(thing)
    if is_a(thing, ModuleType):
        return f"module {module_name_of(thing)}".rstrip()
    if is_a(thing, type):
        return f"class {type_name(thing, is_qualified=True)}"
    if is_a(thing, FrameType):
        return f"frame of {_code(thing.f_code, thing.f_lineno).called}"
    if is_a(thing, FunctionType):
        return f"function {printable(thing.__name__)}()"
    if type(thing) is CellOutputs:
        return "what the notebook's cells have shown"
    length = length_of(thing)
    if length is not None:
        bound = _bound(thing) if is_a(thing, deque) else None
        return f"{type_name(kind)} of {length}" + (f", at most {bound}" if bound else "")
    if is_cache(thing):
        return f"lru_cache of {described(_unwrapped(thing)).removeprefix('function ')}"
    code = code_of(thing)
    if code is not None:
        return f"{type_name(kind)} {_code(code, code.co_firstlineno).called}"
    return f"{type_name(kind)} object"


_bound = vars(deque)["maxlen"].__get__


def _tensor(tensor: Any) -> str:
    serial, name = birth_of(tensor)[0], type_name(type(tensor))
    if is_disposed(tensor):
        return f"{name} #{serial}, disposed"
    return f"{name} {type_text_of(tensor)} #{serial}"


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
    return Site(printable(code.co_filename), line, printable(code.co_qualname))


def _unwrapped(thing: Any) -> Any:
    """Return what lies below an `lru_cache`; another thing itself."""
    below = attributes_of(thing).get("__wrapped__") if is_cache(thing) else None
    return thing if below is None or is_cache(below) else below


def place_of(thing: Any) -> Site | None:
    """Return the line of what has one: frames, functions, generators, tensors."""
    if is_a(thing, FrameType):
        return _code(thing.f_code, thing.f_lineno)
    if is_known(thing):
        site = site_of(birth_of(thing)[1])
        return site if site.file else None
    code = code_of(_unwrapped(thing)) if not is_a(thing, type) else None
    return _code(code, code.co_firstlineno) if code is not None else None


def file_of(thing: Any) -> str:
    """Return the source file in which a module, class, function, frame or object is defined."""
    place = place_of(thing) if not is_known(thing) else None
    if place is not None:
        return place.file
    cls = thing if is_a(thing, type) else type(thing)
    module = thing if is_a(thing, ModuleType) else sys.modules.get(module_of_class(cls))
    file = attributes_of(module).get("__file__")
    return printable(file) if is_a(file, str) else ""


def is_context(thing: Any) -> bool:
    """Tell whether a thing is the `ctx` of a Function of the user's."""
    return is_one("context", thing)


def function_name(context: Any) -> str:
    """Return the name of the Function whose `ctx` this is."""
    function = attributes_of(context).get("_function")
    if function is None:  # PyTorch makes a class of contexts for each Function
        function = space_of(type(context)).get("_forward_cls")
    return type_name(function, is_qualified=True) if is_a(function, type) else "a Function"
