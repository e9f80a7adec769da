"""Reads the user's source for the line that stores, and for how to mend it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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
    "calls_at",
    "is_emptied",
    "is_in_loop",
    "storing_line",
    "target_called",
    "text_at",
]

_TAKES = {"clear", "discard", "pop", "popitem", "popleft", "remove"}
_STORES = {
    "add", "append", "appendleft", "extend", "insert", "put", "put_nowait", "set", "setdefault",
    "extendleft", "update",
}  # fmt: skip
_STORES_MANY = {"extend", "extendleft", "update"}


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
    targets = (target for target, _ in _assigned(tree))
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


def _is_named(node: ast.AST, name: str, scope: Scope) -> bool:
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


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
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


def _stored(statement: ast.stmt) -> Iterator[_Place]:
    """Yield the containers that a statement stores into."""
    if isinstance(statement, ast.AugAssign):
        is_sum = isinstance(statement.target, ast.Subscript) and _is_place(statement.value)
        yield _place(statement.target, statement.value, not is_sum)
    for target, value in _assigned(statement):
        if isinstance(target, ast.Subscript):
            yield _place(target, value)
    if hasattr(statement, "body"):  # its statements come by themselves
        return
    for node in ast.walk(statement):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in _STORES and node.args:
            yield _place(node.func.value, node.args[-1], node.func.attr in _STORES_MANY)


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

    Of several, the one nearest to a line. Where nothing does, find what assigns that name.
    """
    stores = [
        (
            place.keys[: len(keys)] != keys,
            Storing(it.lineno, ast.unparse(it), place.value, is_many=place.is_many),
        )
        for it in statements(scope, name)
        for place in _stored(it)
        if _is_named(place.name, name, scope)
    ]
    if stores:
        return min(stores, key=lambda it: (it[0], abs(it[1].line - near)))[1]
    assigned = [
        Storing(it.lineno, ast.unparse(it), ast.unparse(value), True)
        for it in statements(scope, name)
        for target, value in _assigned(it)
        if _is_named(target, name, scope)
    ]
    return min(assigned, key=lambda it: abs(it.line - near), default=None)


def is_emptied(scope: Scope, name: str) -> bool:
    """Tell whether there is code that takes items out of the container called `name`.

    Or that looks at its length before it stores, or stores by an index that comes round; or that
    begins it anew: in a loop, or, for an attribute, in another function than `__init__`.
    """
    if _is_ring(scope, name):
        return True
    for statement in statements(scope, name):
        loop = statement if isinstance(statement, ast.For | ast.AsyncFor | ast.While) else None
        if loop and any(_assigns_within(part, name, scope) for part in loop.body):
            return True
        is_method = isinstance(statement, ast.FunctionDef) and statement.name != "__init__"
        if is_method and scope.is_attribute and _assigns_within(statement, name, scope):
            return True
        test = getattr(statement, "test", None)
        if test is not None and any(_measures(it, name, scope) for it in ast.walk(test)):
            return True
        if hasattr(statement, "body"):
            continue
        if any(_takes(it, name, scope) for it in ast.walk(statement)):
            return True
    return False


def is_in_loop(file: str, line: int, after: int = 0) -> bool:
    """Tell whether a line stands in a loop that begins after another line."""
    return any(
        isinstance(statement, ast.For | ast.AsyncFor | ast.While)
        and statement.lineno > after
        and statement.body[0].lineno <= line <= (statement.end_lineno or 0)
        for statement in statements(Scope(file))
    )


def _measures(node: ast.AST, name: str, scope: Scope) -> bool:
    """`len(name) < most`"""
    return isinstance(node, ast.Compare) and any(
        isinstance(it, ast.Call)
        and isinstance(it.func, ast.Name)
        and it.func.id == "len"
        and any(_is_named(argument, name, scope) for argument in it.args)
        for it in (node.left, *node.comparators)
    )


def _is_ring(scope: Scope, name: str) -> bool:
    """`name[at] = ...`, and somewhere `at = (at + 1) % most`"""
    indexes = {
        ast.unparse(target.slice)
        for statement in statements(scope, name)
        for target, _ in _assigned(statement)
        if isinstance(target, ast.Subscript)
        and _is_named(target.value, name, scope)
        and isinstance(target.slice, ast.Name | ast.Attribute)
    }
    return bool(indexes) and any(
        _wraps(statement, indexes) for statement in statements(Scope(scope.file))
    )


def _wraps(statement: ast.stmt, indexes: set[str]) -> bool:
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.op, ast.Mod) and ast.unparse(statement.target) in indexes
    return any(
        ast.unparse(target) in indexes
        and isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Mod)
        for target, value in _assigned(statement)
    )


def _comes_round(target: ast.AST, name: str, scope: Scope) -> bool:
    """`name[i % most] = ...`"""
    return (
        isinstance(target, ast.Subscript)
        and _is_named(target.value, name, scope)
        and isinstance(target.slice, ast.BinOp)
        and isinstance(target.slice.op, ast.Mod)
    )


def _assigns(node: ast.AST, name: str, scope: Scope) -> bool:
    return any(_is_named(target, name, scope) for target, _ in _assigned(node))


def _assigns_within(top: ast.AST, name: str, scope: Scope) -> bool:
    return any(_assigns(node, name, scope) for node in ast.walk(top))


def _takes(node: ast.AST, name: str, scope: Scope) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _TAKES and _is_named(node.func.value, name, scope)
    if isinstance(node, ast.Delete):
        gone = [it.value for it in node.targets if isinstance(it, ast.Subscript)]
        return any(_is_named(it, name, scope) for it in gone)
    for target, value in _assigned(node):
        if _comes_round(target, name, scope):
            return True
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            if _is_named(target.value, name, scope):  # losses[:] = []
                return True
        elif _is_named(target, name, scope) and any(
            _is_named(it, name, scope) for it in ast.walk(value)
        ):  # losses = losses[-100:]
            return True
    return False
