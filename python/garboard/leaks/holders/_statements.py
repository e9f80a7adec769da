"""The user's source as syntax: statements, and the functions and blocks that they stand in."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "FUNCTIONS",
    "Scope",
    "block_of",
    "function_at",
    "names_in",
    "statement_at",
    "statement_like",
    "statements",
]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@lru_cache(maxsize=64)
def _tree(file: str, text: tuple[str, ...]) -> ast.Module | None:
    try:
        return ast.parse("".join(text), file)
    except SyntaxError:  # a notebook's cell magic, a template
        return None


def tree_of(file: str) -> ast.Module | None:
    return _tree(file, tuple(linecache.getlines(file))) if file else None


class Scope(NamedTuple):
    """Where a name means what is meant: a file, the first line of a function or 0, and whether the
    name is an attribute's, which every function may use.

    Attributes of one name are told apart by the names of the owner's classes, where these are
    given: what `self` has in another class is none of it.
    """

    file: str
    function: int = 0
    is_attribute: bool = False
    classes: tuple[str, ...] = ()


def statements(scope: Scope, name: str = "") -> Iterator[ast.stmt]:
    """Yield the statements of a file or function; not those of functions with their own `name`."""
    tree = tree_of(scope.file)
    if tree is None:
        return
    top: ast.AST = tree
    if scope.function:
        functions = (it for it in ast.walk(tree) if isinstance(it, FUNCTIONS))
        top = next((it for it in functions if _first_line(it) == scope.function), tree)
    open_: list[tuple[ast.AST, str]] = [(top, "")]
    while open_:
        above, stranger = open_.pop()
        for node in ast.iter_child_nodes(above):
            is_free = not name or scope.is_attribute or not isinstance(node, FUNCTIONS)
            if not is_free and _binds(node, name):
                continue
            me = _stranger(node, above, scope) or stranger
            open_.append((node, me))
            if isinstance(node, ast.stmt) and not (me and name and _has(node, me, name)):
                yield node


def _stranger(node: ast.AST, above: ast.AST, scope: Scope) -> str:
    """Return what a method of another class than the scope's calls its object; else nothing."""
    if not scope.classes or not isinstance(above, ast.ClassDef) or above.name in scope.classes:
        return ""
    if not isinstance(node, FUNCTIONS[:2]) or any(map(_is_static, node.decorator_list)):
        return ""
    arguments = [*node.args.posonlyargs, *node.args.args]
    return arguments[0].arg if arguments else ""


def _is_static(decorator: ast.expr) -> bool:
    """Tell whether a method is given no object: `ctx` of a Function is none of its class."""
    return isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod")


def _has(node: ast.AST, owner: str, name: str) -> bool:
    """Tell whether there is `owner.name` in a statement."""
    return any(
        isinstance(it, ast.Attribute)
        and it.attr == name
        and isinstance(it.value, ast.Name)
        and it.value.id == owner
        for it in ast.walk(node)
    )


def _first_line(function: ast.AST) -> int:
    decorators = getattr(function, "decorator_list", [])
    lines: list[int] = [getattr(function, "lineno", 0), *(it.lineno for it in decorators)]
    return min(lines)


def _binds(function: ast.AST, name: str) -> bool:
    """Tell whether a name is a function's own variable."""
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return False
        if isinstance(node, ast.arg) and node.arg == name:
            return True
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in ast.walk(function)
    )


def statement_at(file: str, line: int) -> ast.stmt | None:
    """Return the innermost statement on a line."""
    around = [
        statement
        for statement in statements(Scope(file))
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno)
    ]
    return max(around, key=lambda statement: statement.lineno, default=None)


def statement_like(file: str, line: int, text: str) -> ast.stmt | None:
    """Return the statement that begins on a line and says this."""
    return next(
        (it for it in statements(Scope(file)) if it.lineno == line and ast.unparse(it) == text),
        None,
    )


def block_of(file: str, statement: ast.stmt | None) -> list[ast.stmt]:
    """Return the statements of the block that has this one; of the file, without one."""
    tree = tree_of(file)
    if tree is None or statement is None:
        return tree.body if tree is not None else []
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and any(it is statement for it in block):
                return block
    return []


def function_at(file: str, line: int) -> ast.AST | None:
    """Return the function that begins on a line, with its decorators or without."""
    tree = tree_of(file)
    functions = (it for it in (ast.walk(tree) if tree else ()) if isinstance(it, FUNCTIONS))
    return next((it for it in functions if line in (_first_line(it), it.lineno)), None)


def names_in(file: str) -> set[str]:
    """Return the names that a file uses."""
    tree = tree_of(file)
    found = (it for it in (ast.walk(tree) if tree else ()) if isinstance(it, ast.Name | ast.arg))
    return {it.id if isinstance(it, ast.Name) else it.arg for it in found}
