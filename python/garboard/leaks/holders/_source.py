"""Reads the user's source for the line that stores, and for how to mend it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from garboard.leaks.holders._mending import changed_in_place, is_read_of
from garboard.leaks.holders._statements import (
    FUNCTIONS,
    Scope,
    read_once,
    remembered,
    statement_at,
    statements,
    tree_of,
)

__all__ = [
    "Accumulation",
    "Place",
    "Storing",
    "accumulation_at",
    "assigned",
    "base_of",
    "callee",
    "calling_line",
    "calls_at",
    "grown_by",
    "is_context_variable",
    "is_given",
    "is_named",
    "joining",
    "last_part",
    "places_of",
    "target_by_key",
    "target_called",
    "text_at",
    "variable_called",
]

_STORES = {
    "add", "append", "appendleft", "extend", "insert", "put", "put_nowait", "set", "setdefault",
    "extendleft", "update",
}  # fmt: skip
_STORES_MANY = {"extend", "extendleft", "update"}
# What puts an item of the library's own making into something, and the item is in this.
_WRAPS = {
    "add_done_callback", "add_module", "add_param_group", "call_at", "call_later", "call_soon",
    "callback", "enter_async_context", "enter_context", "push", "push_async_callback",
    "push_async_exit", "register_buffer", "register_parameter", "submit",
}  # fmt: skip
_STORES_INTO_FIRST = {
    "heappush", "heappushpop", "insort", "insort_left", "insort_right", "setattr",
}  # fmt: skip


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

    Or, where there is none, the line that assigns the variable. `is_only` where no other line
    fills it.
    """

    line: int
    statement: str
    value: str
    is_assignment: bool = False
    is_many: bool = False
    is_only: bool = False


def accumulation_at(file: str, line: int) -> Accumulation | None:
    """Return what the statement on a line adds to what."""
    statement = statement_at(file, line)
    if isinstance(statement, ast.AugAssign):
        return _accumulation(statement, statement.target)
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = ast.unparse(statement.targets[0])
        parts = (it for it in ast.walk(statement.value) if isinstance(it, ast.expr))
        if any(is_read_of(it, target) for it in parts if _is_place(it) or isinstance(it, ast.Call)):
            return _accumulation(statement, statement.targets[0])
    changed = changed_in_place(statement) if isinstance(statement, ast.Expr) else None
    return _accumulation(statement, changed) if statement and changed else None


def _accumulation(statement: ast.stmt, target: ast.expr) -> Accumulation:
    is_augmented = isinstance(statement, ast.AugAssign)
    return Accumulation(
        ast.unparse(target), last_part(target), is_augmented, ast.unparse(statement)
    )


def last_part(place: ast.expr) -> str:
    """Return a variable, an attribute or a key, without what it is of."""
    if isinstance(place, ast.Attribute):
        return place.attr
    return ast.unparse(place.slice if isinstance(place, ast.Subscript) else place)


def target_by_key(target: str) -> str | None:
    """Return `sums` of `self.sums[name]`; None of a key that is written out, or where none is."""
    tree = ast.parse(target, mode="eval").body
    if not isinstance(tree, ast.Subscript) or isinstance(tree.slice, ast.Constant):
        return None
    return last_part(tree.value)


def target_called(statement: str, name: str) -> str | None:
    """Return `self.state` of a statement that assigns it, for `state`."""
    tree = ast.parse(statement).body[0]
    targets = (target for target, _ in assigned(tree))
    return next((ast.unparse(it) for it in targets if last_part(it) == name), None)


def variable_called(file: str, name: str) -> str:
    """Return `_seen` of `_seen = ContextVar("seen")`, for `seen`; this where there is none."""
    made = _context_variables(file)
    return next((variable for variable, text in made.items() if text == name), name)


def is_context_variable(file: str, variable: str) -> bool:
    """Tell whether a variable is given a `ContextVar`, whose `get()` takes nothing out."""
    return variable in _context_variables(file)


def _context_variables(file: str) -> dict[str, object]:
    """Return what the context variables of a file are called, by the variables that have them."""
    return remembered(
        file,
        "context variables",
        lambda: {
            ast.unparse(target): getattr(value.args[0] if value.args else None, "value", None)
            for statement in statements(Scope(file))
            for target, value in assigned(statement)
            if isinstance(value, ast.Call) and callee(value) == "ContextVar"
        },
    )


def calls_at(file: str, line: int) -> set[str]:
    """Return the names of what the statement on a line calls."""
    statement = statement_at(file, line)
    return _called_in(statement) if statement else set()


