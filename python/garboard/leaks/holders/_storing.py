"""Reads the user's source for the line that fills a container, also by another name.

def log(rows, value):
    rows.append(value)      # fills `losses`, by a call
...
for rows in (train, val):
    log(rows, loss)
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import NamedTuple

from garboard.leaks.holders._source import (
    Place,
    Storing,
    assigned,
    base_of,
    callee,
    is_named,
    last_part,
    places_of,
)
from garboard.leaks.holders._statements import (
    FUNCTIONS,
    MAKERS,
    Scope,
    first_line,
    function_around,
    function_at,
    outermost_function,
    read_once,
    remembered,
    statement_like,
    statements,
)

__all__ = [
    "argument_of",
    "is_read_later",
    "methods_of",
    "methods_that_fill",
    "returned_by",
    "scopes_given_to",
    "stored_by_another_name",
    "storing_in_class",
    "storing_line",
]


def storing_line(
    scope: Scope, name: str, near: int = 0, keys: tuple[str, ...] = ()
) -> Storing | None:
    """Find what fills the container called `name`, or the one behind these keys of it.

    Of several, the one nearest to a line, rather in the same function. Where nothing does, or that
    line itself does it, find what assigns that name: rather from what it was, as
    `out, h = net(x, h)`, than for the first time.
    """
    key = ("what stores", scope, name, near, keys)
    return remembered(scope.file, key, lambda: _storing_line(scope, name, near, keys))


def _storing_line(scope: Scope, name: str, near: int, keys: tuple[str, ...]) -> Storing | None:
    places = places_of(scope)
    stores = [
        (
            place.keys[: len(keys)] != keys,
            Storing(it.lineno, ast.unparse(it), place.value, is_many=place.is_many),
        )
        for it in statements(scope, name)
        for place in places(it)
        if is_named(place.name, name, scope)
    ]
    begun = [
        (
            it.lineno != near,
            not any(is_named(part, name, scope) for part in ast.walk(value)),
            isinstance(value, ast.Constant),  # which keeps nothing
            _is_made_at(scope, it.lineno),
            Storing(it.lineno, ast.unparse(it), ast.unparse(value), True),
        )
        for it in statements(scope, name)
        for target, value in assigned(it)
        if is_named(target, name, scope)
    ]
    *_, nearest = min(begun, key=lambda it: (*it[:4], abs(it[4].line - near)), default=(None,))
    is_here = nearest is not None and nearest.line == near
    if stores and not (is_here and all(it.line != near for _, it in stores)):
        here = outermost_function(scope.file, near)

        def distance(store: tuple[bool, Storing]) -> tuple[bool, bool, int]:
            is_apart = outermost_function(scope.file, store[1].line) is not here
            return store[0], is_apart and near > 0, abs(store[1].line - near)

        found = min(stores, key=distance)[1]
        return found._replace(is_only=len({it.line for _, it in stores}) == 1)
    if is_here:
        return nearest
    return stored_by_another_name(scope, name, near) or nearest


def is_read_later(file: str, storing: Storing) -> bool:
    """Tell whether what a statement assigns is read behind it, or in another function: for a loss
    of the same step, say."""
    statement = statement_like(file, storing.line, storing.statement)
    targets = {base_of(target) for target, _ in assigned(statement)} if statement else set()
    names = {(type(it), last_part(it)) for it in targets}
    here = function_around(file, storing.line)

    def is_elsewhere(node: ast.expr) -> bool:
        is_apart = function_around(file, node.lineno) is not here
        return isinstance(node, ast.Attribute) if is_apart else node.lineno > storing.line

    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and (type(node), last_part(node)) in names
        and all(node is not target for target in targets)
        and is_elsewhere(node)
        for it in statements(Scope(file))
        if not hasattr(it, "body")
        for node in ast.walk(it)
    )


def storing_in_class(file: str, name: str) -> Storing | None:
    """Find what fills the object itself in a class that is made of a list or a dict."""
    places = places_of(Scope(file))
    return next(
        (
            Storing(it.lineno, ast.unparse(it), place.value, is_many=place.is_many, is_only=True)
            for cls in statements(Scope(file))
            if isinstance(cls, ast.ClassDef) and cls.name == name
            for it in ast.walk(cls)
            if isinstance(it, ast.stmt)
            for place in places(it)
            if isinstance(place.name, ast.Name) and place.name.id == "self"
        ),
        None,
    )


def stored_by_another_name(scope: Scope, name: str, near: int) -> Storing | None:
    """Find what fills a container by another name, or an attribute called like it on the line where
    the tensor is born."""
    places, others = places_of(scope), _other_names(scope, name)
    found: list[Storing] = []
    computed: list[Storing] = []
    set_by_name: list[Storing] = []  # `vars(self)[name] = x`, which makes an attribute of it
    for it in statements(Scope(scope.file)):
        for place in places(it):
            storing = Storing(it.lineno, ast.unparse(it), place.value, is_many=place.is_many)
            is_here = it.lineno <= near <= (it.end_lineno or 0) and last_part(place.name) == name
            if is_here or any(other.is_meant(place.name, it.lineno) for other in others):
                found.append(storing)
            elif scope.is_attribute and _is_computed(place):
                is_itself = isinstance(it, ast.Assign) and len(place.keys) == 1
                (set_by_name if is_itself else computed).append(storing)
    return min(found or computed or set_by_name, key=lambda it: abs(it.line - near), default=None)


def _is_computed(place: Place) -> bool:
    """Tell whether a place is an attribute whose name is no text: `vars(self)[name]`,
    `self.__dict__.setdefault(name, [])`, `getattr(self, name)`."""
    base = place.name
    if isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.args:
        names = [ast.unparse(it) for it in base.args[1:2]] or list(place.keys)
        is_space = base.func.id in ("getattr", "vars")
    else:
        names, is_space = list(place.keys), getattr(base, "attr", "") == "__dict__"
    return is_space and bool(names) and not names[0].startswith(("'", '"'))


class _Name(NamedTuple):
    """A variable or an attribute, and the lines between which it is what is meant."""

    name: str
    is_attribute: bool = False
    first: int = 0
    last: int = sys.maxsize

    def is_meant(self, node: ast.expr, line: int) -> bool:
        found = (getattr(node, "attr", getattr(node, "id", "")), isinstance(node, ast.Attribute))
        return found == self[:2] and self.first <= line <= self.last


_Given = tuple[_Name, ast.expr]  # a name, and what it is another name of


def _other_names(scope: Scope, name: str) -> set[_Name]:
    """Return what else the container called `name` is called in its file."""
    given = remembered(scope.file, "other names", lambda: list(_given_in(scope.file)))
    others: set[_Name] = set()
    size = -1
    while size != len(others):
        size = len(others)
        others |= {
            new
            for new, of in given
            if is_named(of, name, scope) or any(it.is_meant(of, of.lineno) for it in others)
        }
    return others


@read_once
def scopes_given_to(scope: Scope, name: str) -> list[tuple[Scope, str]]:
    """Return the functions of a file that the container called `name` is given to, each with what
    it is called there; and the attributes that are given it."""
    found: list[tuple[Scope, str]] = []
    for other in sorted(_other_names(scope, name)):
        if other.is_attribute:
            found.append((Scope(scope.file, 0, True), other.name))
        elif other.first and (function := function_at(scope.file, other.first)) is not None:
            found.append((Scope(scope.file, first_line(function)), other.name))
    return found


def methods_of(file: str, name: str) -> list[tuple[Scope, str]]:
    """Return the methods of a class, each with what it calls its object."""
    return _methods_in(Scope(file), name)


@read_once
def _methods_in(scope: Scope, name: str) -> list[tuple[Scope, str]]:
    file, found = scope.file, []
    for cls in statements(scope):
        if not isinstance(cls, ast.ClassDef) or cls.name != name:
            continue
        for it in cls.body:
            if isinstance(it, FUNCTIONS[:2]) and (it.args.posonlyargs or it.args.args):
                own = [*it.args.posonlyargs, *it.args.args][0].arg
                found.append((Scope(file, first_line(it)), own))
    return found


def methods_that_fill(file: str, name: str, attribute: str) -> set[str]:
    """Return the names of the methods of a class that store into a container of its own."""
    own = Scope(file, 0, True)
    places = places_of(own)
    return {
        method.name
        for cls in statements(Scope(file))
        if isinstance(cls, ast.ClassDef) and cls.name == name
        for method in cls.body
        if isinstance(method, FUNCTIONS[:2]) and not method.name.startswith("_")
        for it in ast.walk(method)
        if isinstance(it, ast.stmt)
        if any(is_named(place.name, attribute, own) for place in places(it))
    }


def returned_by(file: str, name: str) -> ast.expr | None:
    """Return what a function of a file returns that does nothing else."""
    return _returned_in(Scope(file), name)


@read_once
def _returned_in(scope: Scope, name: str) -> ast.expr | None:
    for it in statements(scope):
        if isinstance(it, ast.FunctionDef) and it.name == name:
            last = it.body[-1]
            is_alone = all(isinstance(part, ast.Expr) for part in it.body[:-1])  # a docstring
            return last.value if is_alone and isinstance(last, ast.Return) else None
    return None


@read_once
def argument_of(scope: Scope, name: str) -> ast.expr | None:
    """Return what the calls in a file give a scope's function for an argument, or its default."""
    function = function_at(scope.file, scope.function)
    if not isinstance(function, FUNCTIONS[:2]):
        return None
    names = [it.arg for it in (*function.args.posonlyargs, *function.args.args)]
    if name not in names and all(it.arg != name for it in function.args.kwonlyargs):
        return None
    is_method = names[:1] in (["self"], ["cls"])
    for statement in statements(Scope(scope.file)):
        for call in ast.walk(statement) if not hasattr(statement, "body") else ():
            if not isinstance(call, ast.Call) or callee(call) != function.name:
                continue
            given = dict(zip(names[is_method:], call.args, strict=False))
            given |= {it.arg: it.value for it in call.keywords if it.arg}
            if name in given:
                return given[name]
    defaults = dict(zip(reversed(names), reversed(function.args.defaults), strict=False))
    pairs = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    defaults |= {it.arg: value for it, value in pairs if value is not None}
    return defaults.get(name)


