"""Reads the user's source for what takes items out of a container, or keeps it from growing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple, TypeGuard

from garboard.leaks.holders._guards import Asked, Guards
from garboard.leaks.holders._limits import Meant, compared, left_by_slices, meant, own_parts
from garboard.leaks.holders._source import (
    assigned,
    callee,
    grown_by,
    is_context_variable,
    is_named,
    places_of,
)
from garboard.leaks.holders._statements import (
    FUNCTIONS,
    MAKERS,
    Scope,
    read_once,
    remembered,
    statements,
)

__all__ = [
    "NOTHING",
    "Reach",
    "guards_of_storings",
    "guards_of_takings",
    "is_begun_anew",
    "is_emptied",
    "is_in_loop",
    "is_trimmed",
    "limits",
]


_TAKES = {"discard", "pop", "popitem", "popleft", "remove"}
_TAKES_FROM_FIRST = {"heappop", "heappushpop", "heapreplace"}
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def _never(number: ast.expr) -> bool:
    return False


class Reach(NamedTuple):
    """What is known of numbers that the program compares with.

    Attributes:
        is_outgrown: Tells whether the container has far more items than a number.
        is_far: Tells whether it has far fewer.
        is_long: Tells whether nobody waits for so many steps.
    """

    is_outgrown: Asked = _never
    is_far: Asked = _never
    is_long: Asked = _never


NOTHING = Reach()


def is_emptied(scope: Scope, name: str, reach: Reach = NOTHING) -> bool:
    """Tell whether there is code that takes items out of the container called `name`.

    Or that looks at its length before it stores, or stores by an index that comes round; or that
    begins it anew: in a loop, or, for an attribute, in another function than `__init__`. A length
    that is outgrown has bounded nothing: `if len(replay) > batch_size: train()`. Nor has one that
    is far away, where it ends all items at once.
    """
    if is_trimmed(scope, name, reach):
        return True
    guards = _guards_of(scope, name, reach)
    return any(not guards.keep(it) for it in _endings(scope, name))


def is_trimmed(scope: Scope, name: str, reach: Reach = NOTHING) -> bool:
    """Tell the same, except of code that ends all items at once: that may run late, or never."""
    if _is_ring(scope, name) or not all(map(reach.is_outgrown, limits(scope, name, reach))):
        return True
    in_vain = _guards_of(scope, name, reach._replace(is_far=_never, is_long=_never))
    return any(not in_vain.keep(it) for it in _takings(scope, name))


@read_once
def _takings(scope: Scope, name: str) -> list[ast.AST]:
    """Return what takes some items out."""
    is_meant = meant(scope, name)
    return [
        node
        for statement in statements(scope, name)
        if not hasattr(statement, "body")
        for node in ast.walk(statement)
        if _takes(node, name, scope, is_meant)
    ]


def limits(scope: Scope, name: str, reach: Reach = NOTHING) -> list[ast.expr]:
    """Return what the length of the container called `name` is compared with: `len(name) < 100`.

    Not what is far away, where that ends all items at once: it bounds nothing.
    """
    found = list(_all_limits(scope, name))
    far = [it for it in found if reach.is_far(it)]
    if not far:
        return found
    ends, guards = _endings(scope, name), _guards_of(scope, name, reach)
    is_for_the_end = bool(ends) and all(map(guards.keep, ends))
    return [it for it in found if it not in far] if is_for_the_end else found


@read_once
def _all_limits(scope: Scope, name: str) -> list[ast.expr]:
    is_meant = meant(scope, name)
    found = [
        it.limit
        for statement in statements(scope, name)
        for part in own_parts(statement)
        if isinstance(part, ast.Compare)
        if not isinstance(statement, ast.Assert) or _is_order(part)
        for it in compared(part, is_meant)
    ]
    return found + left_by_slices(scope, name, is_meant)


@read_once
def guards_of_takings(scope: Scope, name: str) -> list[tuple[ast.expr, ast.expr]]:
    """Return the sides of the comparisons that have to hold before items are taken out, the one
    first that has to be larger: of `while self.bytes > self.most_bytes:`."""
    is_meant = meant(scope, name)
    found = []
    for statement in statements(scope, name):
        test = statement.test if isinstance(statement, ast.If | ast.While) else None
        tests = test.values if isinstance(test, ast.BoolOp) else [test]
        body = statement.body if isinstance(statement, ast.If | ast.While) else []
        below = (node for it in body for node in ast.walk(it))
        if not any(_takes(node, name, scope, is_meant) for node in below):
            continue
        for it in tests:
            if not isinstance(it, ast.Compare) or len(it.ops) != 1:
                continue
            if isinstance(it.ops[0], ast.Gt | ast.GtE):
                found.append((it.left, it.comparators[0]))
            elif isinstance(it.ops[0], ast.Lt | ast.LtE):
                found.append((it.comparators[0], it.left))
    return found


@read_once
def guards_of_storings(scope: Scope, name: str) -> list[tuple[ast.expr, ast.expr]]:
    """Return what counts up to what, as long as items are stored: of `if step < 100: rows.append()`
    the sides, the counter first."""
    places, counters = places_of(scope), _counters_in(scope.file)
    found = []
    for statement in statements(scope, name):
        test = statement.test if isinstance(statement, ast.If) else None
        if not isinstance(statement, ast.If) or not isinstance(test, ast.Compare):
            continue
        stored = (place for it in statement.body for place in places(it))
        if len(test.ops) != 1 or not any(is_named(it.name, name, scope) for it in stored):
            continue
        sides = [test.left, test.comparators[0]]
        if isinstance(test.ops[0], ast.Gt | ast.GtE):
            sides.reverse()
        elif not isinstance(test.ops[0], ast.Lt | ast.LtE):
            continue
        is_counter = [ast.unparse(it) in counters for it in sides]
        if is_counter == [True, False]:
            found.append((sides[0], sides[1]))
    return found


def _counters_in(file: str) -> set[str]:
    """Return what loops count, and what is added to."""
    return remembered(file, "counters", lambda: _read_counters(file))


def _read_counters(file: str) -> set[str]:
    found: set[str] = set()
    for it in statements(Scope(file)):
        if isinstance(it, ast.For):
            found.add(ast.unparse(_counter(it)))
        elif isinstance(it, ast.AugAssign) and isinstance(it.op, ast.Add):
            found.add(ast.unparse(it.target))
    return found


def _guards_of(scope: Scope, name: str, reach: Reach) -> Guards:
    """Return what tells which statements never run, by lengths and by every so many steps."""
    is_meant = meant(scope, name)

    def is_vain(test: ast.expr) -> bool:
        if _asks_whether_made(test, name):
            return True
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):  # not step % 100
            return _is_remainder(test.operand) and reach.is_long(test.operand.right)
        if not isinstance(test, ast.Compare) or len(test.ops) != 1:
            return False
        (op,), is_equal = test.ops, isinstance(test.ops[0], ast.Eq)
        if is_equal and _is_remainder(test.left):  # step % 100 == 0
            return reach.is_long(test.left.right)
        (number, is_left), *_ = [*compared(test, is_meant), (None, False)]
        if number is None:
            return False
        is_least = isinstance(op, ast.Gt | ast.GtE if is_left else ast.Lt | ast.LtE)
        is_most = isinstance(op, ast.Lt | ast.LtE if is_left else ast.Gt | ast.GtE)
        return ((is_least or is_equal) and reach.is_far(number)) or (
            (is_most or is_equal) and reach.is_outgrown(number)
        )

    return Guards(scope.file, is_vain)


def _asks_whether_made(test: ast.expr, name: str) -> bool:
    """`not hasattr(self, "rows")`, `self.rows is None`, `"rows" not in vars(self)`, `not rows`:
    what runs then makes it for the first time."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        asked = test.operand
        if isinstance(asked, ast.Call) and callee(asked) == "hasattr":
            return any(isinstance(it, ast.Constant) and it.value == name for it in asked.args)
        return getattr(asked, "attr", getattr(asked, "id", "")) == name
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    left, (op,), (right,) = test.left, test.ops, test.comparators
    if isinstance(op, ast.NotIn):
        return isinstance(left, ast.Constant) and left.value == name
    if not isinstance(op, ast.Is) or not (isinstance(right, ast.Constant) and right.value is None):
        return False
    if isinstance(left, ast.Call) and callee(left) == "getattr":
        return any(isinstance(it, ast.Constant) and it.value == name for it in left.args)
    return getattr(left, "attr", getattr(left, "id", "")) == name