def _called_in(statement: ast.stmt) -> set[str]:
    return {callee(it) for it in ast.walk(statement) if isinstance(it, ast.Call)}


def callee(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def is_given(file: str, keyword: str) -> bool:
    """Tell whether some call of a file gives an argument by this name."""
    tree = tree_of(file)
    return any(
        isinstance(it, ast.keyword) and it.arg == keyword for it in (ast.walk(tree) if tree else ())
    )


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


class Place(NamedTuple):
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


def _stored(statement: ast.stmt, bound: Mapping[str, ast.Attribute]) -> Iterator[Place]:
    """Yield the containers that a statement stores into, also by a method that has a name."""
    if isinstance(statement, ast.AugAssign):
        is_sum = isinstance(statement.target, ast.Subscript) and _is_place(statement.value)
        yield _place(statement.target, statement.value, not is_sum)
    for target, value in assigned(statement):
        if isinstance(target, ast.Subscript):
            yield _place(target, value)
        elif (added := grown_by(target, value)) is not None:
            yield _place(target, *added)
    if hasattr(statement, "body"):  # its statements come by themselves
        return
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call):
            continue
        for it in node.keywords:  # replace(state, trace=(*state.trace, x))
            for part in ast.walk(it.value):
                if not isinstance(part, ast.Attribute) or part.attr != it.arg:
                    continue
                if (added := grown_by(part, it.value)) is not None:
                    yield _place(part, *added)
        if not node.args:
            continue
        called = bound.get(ast.unparse(node.func), node.func)
        name = getattr(called, "attr", getattr(called, "id", ""))
        if name in _STORES_INTO_FIRST and len(node.args) > 1:
            yield _place(node.args[0], node.args[-1])
        elif isinstance(called, ast.Attribute) and name in _STORES | _WRAPS:
            yield _place(called.value, node.args[-1], name in _STORES_MANY | _WRAPS)


def grown_by(target: ast.expr, value: ast.expr) -> tuple[ast.expr, bool] | None:
    """Return what `rows = rows + [x]`, `rows = [*rows, x]` or `head = Node(x, head)` adds to what
    it makes anew, and whether that has many items; None where something else may come of it."""
    name = ast.unparse(target)
    if isinstance(value, ast.Call) and callee(value)[:1].isupper():
        given = [*value.args, *(it.value for it in value.keywords)]
        others = [it for it in given if ast.unparse(it) != name]
        is_node = len(others) < len(given) and not all(
            isinstance(it, ast.Constant) for it in others
        )
        return (others[-1], False) if is_node else None
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add | ast.BitOr):
        sides = [value.left, value.right]
        others = [it for it in sides if ast.unparse(it) != name]
        is_display = any(isinstance(it, _DISPLAYS) for it in others)
        return (others[0], True) if len(others) == 1 and is_display else None
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        old = [ast.unparse(it).removeprefix("*") == name for it in value.elts]
        others = [it for it, is_old in zip(value.elts, old, strict=True) if not is_old]
        if any(old) and others:
            return others[-1], isinstance(others[-1], ast.Starred)
    if isinstance(value, ast.Dict):
        old = [not key and ast.unparse(it) == name for key, it in _pairs(value)]
        others = [it for (_, it), is_old in zip(_pairs(value), old, strict=True) if not is_old]
        if any(old) and others:
            return others[-1], False
    return None


_DISPLAYS = ast.Tuple | ast.List | ast.Set | ast.Dict | ast.ListComp | ast.SetComp | ast.DictComp


def _pairs(display: ast.Dict) -> list[tuple[ast.expr | None, ast.expr]]:
    return list(zip(display.keys, display.values, strict=True))


def places_of(scope: Scope) -> Callable[[ast.stmt], tuple[Place, ...]]:
    """Return what tells the containers that a statement of a file stores into."""
    file = scope.file
    bound = remembered(file, "bound methods", lambda: _bound_methods(file))
    return lambda it: remembered(file, (it, "stores"), lambda: tuple(_stored(it, bound)))


def _bound_methods(file: str) -> dict[str, ast.Attribute]:
    """Return what is called `add` after `add = losses.append`."""
    return {
        ast.unparse(target): value
        for statement in statements(Scope(file))
        for target, value in assigned(statement)
        if isinstance(value, ast.Attribute) and value.attr in _STORES
    }


