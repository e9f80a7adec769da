"""What the numbers are that a program compares with: written ones, variables, settings.

self.capacity, 10**6, SETTINGS["undo"], min(self.most, 500), now - rows[0][0]
"""

from __future__ import annotations

import ast
import math
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FrameType, FunctionType
from typing import Any

from garboard import _engine
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._source import callee
from garboard.leaks.holders._statements import Scope, first_line, function_around
from garboard.leaks.holders._storing import argument_of, returned_by
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    items_of,
    length_of,
    module_of_class,
    mro_of,
    space_of,
)

__all__ = ["Values"]

_DEEPEST = 8  # names that stand for names
_BUILTINS: Mapping[str, Callable[..., Any]] = {
    "abs": abs, "int": int, "max": max, "min": min, "round": round,
}  # fmt: skip


class Values:
    """Evaluates expressions beside the last object of a chain, as they would come out now.

    No code of the program's runs: only what builtin types say of themselves is asked.

    Args:
        chain: The hops to a container.
        names: What the program calls it.
    """

    def __init__(self, chain: Sequence[Link], names: Sequence[str]) -> None:
        self._chain, self._names = chain, names

    def number(self, node: ast.expr, file: str) -> int | None:
        """Return a number without its fraction; None of what is none, or cannot be told."""
        return _whole(self._value(node, file, 0))

    def _value(self, node: ast.expr, file: str, depth: int) -> object:
        if depth > _DEEPEST:
            return None
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) in (int, float, str) else None
        if isinstance(node, ast.BinOp):
            sides = (_whole(self._value(it, file, depth + 1)) for it in (node.left, node.right))
            return _computed(node.op, *sides)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = _whole(self._value(node.operand, file, depth + 1))
            return None if number is None else -number
        if isinstance(node, ast.Subscript):
            whole = self._value(node.value, file, depth + 1)
            return _item(whole, self._value(node.slice, file, depth + 1))
        if isinstance(node, ast.Call):
            return self._called(node, file, depth)
        return self._named(node, file, depth)

    def _called(self, node: ast.Call, file: str, depth: int) -> object:
        """Return what `min(a, b)` and `len(rows)` give, or a function that only returns."""
        name = callee(node)
        if name == "len" and len(node.args) == 1:
            return length_of(self._value(node.args[0], file, depth + 1))
        if name in _BUILTINS:
            given = [_whole(self._value(it, file, depth + 1)) for it in node.args]
            known = [it for it in given if it is not None]
            return _BUILTINS[name](*known) if known and len(known) == len(given) else None
        returned = returned_by(file, name)
        return None if returned is None else self._value(returned, file, depth + 1)

    def _named(self, node: ast.expr, file: str, depth: int) -> object:
        name = getattr(node, "attr", getattr(node, "id", ""))
        if isinstance(node, ast.Name) and (given := _given_for(node, file)) is not None:
            return self._value(given, file, depth + 1)
        if name in self._names:
            return self._chain[-1].object
        found = (_looked_up(space, name) for space in self._spaces())
        value = next((it for it in found if it is not None and _is_plain(it)), None)
        if value is None and isinstance(node, ast.Attribute):  # a property that only returns
            returned = returned_by(file, name)
            return None if returned is None else self._value(returned, file, depth + 1)
        return value

    def _spaces(self) -> Iterator[Mapping[str, Any]]:
        """Yield where a name beside the holder's may be found; first in the holder itself."""
        for owner in (link.object for link in reversed(self._chain)):
            if is_a(owner, FrameType):
                yield dict(_engine._frame_variables(owner))
                yield owner.f_globals
                continue
            if is_a(owner, FunctionType):
                yield _closure_of(owner)
                yield owner.__globals__
            cls = owner if is_a(owner, type) else type(owner)
            yield attributes_of(owner)
            yield from map(space_of, mro_of(cls))
            yield attributes_of(sys.modules.get(module_of_class(cls)))
            parts = list(attributes_of(owner).values())
            yield from filter(None, map(attributes_of, parts))  # `self.config.capacity`


def _closure_of(function: FunctionType) -> Mapping[str, Any]:
    """Return the variables of outer functions that a function uses, as far as they are set."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _given_for(name: ast.Name, file: str) -> ast.expr | None:
    """Return what calls give for an argument of the function that a name stands in."""
    function = function_around(file, getattr(name, "lineno", 0))
    if function is None:
        return None
    given = argument_of(Scope(file, first_line(function)), name.id)
    return None if isinstance(given, ast.Name) and given.id == name.id else given


def _is_plain(value: object) -> bool:
    return type(value) in (int, float, str, list, tuple, dict, deque)


def _whole(value: object) -> int | None:
    if type(value) is float and math.isfinite(value):
        return int(value)
    return value if type(value) is int else None


def _item(whole: object, key: object) -> object:
    """Return an item of a plain list, tuple, deque or dict."""
    if type(whole) is dict:
        return dict.get(whole, key) if type(key) in (int, str) else None
    if type(key) is not int or type(whole) not in (list, tuple, deque):
        return None
    items = items_of(whole)
    return items[key] if -len(items) <= key < len(items) else None


def _computed(op: ast.operator, left: int | None, right: int | None) -> int | None:
    """Return `10**6`, `1 << 20`, `64 * 1024`, also of variables."""
    if left is None or right is None or max(abs(left), abs(right)) > 1 << 40:
        return None
    if isinstance(op, ast.Mult):
        return left * right
    if isinstance(op, ast.Add | ast.Sub):
        return left + right if isinstance(op, ast.Add) else left - right
    if isinstance(op, ast.FloorDiv | ast.Div):
        return left // right if right else None
    is_small = 0 <= right <= 64 and abs(left) <= 1 << 20
    if is_small and isinstance(op, ast.Pow):
        return int(left**right)
    return left << right if is_small and isinstance(op, ast.LShift) else None


def _looked_up(space: Mapping[str, Any], name: str) -> object:
    """Return what a name stands for, also the private one of a class."""
    if name in space or not name.startswith("__") or name.endswith("__"):
        return space.get(name)
    return next(
        (it for key, it in list(space.items()) if type(key) is str and key.endswith(name)), None
    )
