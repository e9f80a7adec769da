"""Reads the user's source for how many items a container is allowed: what its length is compared
with, and how much of it a slice leaves.

overflow = len(rows) - most         # `overflow > 0` compares the length with `most`
if overflow > 0:
    del rows[:overflow]
rows = rows[-most:]
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from garboard.leaks.holders._source import assigned, callee, is_named
from garboard.leaks.holders._statements import Scope, read_once, statements

__all__ = ["Compared", "Meant", "compared", "left_by_slices", "meant", "own_parts"]


class Meant:
    """Tells expressions that are the container of a name, or one of the containers in it.

    `rows[key]`, and `row` of `row = rows[key]` and of `for row in rows`.
    """

    def __init__(self, scope: Scope, name: str) -> None:
        self._scope, self._name = scope, name
        self._others: set[str] = set()
        self.lengths: dict[str, ast.expr] = {}
        self.measures = _measures_of(scope, name)
        for statement in statements(scope, name):
            if isinstance(statement, ast.For) and self._is_read_in(statement.iter):
                names = (it for it in ast.walk(statement.target) if isinstance(it, ast.Name))
                self._others.update(it.id for it in names)
            for target, value in assigned(statement):
                if isinstance(target, ast.Name) and self._is_item(value):
                    self._others.add(target.id)
        for statement in statements(scope, name):
            for target, value in assigned(statement):
                if isinstance(target, ast.Name | ast.Attribute) and _has_length(value, self):
                    self.lengths[ast.unparse(target)] = value

    def __call__(self, node: ast.expr) -> bool:
        while isinstance(node, ast.Subscript):
            node = node.value
        is_other = isinstance(node, ast.Name) and node.id in self._others
        return is_other or is_named(node, self._name, self._scope)

    def _is_read_in(self, node: ast.expr) -> bool:
        return any(is_named(it, self._name, self._scope) for it in ast.walk(node))

    def _is_item(self, node: ast.expr) -> bool:
        """`rows[key]`, `rows.get(key)`, `rows.setdefault(key, [])`"""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_asked = node.func.attr in ("get", "setdefault")
            return is_asked and is_named(node.func.value, self._name, self._scope)
        return (
            isinstance(node, ast.Subscript)
            and not isinstance(node.slice, ast.Slice)
            and is_named(node.value, self._name, self._scope)
        )


class Compared(NamedTuple):
    """What a length is compared with; `is_left` where it stands as the left side would."""

    limit: ast.expr
    is_left: bool


@read_once
def meant(scope: Scope, name: str) -> Meant:
    """Return what tells the container of a name."""
    return Meant(scope, name)


def compared(node: ast.Compare, is_meant: Meant) -> list[Compared]:
    """Return `most` of `len(name) < most`, also of `len(name) - most < 0`."""
    sides = [node.left, *node.comparators]
    found = []
    for left, right in itertools.pairwise(sides):
        for side, other, is_left in ((left, right, True), (right, left, False)):
            limit = _solved(side, other, is_left, is_meant)
            if limit is not None:
                found.append(limit)
    return found


def own_parts(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of a statement, not those of statements in it."""
    if not hasattr(statement, "body"):
        return ast.walk(statement)
    test = getattr(statement, "test", None)
    return ast.walk(test) if test is not None else iter(())


def left_by_slices(scope: Scope, name: str, is_meant: Meant) -> list[ast.expr]:
    """Return how many items statements leave: of `rows = rows[-most:]`, `del rows[:-most]`,
    `rows = nlargest(most, rows)`."""
    found: list[ast.expr | None] = []
    for statement in statements(scope, name):
        if isinstance(statement, ast.For):  # for old in sorted(saved)[:-most]: del saved[old]
            found += _left_over(statement.iter, name, scope)
        if isinstance(statement, ast.Delete):
            gone = [it for it in statement.targets if isinstance(it, ast.Subscript)]
            found += (_kept_by_deletion(it.slice) for it in gone if is_meant(it.value))
        for target, value in assigned(statement):
            whole = target
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
                whole = target.value
            if is_named(whole, name, scope) and any(
                is_named(it, name, scope) for it in ast.walk(value)
            ):
                found += map(_kept_by_value, ast.walk(value))
    return [it for it in found if it is not None]