def _place(place: ast.expr, value: ast.expr, is_many: bool = False) -> Place:
    """`history` and `'loss'` of `history['loss']`."""
    keys: list[str] = []
    while (step := _key_of(place)) is not None:
        place, key = step
        keys[:0] = key
    return Place(place, tuple(keys), ast.unparse(value), is_many)


def base_of(place: ast.expr) -> ast.expr:
    """Return `rows` of `rows[key]` and of `rows.get(key, [])`."""
    while (step := _key_of(place)) is not None:
        place = step[0]
    return place


def _key_of(place: ast.expr) -> tuple[ast.expr, list[str]] | None:
    """Take off the last key: of `rows[key]`, of `rows.get(key)`, of a variable's `get()`."""
    if isinstance(place, ast.Subscript):
        return place.value, [ast.unparse(place.slice)]
    if not isinstance(place, ast.Call) or not isinstance(place.func, ast.Attribute):
        return None
    if place.func.attr not in ("get", "setdefault"):
        return None
    return place.func.value, [ast.unparse(it) for it in place.args[:1]]


def calling_line(file: str, names: set[str], near: int) -> int | None:
    """Return the line of the statement nearest to a line that calls something of these names."""
    found = [
        it.lineno
        for it in statements(Scope(file))
        if not hasattr(it, "body") and names & _called_in(it)
    ]
    return min(found, key=lambda line: abs(line - near), default=None)


_JOINING = {"cat", "concat", "concatenate", "hstack", "stack", "vstack"}


@read_once
def joining(scope: Scope, name: str) -> str:
    """Return what makes one tensor of the items of `name`, such as `stack`, or "backward" where one
    that is made of them has it called; empty where nothing does."""
    found = (
        callee(node)
        for statement in statements(scope, name)
        if not hasattr(statement, "body")
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and callee(node) in _JOINING
        if any(is_named(part, name, scope) for it in node.args for part in ast.walk(it))
    )
    is_passed = any(_goes_backward(it, name, scope) for it in _readers(scope, name))
    return next(found, "") or ("backward" if is_passed else "")


def _readers(scope: Scope, name: str) -> list[list[ast.AST]]:
    """Return the nodes of each function that may read `name`: an attribute, in the whole file."""
    if not scope.is_attribute:
        return [list(statements(scope, name))]
    found = (it for it in statements(Scope(scope.file)) if isinstance(it, FUNCTIONS))
    return [list(ast.walk(it)) for it in found]


def _goes_backward(nodes: list[ast.AST], name: str, scope: Scope) -> bool:
    """Tell whether a function calls `backward()` on what it makes of the items of `name`.

    for log_prob, reward in zip(policy.log_probs, policy.rewards):
        losses.append(-log_prob * reward)
    sum(losses).backward()
    """
    made: dict[str, int] = {}  # by their names, the line from which on each is made of it

    def is_of_it(node: ast.AST) -> bool:
        read = [it for it in ast.walk(node) if isinstance(it, ast.Name | ast.Attribute)]
        known = (made.get(it.id, it.lineno + 1) for it in read if isinstance(it, ast.Name))
        lines = (it.lineno for it in read if isinstance(it, ast.Name))
        of_made = any(first <= line for first, line in zip(known, lines, strict=True))
        return of_made or any(is_named(it, name, scope) for it in read)

    calls = {id(it): it for node in nodes for it in _calls_in(node)}
    passes = [it for it in calls.values() if callee(it) == "backward"]
    ends = [it.func.value for it in passes if isinstance(it.func, ast.Attribute)]
    if not ends:
        return False
    pairs = [pair for node in nodes for pair in _given_names(node)]
    for call in calls.values():
        if callee(call) == "append" and call.args and isinstance(call.func, ast.Attribute):
            pairs.append((call.func.value, call.args[0]))
    size = -1
    while size != len(made):
        size = len(made)
        for target, value in pairs:
            if isinstance(target, ast.Name) and is_of_it(value):
                made[target.id] = min(made.get(target.id, target.lineno), target.lineno)
    return any(map(is_of_it, ends))


def _calls_in(node: ast.AST) -> Iterator[ast.Call]:
    return (it for it in ast.walk(node) if isinstance(it, ast.Call))


def _given_names(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement gives values to, each with what it is made of."""
    yield from assigned(node)
    if isinstance(node, ast.AugAssign):
        yield node.target, node.value
    elif isinstance(node, ast.For | ast.AsyncFor):
        yield from ((it, node.iter) for it in ast.walk(node.target) if isinstance(it, ast.Name))
