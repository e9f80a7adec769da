"""The user's source as syntax: statements, and the functions and blocks that they stand in."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, wraps
from typing import Any, NamedTuple, TypeVar

from garboard._shown.magic_cells import is_of_magic
from garboard._shown.notebook import cell_of

__all__ = [
    "FUNCTIONS",
    "MAKERS",
    "OWN_STATE",
    "Scope",
    "block_of",
    "first_line",
    "function_around",
    "function_at",
    "names_in",
    "outermost_function",
    "read_once",
    "remembered",
    "statement_at",
    "statement_like",
    "statements",
]

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
MAKERS = ("__init__", "__init_subclass__", "__new__", "__post_init__", "__set_name__")


class _Read:
    """A file that was read, with what is asked of its tree time and again: each name of a holder's
    is looked for in all of its statements."""

    def __init__(self, file: str, lines: list[str]) -> None:
        self.lines = lines
        self.tree: ast.Module | None = None
        with suppress(SyntaxError):  # a notebook's cell magic, a template
            self.tree = ast.parse("".join(lines), file)
        self.remembered: dict[object, Any] = {}
        self._within: dict[ast.AST, tuple[ast.AST, ...]] = {}
        self._bound: dict[ast.AST, tuple[dict[str, bool], set[str]]] = {}
        self._owned: dict[ast.AST, set[tuple[str, str]]] = {}

    @cached_property
    def functions(self) -> dict[int, ast.AST]:
        """Functions by their first lines; of several on one, the outermost."""
        found: dict[int, ast.AST] = {}
        for node in ast.walk(self.tree) if self.tree else ():
            if isinstance(node, FUNCTIONS):
                found.setdefault(first_line(node), node)
        return found

    def within(self, node: ast.AST) -> tuple[ast.AST, ...]:
        """Return the statements of a node, and what has some, such as `except`."""
        if node not in self._within:
            below = ast.iter_child_nodes(node)
            self._within[node] = tuple(it for it in below if isinstance(it, _BLOCKS))
        return self._within[node]

    def binds(self, function: ast.AST, name: str) -> bool:
        """Tell whether a name is a function's own variable."""
        if function not in self._bound:
            self._bound[function] = _bound_in(function)
        declared, stored = self._bound[function]
        return declared.get(name, name in stored)

    def has(self, node: ast.AST, owner: str, name: str) -> bool:
        """Tell whether there is `owner.name` in a statement."""
        if node not in self._owned:
            self._owned[node] = {
                (it.value.id, it.attr)
                for it in ast.walk(node)
                if isinstance(it, ast.Attribute) and isinstance(it.value, ast.Name)
            }
        return (owner, name) in self._owned[node]


_T = TypeVar("_T")
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)
_MOST_FILES = 16

_files: dict[str, _Read] = {}  # what was read last stands last
OWN_STATE: object = _files  # where no search need look: it is as large as the program's source


def _read(file: str) -> _Read:
    if is_of_magic(file):
        cell_of(file)  # which finds the lines
    lines = linecache.getlines(file)
    known = _files.pop(file, None)
    if known is None or (known.lines is not lines and known.lines != lines):
        known = _Read(file, lines)
    _files[file] = known
    if len(_files) > _MOST_FILES:
        del _files[next(iter(_files))]
    return known


def remembered(file: str, key: object, make: Callable[[], _T]) -> _T:
    """Return what `make` gives for a file as it is now; made once."""
    known = _read(file).remembered
    if key not in known:
        known[key] = make()
    found: _T = known[key]
    return found


def read_once(read: Callable[[Scope, str], _T]) -> Callable[[Scope, str], _T]:
    """Let what a function reads of a scope and a name be read once, as long as the file is as it
    was: each look at a holder asks for all of it again."""

    @wraps(read)
    def known(scope: Scope, name: str) -> _T:
        return remembered(scope.file, (read.__qualname__, scope, name), lambda: read(scope, name))

    return known


def tree_of(file: str) -> ast.Module | None:
    return _read(file).tree if file else None


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
    read = _read(scope.file) if scope.file else None
    if read is None or read.tree is None:
        return
    top: ast.AST = read.functions.get(scope.function, read.tree) if scope.function else read.tree
    open_: list[tuple[ast.AST, str]] = [(top, "")]
    while open_:
        above, stranger = open_.pop()
        for node in read.within(above):
            is_free = not name or scope.is_attribute or not isinstance(node, FUNCTIONS)
            if not is_free and read.binds(node, name):
                continue
            me = _stranger(node, above, scope) or stranger
            open_.append((node, me))
            if isinstance(node, ast.stmt) and not (me and name and read.has(node, me, name)):
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


def first_line(function: ast.AST) -> int:
    """Return the line of a function's first decorator, or its own."""
    decorators = getattr(function, "decorator_list", [])
    lines: list[int] = [getattr(function, "lineno", 0), *(it.lineno for it in decorators)]
    return min(lines)


def _bound_in(function: ast.AST) -> tuple[dict[str, bool], set[str]]:
    """Return what a function declares, True for arguments and False for others' variables, and the
    names it assigns."""
    declared: dict[str, bool] = {}
    stored: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                declared.setdefault(name, False)
        elif isinstance(node, ast.arg):
            declared.setdefault(node.arg, True)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored.add(node.id)
    return declared, stored


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
    found = _read(file).functions.values() if file else ()
    return next((it for it in found if line in (first_line(it), getattr(it, "lineno", 0))), None)


def function_around(file: str, line: int) -> ast.AST | None:
    """Return the innermost function that has a line."""
    return max(_functions_around(file, line), key=lambda it: it.lineno, default=None)


def outermost_function(file: str, line: int) -> ast.AST | None:
    """Return the function that has a line and is in no other one."""
    return min(_functions_around(file, line), key=lambda it: it.lineno, default=None)


def _functions_around(file: str, line: int) -> list[_Function]:
    found = remembered(file, "functions", lambda: _functions_in(tree_of(file))) if file else []
    return [it for it in found if it.lineno <= line <= (it.end_lineno or it.lineno)]


def _functions_in(tree: ast.Module | None) -> list[_Function]:
    return [it for it in ast.walk(tree) if isinstance(it, FUNCTIONS)] if tree else []


def names_in(file: str) -> set[str]:
    """Return the names that a file uses."""
    tree = tree_of(file)
    found = (it for it in (ast.walk(tree) if tree else ()) if isinstance(it, ast.Name | ast.arg))
    return {it.id if isinstance(it, ast.Name) else it.arg for it in found}