def _given_in(file: str) -> Iterator[_Given]:
    """Yield the names that assignments, loops and calls give to what has one."""
    functions = {name: it for it in statements(Scope(file)) for name, it in _functions_of(it)}
    for statement in statements(Scope(file)):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            function = functions.get(callee(statement.value))
            yield from _given_back(statement.targets, function) if function is not None else ()
        for target, value in assigned(statement):
            if isinstance(target, ast.Name):  # of `row = rows[key]`, too
                yield _Name(target.id), base_of(value)
            elif isinstance(target, ast.Attribute) and isinstance(value, ast.Name):
                yield _Name(target.attr, True), value
                yield _Name(value.id, False, *_lines_around(file, statement.lineno)), target
        if isinstance(statement, ast.For | ast.AsyncFor):
            names = [it for it in ast.walk(statement.target) if isinstance(it, ast.Name)]
            yield from ((_Name(it.id), of) for it in names for of in _looped_over(statement.iter))
        if isinstance(statement, ast.FunctionDef):
            yield from _given_by_property(statement)
        if hasattr(statement, "body"):
            continue
        for call in ast.walk(statement):
            if isinstance(call, ast.Call):
                for name, given in _calls_in(call):
                    if (function := functions.get(name)) is not None:
                        yield from _given_by(given, call.keywords, function)


