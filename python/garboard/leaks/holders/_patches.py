"""The user's own lines, mended, as a unified diff: `patch -p1` applies it, and nothing here does.

What is changed is found in the syntax tree; all else, comments included, stays as it is written.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from garboard._shown.notebook import cell_of
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._mending import End, added_parts, key_in, stored_parts, written_call
from garboard.leaks.holders._source import Storing
from garboard.leaks.holders._statements import (
    block_of,
    function_at,
    names_in,
    statement_at,
    statement_like,
)

__all__ = [
    "MOST_KEPT",
    "NO_PATCH",
    "Patch",
    "bounded_after",
    "bounded_cache",
    "filled_by",
    "is_at_front",
    "removed_at_the_end",
    "together",
    "with_method_on_key",
    "with_method_on_sum",
    "with_methods_on_stored",
]

MOST_KEPT = 32  # what a patch bounds a container to; the author knows better


class Edit(NamedTuple):
    """Text in place of what stands between two (line, UTF-8 column); lines count from 1."""

    first: tuple[int, int]
    last: tuple[int, int]
    text: str


class Patch(NamedTuple):
    """Edits of one file, none of which overlap."""

    file: str = ""
    edits: tuple[Edit, ...] = ()

    def __str__(self) -> str:
        """Return the unified diff; empty where there is nothing to change, or no file to mend."""
        if not self.edits or is_of_library(self.file):
            return ""
        import difflib  # a report of a healthy program needs none

        lines = linecache.getlines(self.file)
        inside = os.path.relpath(self.file) if os.path.isabs(self.file) else self.file
        is_below = not inside.startswith("..")
        name = cell_of(self.file) or (inside if is_below else self.file)
        names = (f"a/{name}", f"b/{name}") if is_below else (name, name)
        found = difflib.unified_diff(lines, self._applied(lines), *names, n=2)
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in found).rstrip("\n")

    def _applied(self, lines: Sequence[str]) -> list[str]:
        rows = [line.encode() for line in lines]
        if rows and not rows[-1].endswith(b"\n"):
            rows[-1] += b"\n"
        for edit in sorted(self.edits, reverse=True):
            (first, begin), (last, end) = edit.first, edit.last
            head = rows[first - 1][:begin] if first <= len(rows) else b""
            tail = rows[last - 1][end:] if last <= len(rows) else b""
            rows[first - 1 : last] = [head + edit.text.encode() + tail]
        return b"".join(rows).decode().splitlines(keepends=True)


NO_PATCH = Patch()


def together(patches: Sequence[Patch]) -> Patch:
    """Return what several patches of a file change; the first, where some change the same place."""
    edits = {edit for it in patches for edit in it.edits}
    places = [(it.first, it.last) for it in edits if not it.text.endswith("\n")]
    is_one = all(it.edits and it.file == patches[0].file for it in patches)
    if not is_one or len(set(places)) < len(places):
        return patches[0]
    return Patch(patches[0].file, tuple(sorted(edits)))


def with_methods_on_stored(file: str, storing: Storing, ends: Sequence[End]) -> Patch:
    """Return calls of methods on the tensors that a statement stores.

    Args:
        file: Where the statement stands.
        storing: The statement.
        ends: What to call on which tensors.
    """
    tree = statement_like(file, storing.line, storing.statement)
    found = stored_parts(tree, storing.value, ends, storing.is_many) if tree else []
    return Patch(file, tuple(edit for node, method in found for edit in _call(node, method)))


def with_method_on_key(file: str, storing: Storing, method: str) -> Patch:
    """Return a call of `.method()` on the key that a statement stores by."""
    tree = statement_like(file, storing.line, storing.statement)
    key = key_in(tree) if tree is not None else None
    return Patch(file, tuple(_call(key, method))) if key is not None else NO_PATCH


def with_method_on_sum(file: str, line: int, method: str) -> Patch:
    """Return a call of `.method()` on what the statement on a line adds to a sum."""
    tree = statement_at(file, line)
    parts = added_parts(tree) if tree is not None else []
    return Patch(file, tuple(edit for part in parts for edit in _call(part, method)))


def filled_by(storing: Storing, depth: int) -> str | None:
    """Return what a statement stores into, as it calls it, for instance `self.rows[name]`.

    Args:
        storing: The statement.
        depth: How many keys lead from the name to the container.
    """
    if storing.is_assignment:
        return None
    return _container(ast.parse(storing.statement).body[0], depth)


def bounded_after(
    file: str, storing: Storing, depth: int, kind: str, most: int = MOST_KEPT
) -> Patch:
    """Return a statement, behind one that stores, that lets go of the oldest items.

    Args:
        file: Where the statement stands.
        storing: The statement.
        depth: How many keys lead from the name to the container.
        kind: Whether it is a "list", "dict", "set" or "deque"; a list may be a "heap", or a
            "frontier", of which the largest go.
        most: How many items stay.
    """
    tree = statement_like(file, storing.line, storing.statement)
    place = _container(tree, depth) if tree is not None else None
    indent = _indent_of_alone(file, tree) if tree is not None else None
    if tree is None or place is None or indent is None:
        return NO_PATCH
    while_ = f"while len({place}) > {most}:\n{indent}    {place}"
    if is_at_front(tree):
        kind += " at the front"
    text = {
        "list": f"del {place}[:-{most}]",
        "dict": f"{while_}.pop(next(iter({place})))",
        "set": f"{while_}.pop()",
        "deque": f"{while_}.popleft()",
        "list at the front": f"del {place}[{most}:]",
        "deque at the front": f"{while_}.pop()",
        "heap": f"{place}.sort()\n{indent}del {place}[:-{most}]",
        "frontier": f"{place}.sort()\n{indent}del {place}[{most}:]",
    }[kind]
    return Patch(file, (_line_behind(tree, indent + text),))


def bounded_cache(file: str, line: int) -> Patch:
    """Return a bound for the `lru_cache` of the function that begins on a line."""
    function = function_at(file, line)
    for it in getattr(function, "decorator_list", []):
        called = it.func if isinstance(it, ast.Call) else it
        name = ast.unparse(called)
        last = name.rpartition(".")[2]
        if last not in ("lru_cache", "cache"):
            continue
        new = f"{name.removesuffix('cache').removesuffix('lru_')}lru_cache(maxsize={MOST_KEPT})"
        edits = [Edit(_begin(it), _end(it), new)]
        if name == "cache":
            edits += _imported_too(file)
            if len(edits) == 1:
                return NO_PATCH
        return Patch(file, tuple(edits))
    return NO_PATCH


def removed_at_the_end(file: str, line: int) -> Patch:
    """Return a handle for the hook that the statement on a line registers, and its `remove()` at
    the end of the block."""
    tree = statement_at(file, line)
    if not isinstance(tree, ast.Expr) or not isinstance(tree.value, ast.Call):
        return NO_PATCH
    called = tree.value.func
    if not isinstance(called, ast.Attribute) or not called.attr.startswith("register_"):
        return NO_PATCH
    after = block_of(file, tree)
    after = after[after.index(tree) + 1 :]
    indent = _indent_of_alone(file, tree)
    if not after or indent is None or any(map(_leaves, after)):
        return NO_PATCH
    taken = names_in(file)
    name = next(it for it in ("handle", "hook_handle", "hook_handle_") if it not in taken)
    is_end = isinstance(after[-1], ast.Return)  # of a name: `_leaves` lets nothing else through
    removal = f"{indent}{name}.remove()"
    at = (after[-1].lineno, 0)
    edits = [
        Edit(_begin(tree), _begin(tree), f"{name} = "),
        Edit(at, at, f"{removal}\n") if is_end else _line_behind(after[-1], removal),
    ]
    return Patch(file, tuple(edits))


def _call(node: ast.expr, method: str) -> Iterator[Edit]:
    """`node.method()`, in parentheses where a method could not follow."""
    is_primary = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    text = ast.unparse(node)
    new = written_call(text, method)
    if not new.startswith(text):
        yield Edit(_begin(node), _end(node), new)
        return
    call = new.removeprefix(text)
    if not is_primary:
        yield Edit(_begin(node), _begin(node), "(")
    yield Edit(_end(node), _end(node), call if is_primary else f"){call}")


def _begin(node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _line_behind(statement: ast.stmt, text: str) -> Edit:
    at = ((statement.end_lineno or statement.lineno) + 1, 0)
    return Edit(at, at, f"{text}\n")


def _indent_of_alone(file: str, statement: ast.stmt) -> str | None:
    """Return what stands before a statement that has its lines for itself; None of others."""
    lines = linecache.getlines(file)
    before = lines[statement.lineno - 1].encode()[: statement.col_offset].decode()
    last, end = _end(statement)
    behind = lines[last - 1].encode()[end:].decode().strip()
    return before if not before.strip() and behind[:1] in ("", "#") else None


def _container(statement: ast.stmt, depth: int) -> str | None:
    """Return what a statement stores into, as it calls it; None where a function that runs later
    does it."""
    found: ast.expr | None = None
    if isinstance(statement, ast.Assign):
        places = (it.value for it in statement.targets if isinstance(it, ast.Subscript))
        found = next(places, None)
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        method = statement.value.func
        is_at_end = isinstance(method, ast.Attribute) and method.attr in _AT_THE_END
        if isinstance(method, ast.Attribute) and (is_at_end or is_at_front(statement)):
            found = method.value
        elif ast.unparse(method).endswith("heappush") and statement.value.args:
            found = statement.value.args[0]
    at, keys = found, 0
    while isinstance(at, ast.Subscript):
        at, keys = at.value, keys + 1
    if found is None or keys < depth:
        return None
    for _ in range(keys - depth):  # `rows` of `rows[name].append(x)`
        found = found.value if isinstance(found, ast.Subscript) else found
    return ast.unparse(found)


def is_at_front(statement: ast.stmt) -> bool:
    """Tell whether a statement puts an item before all others, so that the oldest is the last:
    `rows.appendleft(x)`, `rows.insert(0, x)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(call, ast.Call) or not isinstance(method, ast.Attribute):
        return False
    first = call.args[0] if call.args else None
    is_zero = isinstance(first, ast.Constant) and first.value == 0
    return method.attr == "appendleft" or (method.attr == "insert" and is_zero)


_AT_THE_END = {"add", "append", "extend", "setdefault", "update"}


def _leaves(statement: ast.stmt) -> bool:
    """Tell whether a statement may leave its block before the end; to return a name may be."""
    if isinstance(statement, ast.Return):
        return not isinstance(statement.value, ast.Name | ast.Constant | None)
    leaving = (ast.Return, ast.Continue, ast.Break, ast.Yield, ast.YieldFrom)
    return any(isinstance(it, leaving) for it in ast.walk(statement))


def _imported_too(file: str) -> list[Edit]:
    """`from functools import cache, lru_cache`"""
    for it in block_of(file, None):
        if isinstance(it, ast.ImportFrom) and it.module == "functools":
            for name in it.names:
                if name.name == "cache" and name.asname is None:
                    return [Edit(_end(name), _end(name), ", lru_cache")]
    return []
