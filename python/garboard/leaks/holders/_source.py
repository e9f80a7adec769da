"""Reads the user's source for the line that stores, and for how to mend it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from garboard.leaks.holders._mending import changed_in_place
from garboard.leaks.holders._statements import (
    Scope,
    statement_at,
    statements,
)

__all__ = [
    "Accumulation",
    "Storing",
    "accumulation_at",
    "assigned",
    "calls_at",
    "is_named",
    "storing_line",
    "target_called",
    "text_at",
]

_STORES = {
    "add", "append", "appendleft", "extend", "insert", "put", "put_nowait", "set", "setdefault",
    "extendleft", "update",
}  # fmt: skip
_STORES_MANY = {"extend", "extendleft", "update"}
# What puts an item of the library's own making into something, and the item is in this.
_WRAPS = {
    "add_module", "add_param_group", "call_at", "call_later", "call_soon", "register_buffer",
    "register_parameter", "submit",
}  # fmt: skip
_STORES_INTO_FIRST = {"heappush", "heappushpop", "insort", "insort_left", "insort_right"}


class Accumulation(NamedTuple):
    """`target += value`, `target = ... target ...` or `target.add_(value)`, as text.

    Attributes:
        target: What the sum is called there.
        name: The last part of it: a variable, an attribute or a key.
        is_augmented: True for `target += value`.
        statement: The whole.
    """

    target: str
    name: str
    is_augmented: bool
    statement: str


class Storing(NamedTuple):
    """A line that fills a container, what it says, and what it stores: one item or many.

    Or, where there is none, the line that assigns the variable.
    """

    line: int
    statement: str
    value: str
    is_assignment: bool = False
    is_many: bool = False


def accumulation_at(file: str, line: int) -> Accumulation | None:
    """Return what the statement on a line adds to what."""
    statement = statement_at(file, line)
    if isinstance(statement, ast.AugAssign):
        return _accumulation(statement, statement.target)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = ast.unparse(statement.targets[0])
        places = [it for it in ast.walk(statement.value) if _is_place(it)]
        if any(ast.unparse(it) == target for it in places):
            return _accumulation(statement, statement.targets[0])
    changed = changed_in_place(statement) if isinstance(statement, ast.Expr) else None
    return _accumulation(statement, changed) if statement and changed else None


def _accumulation(statement: ast.stmt, target: ast.expr) -> Accumulation:
    is_augmented = isinstance(statement, ast.AugAssign)
    return Accumulation(
        ast.unparse(target), _last_part(target), is_augmented, ast.unparse(statement)
    )


def _last_part(place: ast.expr) -> str:
    """Return a variable, an attribute or a key, without what it is of."""
    if isinstance(place, ast.Attribute):
        return place.attr
    return ast.unparse(place.slice if isinstance(place, ast.Subscript) else place)


def target_called(statement: str, name: str) -> str | None:
    """Return `self.state` of a statement that assigns it, for `state`."""
    tree = ast.parse(statement).body[0]
    targets = (target for target, _ in assigned(tree))
    return next((ast.unparse(it) for it in targets if _last_part(it) == name), None)


def calls_at(file: str, line: int) -> set[str]:
    """Return the names of what the statement on a line calls."""
    statement = statement_at(file, line)
    calls = [it.func for it in ast.walk(statement) if isinstance(it, ast.Call)] if statement else []
    return {getattr(it, "attr", getattr(it, "id", "")) for it in calls}


def text_at(file: str, line: int) -> str:
    """Return the statement on a line, without the statements in it; empty where none is read."""
    statement = statement_at(file, line)
    return ast.unparse(statement) if statement and not hasattr(statement, "body") else ""


def _is_place(node: ast.AST) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def is_named(node: ast.AST, name: str, scope: Scope) -> bool:
    if scope.is_attribute:
        return isinstance(node, ast.Attribute) and node.attr == name
    return isinstance(node, ast.Name) and node.id == name


class _Place(NamedTuple):
    """A container that a statement stores into, the keys behind its name, and what is stored: one
    item, or what has many."""

    name: ast.expr
    keys: tuple[str, ...]
    value: str
    is_many: bool = False


def assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what an assignment assigns to, each with its value, or with what has it among others.

    So `self.x, self.y = x, y` and `x: Tensor = y` are read, too.
    """
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target, node.value
    if not isinstance(node, ast.Assign):
        return
    open_ = [(target, node.value) for target in node.targets]
    while open_:
        target, value = open_.pop(0)
        if isinstance(target, ast.Starred):
            target = target.value
        if not isinstance(target, ast.Tuple | ast.List):
            yield target, value
            continue
        several = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        is_plain = len(several) == len(target.elts)
        open_ += zip(target.elts, several if is_plain else [value] * len(target.elts), strict=True)