def _is_order(test: ast.Compare) -> bool:
    """Tell whether sides are said to be smaller or larger: what equals something is no bound."""
    return not any(isinstance(it, ast.Eq | ast.NotEq) for it in test.ops)


def _is_remainder(node: ast.expr) -> TypeGuard[ast.BinOp]:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod)


@read_once
def _endings(scope: Scope, name: str) -> list[ast.AST]:
    """Return what ends all items at once, or begins the container anew."""
    is_meant = meant(scope, name)
    makers = {*MAKERS, *_decorators_in(scope.file)}
    found: list[ast.AST] = []
    for statement in statements(scope, name):
        if isinstance(statement, _LOOPS):
            found += (it for part in statement.body for it in _assigning(part, name, scope))
        is_method = isinstance(statement, ast.FunctionDef) and statement.name not in makers
        if is_method and scope.is_attribute:
            begun = list(_assigning(statement, name, scope))
            new = _made_in(statement) if begun else set()
            found += (it for it in begun if not _is_of(it, name, new))
        if not hasattr(statement, "body"):
            found += (node for node in ast.walk(statement) if _clears(node, is_meant))
    return found


def _decorators_in(file: str) -> set[str]:
    """Return the names of what decorates classes and functions: it runs once for each."""
    return remembered(file, "decorators", lambda: _read_decorators(file))


def _read_decorators(file: str) -> set[str]:
    found = (it for node in statements(Scope(file)) for it in getattr(node, "decorator_list", ()))
    return {str(getattr(it, "id", getattr(getattr(it, "func", None), "id", ""))) for it in found}


