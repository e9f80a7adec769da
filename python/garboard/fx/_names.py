"""What a function and a node are called: in lists, and in generated code."""

from __future__ import annotations

import builtins
import keyword
import math
import re
import sys
from collections import defaultdict
from types import BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

__all__ = ["CONSTANTS", "Namespace", "is_ours", "public_name", "snake_case", "target_text"]

# Names that generated code takes for granted.
CONSTANTS = {"inf": math.inf, "nan": math.nan, "NoneType": type(None)}
_RESERVED = {*CONSTANTS, "garboard", "torch", "device", "fx_pytree", "pytree"}
_METHODS = (MethodDescriptorType, WrapperDescriptorType)

# Where programs find the functions of the engine, in the order of the search.
_HOMES = (
    *("garboard", "garboard.nn.functional", "garboard.linalg", "garboard.special"),
    *("garboard.fft", "garboard.sparse", "garboard.signal", "garboard.nn.init", "garboard.Tensor"),
)
_SUFFIX = re.compile(r"(.*)_(\d+)$", re.DOTALL)


class Namespace:
    """The names that are taken in one graph, and those it may not give."""

    def __init__(self) -> None:
        self._taken: dict[str, object] = {}
        self._counts: defaultdict[str, int] = defaultdict(int)

    def create_name(self, candidate: str, thing: object) -> str:
        """Return a free identifier that looks like `candidate`; for a thing known, its own."""
        for name, known in self._taken.items():
            if thing is not None and known is thing:
                return name
        candidate = re.sub(r"[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = f"_{candidate}"
        found = _SUFFIX.match(candidate)
        base, number = (found[1], int(found[2])) if found else (candidate, 0)
        candidate = f"{base}_{number}" if found else base
        number = number or self._counts[base]
        while candidate in self._taken or self.is_illegal(candidate, thing):
            number += 1
            candidate = f"{base}_{number}"
        self._taken[candidate] = thing
        self._counts[base] = number
        return candidate

    @staticmethod
    def is_illegal(name: str, thing: object) -> bool:
        """Tell whether Python or generated code means something else by a name."""
        if keyword.iskeyword(name):
            return True
        if name in vars(builtins):
            return vars(builtins)[name] is not thing
        return name in _RESERVED

    def rename(self, old: str, new: str, thing: object) -> None:
        """Give up one name for another."""
        self._taken.pop(old, None)
        self._taken[new] = thing


def snake_case(text: str) -> str:
    """`BatchNorm2d` as `batch_norm2d`."""
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", text).lower()


def target_text(target: object) -> str:
    """What a node with a target is called where nobody said."""
    text = target if isinstance(target, str) else getattr(target, "__name__", "function")
    if text.startswith("__") and text.endswith("__"):
        text = text[2:-2]
    return snake_case(text)


def is_ours(function: object) -> bool:
    """Tell whether generated code finds a function under a public name of this package."""
    path = public_name(function)
    return path.startswith("garboard.") and _found(path) is function


def public_name(function: Any) -> str:
    """Return the dotted path by which programs call a function or a class."""
    name = getattr(function, "__name__", None) or type(function).__name__
    if getattr(builtins, name, None) is function:
        return str(name)
    if isinstance(function, _METHODS):
        owner = function.__objclass__
        return f"{public_name(owner)}.{name}"
    module = getattr(function, "__module__", None) or ""
    if module.startswith("garboard"):
        own = _without_private(module)
        for home in (own, *_HOMES):
            if _found(f"{home}.{name}") is function:
                return f"{home}.{name}"
    module = {"_operator": "operator"}.get(module, module)
    if isinstance(function, BuiltinFunctionType) and not module:
        return str(name)
    return f"{module}.{name}" if module else str(name)


def _without_private(module: str) -> str:
    path = []
    for part in module.split("."):
        if part.startswith("_"):
            break
        path.append(part)
    return ".".join(path)


def _found(path: str) -> Any:
    """What stands at a dotted path that begins with a module which has been imported."""
    first, *rest = path.split(".")
    found: Any = sys.modules.get(first)
    for part in rest:
        found = vars(found).get(part) if hasattr(found, "__dict__") else None
        if found is None:
            return None
    return found