def _left_over(node: ast.expr, name: str, scope: Scope) -> list[ast.expr]:
    """`most` of `sorted(saved)[:-most]`"""
    cut = [it for it in ast.walk(node) if isinstance(it, ast.Subscript)]
    found = (
        _kept_by_deletion(it.slice)
        for it in cut
        if any(is_named(part, name, scope) for part in ast.walk(it.value))
    )
    return [it for it in found if it is not None]


def _kept_by_deletion(part: ast.expr) -> ast.expr | None:
    """`most` of `del rows[:-most]` and of `del rows[most:]`"""
    if not isinstance(part, ast.Slice):
        return None
    if part.lower is None and isinstance(part.upper, ast.UnaryOp):
        return part.upper.operand
    is_rest = part.lower is not None and part.upper is None
    return part.lower if is_rest and not isinstance(part.lower, ast.UnaryOp) else None


def _kept_by_value(node: ast.AST) -> ast.expr | None:
    """`most` of `[...][-most:]`, of `[...][:most]`, of `nlargest(most, ...)`"""
    if isinstance(node, ast.Call) and callee(node) in ("nlargest", "nsmallest") and node.args:
        return node.args[0]
    if isinstance(node, ast.Call) and callee(node) == "deque":
        given = [*node.args[1:2], *(it.value for it in node.keywords if it.arg == "maxlen")]
        return given[0] if given else None
    part = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(part, ast.Slice) or part.step is not None:
        return None
    if part.upper is None and isinstance(part.lower, ast.UnaryOp):
        return part.lower.operand
    is_first = part.lower is None and not isinstance(part.upper, ast.UnaryOp)
    return part.upper if is_first else None


def _has_length(node: ast.expr, is_meant: Meant) -> bool:
    return any(isinstance(it, ast.expr) and _is_length(it, is_meant) for it in ast.walk(node))


def _is_length(node: ast.expr, is_meant: Meant) -> bool:
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Attribute) and node.attr in is_meant.measures
    if callee(node) in is_meant.measures and not node.args:  # self.size()
        return True
    if not isinstance(node.func, ast.Name) or node.func.id != "len":
        return False
    is_whole = "__len__" in is_meant.measures and any(map(_is_self, node.args))
    return is_whole or any(map(is_meant, node.args))


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _measures_of(scope: Scope, name: str) -> set[str]:
    """Return the methods that give the length of an attribute, and do nothing else."""
    found = set()
    for it in statements(scope, name) if scope.is_attribute else ():
        if not isinstance(it, ast.FunctionDef) or not isinstance(it.body[-1], ast.Return):
            continue
        given = it.body[-1].value
        is_length = isinstance(given, ast.Call) and callee(given) == "len" and len(given.args) == 1
        if is_length and is_named(given.args[0], name, scope):  # type: ignore[union-attr]
            found.add(it.name)
    return found


_SOLVED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
}
_DEEPEST = 4  # steps of solving


def _solved(
    side: ast.expr, other: ast.expr, is_left: bool, is_meant: Meant, depth: int = 0
) -> Compared | None:
    """Return what the length itself is compared with where `side`, made of it, is with `other`."""
    if _is_length(side, is_meant):
        return Compared(other, is_left)
    if depth == _DEEPEST:
        return None
    if isinstance(side, ast.NamedExpr):
        return _solved(side.value, other, is_left, is_meant, depth + 1)
    if isinstance(side, ast.Name | ast.Attribute):
        value = is_meant.lengths.get(ast.unparse(side))
        return _solved(value, other, is_left, is_meant, depth + 1) if value is not None else None
    if not isinstance(side, ast.BinOp) or (inverse := _SOLVED.get(type(side.op))) is None:
        return None
    if _has_length_within(side.left, is_meant):
        rest = ast.BinOp(other, inverse(), side.right)
        return _solved(side.left, rest, is_left, is_meant, depth + 1)
    if isinstance(side.op, ast.Sub):  # most - len(rows) < 0
        rest = ast.BinOp(side.left, ast.Sub(), other)
        return _solved(side.right, rest, not is_left, is_meant, depth + 1)
    if isinstance(side.op, ast.Add | ast.Mult):
        rest = ast.BinOp(other, inverse(), side.left)
        return _solved(side.right, rest, is_left, is_meant, depth + 1)
    return None


def _has_length_within(node: ast.expr, is_meant: Meant) -> bool:
    if _has_length(node, is_meant):
        return True
    read = (it for it in ast.walk(node) if isinstance(it, ast.Name | ast.Attribute))
    return any(ast.unparse(it) in is_meant.lengths for it in read)