def _lines_around(file: str, line: int) -> tuple[int, int]:
    """Return the first and last line of the function that has a line; of the file without one."""
    function = function_around(file, line)
    if function is None:
        return 0, sys.maxsize
    return getattr(function, "lineno", 0), getattr(function, "end_lineno", None) or sys.maxsize


def _is_made_at(scope: Scope, line: int) -> bool:
    """Tell whether an attribute gets its first value on a line, when its object is made."""
    function = function_around(scope.file, line) if scope.is_attribute else None
    return getattr(function, "name", "") in MAKERS


def _functions_of(statement: ast.stmt) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Yield a function by its name, or `__init__` by that of its class."""
    if isinstance(statement, ast.FunctionDef):
        yield statement.name, statement
    if not isinstance(statement, ast.ClassDef):
        return
    for it in statement.body:
        if isinstance(it, ast.FunctionDef) and it.name == "__init__":
            yield statement.name, it


def _given_back(targets: list[ast.expr], function: ast.FunctionDef) -> Iterator[_Given]:
    """Yield what a function calls what it returns: `seen` of `shown = watched(net)`."""
    lines = function.lineno, function.end_lineno or function.lineno
    for it in ast.walk(function):
        if not isinstance(it, ast.Return) or it.value is None:
            continue
        for target in targets:
            pairs = [(target, it.value)]
            if isinstance(target, ast.Tuple) and isinstance(it.value, ast.Tuple):
                pairs = list(zip(target.elts, it.value.elts, strict=False))
            for given, name in pairs:
                if isinstance(name, ast.Name):
                    yield _Name(name.id, False, *lines), given


def _given_by_property(function: ast.FunctionDef) -> Iterator[_Given]:
    """Yield a property's name, and the attribute that it returns."""
    if any(isinstance(it, ast.Name) and it.id == "property" for it in function.decorator_list):
        for it in function.body:
            if isinstance(it, ast.Return) and isinstance(it.value, ast.Attribute):
                yield _Name(function.name, True), it.value