def _stored(statement: ast.stmt, bound: Mapping[str, ast.Attribute]) -> Iterator[_Place]:
    """Yield the containers that a statement stores into, also by a method that has a name."""
    if isinstance(statement, ast.AugAssign):
        is_sum = isinstance(statement.target, ast.Subscript) and _is_place(statement.value)
        yield _place(statement.target, statement.value, not is_sum)
    for target, value in assigned(statement):
        if isinstance(target, ast.Subscript):
            yield _place(target, value)
    if hasattr(statement, "body"):  # its statements come by themselves
        return
    for node in ast.walk(statement):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        called = bound.get(ast.unparse(node.func), node.func)
        name = getattr(called, "attr", getattr(called, "id", ""))
        if name in _STORES_INTO_FIRST and len(node.args) > 1:
            yield _place(node.args[0], node.args[1])
        elif isinstance(called, ast.Attribute) and name in _STORES | _WRAPS:
            yield _place(called.value, node.args[-1], name in _STORES_MANY | _WRAPS)


def _bound_methods(scope: Scope) -> dict[str, ast.Attribute]:
    """Return what is called `add` after `add = losses.append`."""
    return {
        ast.unparse(target): value
        for statement in statements(Scope(scope.file))
        for target, value in assigned(statement)
        if isinstance(value, ast.Attribute) and value.attr in _STORES
    }


def _place(place: ast.expr, value: ast.expr, is_many: bool = False) -> _Place:
    """`history` and `'loss'` of `history['loss']`."""
    keys: list[str] = []
    while isinstance(place, ast.Subscript):
        keys.insert(0, ast.unparse(place.slice))
        place = place.value
    return _Place(place, tuple(keys), ast.unparse(value), is_many)


def storing_line(
    scope: Scope, name: str, near: int = 0, keys: tuple[str, ...] = ()
) -> Storing | None:
    """Find what fills the container called `name`, or the one behind these keys of it.

    Of several, the one nearest to a line. Where nothing does, or that line itself does it, find
    what assigns that name.
    """
    bound = _bound_methods(scope)
    stores = [
        (
            place.keys[: len(keys)] != keys,
            Storing(it.lineno, ast.unparse(it), place.value, is_many=place.is_many),
        )
        for it in statements(scope, name)
        for place in _stored(it, bound)
        if is_named(place.name, name, scope)
    ]
    begun = [
        Storing(it.lineno, ast.unparse(it), ast.unparse(value), True)
        for it in statements(scope, name)
        for target, value in assigned(it)
        if is_named(target, name, scope)
    ]
    nearest = min(begun, key=lambda it: abs(it.line - near), default=None)
    is_here = nearest is not None and nearest.line == near
    if stores and not (is_here and all(it.line != near for _, it in stores)):
        return min(stores, key=lambda it: (it[0], abs(it[1].line - near)))[1]
    if is_here:
        return nearest
    return _stored_by_another_name(scope, name, near) or nearest


def _stored_by_another_name(scope: Scope, name: str, near: int) -> Storing | None:
    """Find what fills a container through `rows = self.rows`, or an attribute called like it on the
    line where the tensor is born."""
    bound = _bound_methods(scope)
    others = {
        target.id
        for it in statements(scope, name)
        for target, value in assigned(it)
        if isinstance(target, ast.Name) and is_named(value, name, scope)
    }
    found = [
        Storing(it.lineno, ast.unparse(it), place.value, is_many=place.is_many)
        for it in statements(Scope(scope.file))
        for place in _stored(it, bound)
        if (isinstance(place.name, ast.Name) and place.name.id in others)
        or (it.lineno <= near <= (it.end_lineno or 0) and _last_part(place.name) == name)
    ]
    return min(found, key=lambda it: abs(it.line - near), default=None)