def _made_in(function: ast.stmt) -> set[str]:
    """Return what a function calls its own functions and the objects that it makes: what is
    assigned to their attributes is there for the first time."""
    nested = {it.name for it in ast.walk(function) if isinstance(it, FUNCTIONS[:2])}
    objects = {
        target.id
        for node in ast.walk(function)
        for target, value in assigned(node)
        if isinstance(target, ast.Name)
        and isinstance(value, ast.Call)
        and callee(value)[:1].isupper()
    }
    return nested | objects


def _is_of(node: ast.AST, name: str, owners: set[str]) -> bool:
    """Tell whether what is assigned as `name` is one of these variables' attribute."""
    targets = [it for it, _ in assigned(node) if isinstance(it, ast.Attribute) and it.attr == name]
    return any(isinstance(it.value, ast.Name) and it.value.id in owners for it in targets)


@read_once
def is_begun_anew(scope: Scope, name: str) -> bool:
    """Tell whether a loop assigns something to a name that is made without it."""
    return any(
        is_named(target, name, scope)
        for statement in statements(scope, name)
        if isinstance(statement, _LOOPS)
        for part in statement.body
        for node in ast.walk(part)
        for target, value in assigned(node)
        if not any(is_named(it, name, scope) for it in ast.walk(value))
    )


def is_in_loop(file: str, line: int, after: int = 0) -> bool:
    """Tell whether a line stands in a loop that begins after another line."""
    return any(
        isinstance(statement, _LOOPS)
        and statement.lineno > after
        and statement.body[0].lineno <= line <= (statement.end_lineno or 0)
        for statement in statements(Scope(file))
    )


@read_once
def _is_ring(scope: Scope, name: str) -> bool:
    """`name[at] = ...`, and `at` comes round: it is wrapped, or a loop in a loop counts it."""
    slices = [
        target.slice
        for statement in statements(scope, name)
        for target, _ in assigned(statement)
        if isinstance(target, ast.Subscript) and is_named(target.value, name, scope)
    ]
    if any(_has_remainder(it) for it in slices):  # name[i % most]
        return True
    indexes = {ast.unparse(it) for it in slices if isinstance(it, ast.Name | ast.Attribute)}
    if not indexes:
        return False
    if any(_wraps(statement, indexes) for statement in statements(Scope(scope.file))):
        return True
    return not scope.is_attribute and any(
        isinstance(loop, ast.For) and ast.unparse(_counter(loop)) in indexes
        for outer in statements(scope, name)
        if isinstance(outer, _LOOPS)
        for loop in ast.walk(outer)
        if loop is not outer
    )


def _counter(loop: ast.For) -> ast.expr:
    """Return `i` of `for i in ...` and of `for i, x in enumerate(...)`."""
    return loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target


def _has_remainder(index: ast.expr) -> bool:
    parts = (it.op for it in ast.walk(index) if isinstance(it, ast.BinOp))
    return any(isinstance(it, ast.Mod) for it in parts)


def _wraps(statement: ast.stmt, indexes: set[str]) -> bool:
    """`at = (at + 1) % most`"""
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.op, ast.Mod) and ast.unparse(statement.target) in indexes
    return any(
        ast.unparse(target) in indexes
        and isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Mod)
        for target, value in assigned(statement)
    )


def _assigning(top: ast.AST, name: str, scope: Scope) -> Iterator[ast.AST]:
    """Yield what assigns something new, and not the same with more in it."""
    return (
        node
        for node in ast.walk(top)
        for target, value in assigned(node)
        if is_named(target, name, scope) and grown_by(target, value) is None
    )


def _takes(node: ast.AST, name: str, scope: Scope, is_meant: Meant) -> bool:
    if isinstance(node, ast.Call) and node.args and is_meant(node.args[0]):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if called in _TAKES_FROM_FIRST:
            return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_get = node.func.attr in ("get", "get_nowait") and not node.args  # of a queue
        is_get = is_get and not is_context_variable(scope.file, name)
        return (is_get or node.func.attr in _TAKES) and is_meant(node.func.value)
    if isinstance(node, ast.Delete):  # del losses[:-100]
        gone = [it for it in node.targets if isinstance(it, ast.Subscript)]
        return any(is_meant(it.value) and not _is_whole(it) for it in gone)
    for target, value in assigned(node):
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            if is_meant(target.value) and not _is_whole(target):  # losses[5:] = []
                return True
        elif (
            is_named(target, name, scope)
            and any(is_named(it, name, scope) for it in ast.walk(value))
            and grown_by(target, value) is None
        ):  # losses = losses[-100:]
            return True
    return False


def _clears(node: ast.AST, is_meant: Meant) -> bool:
    """`losses.clear()`, `del losses[:]`, `losses[:] = []`"""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr == "clear" and is_meant(node.func.value)
    gone = node.targets if isinstance(node, ast.Delete | ast.Assign) else []
    whole = (it for it in gone if isinstance(it, ast.Subscript) and _is_whole(it))
    return any(is_meant(it.value) for it in whole)


def _is_whole(target: ast.Subscript) -> bool:
    """`losses[:]`"""
    part = target.slice
    return isinstance(part, ast.Slice) and part.lower is None and part.upper is None