def _calls_in(call: ast.Call) -> Iterator[tuple[str, list[ast.expr]]]:
    """Yield what a call calls, now or later, and with what: `log(rows, x)`, `submit(log, rows, x)`,
    `Thread(target=log, args=(rows, x))`."""
    yield callee(call), call.args
    if call.args and isinstance(call.args[0], ast.Name):
        yield call.args[0].id, call.args[1:]
    named = {it.arg: it.value for it in call.keywords}
    target, args = named.get("target"), named.get("args")
    if isinstance(target, ast.Name) and isinstance(args, ast.Tuple | ast.List):
        yield target.id, args.elts


def _given_by(
    args: list[ast.expr], keywords: list[ast.keyword], function: ast.FunctionDef
) -> Iterator[_Given]:
    """Yield the arguments of a function, each with what a call gives for it."""
    names = [it.arg for it in (*function.args.posonlyargs, *function.args.args)]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    given = [*zip(names, args, strict=False)]
    given += [(it.arg, it.value) for it in keywords if it.arg]
    lines = function.lineno, function.end_lineno or function.lineno
    for name, value in given:
        if isinstance(value, ast.Name | ast.Attribute):
            yield _Name(name, False, *lines), value


def _looped_over(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what a loop has its items of: `a` and `b` of `zip(xs, (a, b))`, `d` of `d.items()`."""
    if isinstance(node, ast.Tuple | ast.List):
        inner = node.elts
    elif isinstance(node, ast.Dict):
        inner = node.values
    elif isinstance(node, ast.Call):
        inner = [node.func.value] if isinstance(node.func, ast.Attribute) else node.args
    else:
        inner = []
        if isinstance(node, ast.Name | ast.Attribute):
            yield node
    for it in inner:
        yield from _looped_over(it)
