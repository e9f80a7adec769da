"""Reads the user's source for what loops in loops do: what the inner one builds up for a while.

for sequence in sequences:
    h = zeros(1, 8)                 # begun anew: the graph of one sequence ends here
    for token in sequence:
        h = cell(token, h)
        if epoch == 0:
            features.append(h)      # of one epoch, and no more after it
"""

from __future__ import annotations

import ast

from garboard.leaks.holders._source import assigned
from garboard.leaks.holders._statements import (
    FUNCTIONS,
    MAKERS,
    function_around,
    statement_at,
    tree_of,
)

__all__ = ["is_ever_longer", "is_of_some_turns", "is_window"]

_LOOPS = (ast.For, ast.AsyncFor, ast.While)


def is_window(file: str, line: int) -> bool:
    """Tell whether what a line computes is begun anew by a loop around its own loop."""
    loops = _loops_around(file, line)
    if len(loops) < 2:
        return False
    inner = loops[-1]
    names = _names_behind(inner, line)
    within = set(map(id, ast.walk(inner)))
    return any(
        text in names and text not in _reads(value)
        for outer in loops[:-1]
        for node in ast.walk(outer)
        if id(node) not in within
        for target, value in assigned(node)
        if (text := ast.unparse(target))
    )


_JOINING = {"append", "cat", "concat", "concatenate", "hstack", "vstack", "dstack", "column_stack"}


def is_ever_longer(file: str, line: int) -> bool:
    """Tell whether a line joins something to what it was, `rows = cat([rows, row])`, and no other
    code of its file cuts that or begins it anew."""
    statement, tree = statement_at(file, line), tree_of(file)
    if statement is None or tree is None:
        return False
    for target, value in assigned(statement):
        name = ast.unparse(target)
        if _has(value, name) and _JOINING & _called_in(value) and not _has_slice(value):
            return not any(
                _has_slice(it) or (not _has(it, name) and _is_again(file, line, at))
                for at, it in _assigned_to(name, tree)
                if isinstance(target, ast.Attribute | ast.Subscript)
                or function_around(file, at) is function_around(file, line)
            )
    return False


def _assigned_to(name: str, tree: ast.Module) -> list[tuple[int, ast.expr]]:
    return [
        (node.lineno, value)
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt)
        for target, value in assigned(node)
        if ast.unparse(target) == name
    ]


def _is_again(file: str, line: int, at: int) -> bool:
    """Tell whether a line may begin anew, time and again, what another one makes longer: it stands
    in a loop, or in another function that is no `__init__`."""
    begins = function_around(file, at)
    is_other = begins is not None and begins is not function_around(file, line)
    return bool(_loops_around(file, at)) or (is_other and getattr(begins, "name", "") not in MAKERS)


def _called_in(node: ast.expr) -> set[str]:
    calls = (it.func for it in ast.walk(node) if isinstance(it, ast.Call))
    return {str(getattr(it, "attr", getattr(it, "id", ""))) for it in calls}


def _has(node: ast.expr, name: str) -> bool:
    return any(ast.unparse(it) == name for it in ast.walk(node) if isinstance(it, ast.expr))


def _has_slice(node: ast.expr) -> bool:
    return any(isinstance(it, ast.Slice) for it in ast.walk(node))


def is_of_some_turns(file: str, line: int) -> bool:
    """Tell whether a line runs in some turns alone of a loop around its own: `if epoch == 0:`."""
    outer = _loops_around(file, line)[:-1]
    counters = {
        it.id
        for loop in outer
        if isinstance(loop, ast.For | ast.AsyncFor)
        for it in ast.walk(loop.target)
        if isinstance(it, ast.Name)
    }
    if not counters:
        return False
    guards = (it for it in ast.walk(outer[0]) if isinstance(it, ast.If))
    return any(
        isinstance(guard.test, ast.Compare)
        and isinstance(guard.test.left, ast.Name)
        and guard.test.left.id in counters
        and all(isinstance(it, ast.Eq | ast.Lt | ast.LtE) for it in guard.test.ops)
        and any(_is_around(it, line) for it in guard.body)
        for guard in guards
    )


def _loops_around(file: str, line: int) -> list[ast.stmt]:
    """Return the loops of one function that a line stands in, the outermost first."""
    found: list[ast.stmt] = []
    node: ast.AST | None = tree_of(file)
    while node is not None:
        if isinstance(node, FUNCTIONS):
            found.clear()
        if isinstance(node, _LOOPS) and node.body[0].lineno <= line:
            found.append(node)
        node = next((it for it in ast.iter_child_nodes(node) if _is_around(it, line)), None)
    return found


def _is_around(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return first is not None and last is not None and first <= line <= last


def _names_behind(loop: ast.stmt, line: int) -> set[str]:
    """Return what the statement on a line reads and assigns, and what that is made of in a loop."""
    statements = [it for it in ast.walk(loop) if isinstance(it, ast.stmt) and it is not loop]
    at = [it for it in statements if _is_around(it, line) and not hasattr(it, "body")]
    names = {text for it in at for text in (*_reads(it), *_assigned_names(it))}
    size = 0
    while size != len(names):
        size = len(names)
        for it in statements:
            if not hasattr(it, "body") and _assigned_names(it) & names:
                names |= _reads(it)
    return names


def _assigned_names(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.AugAssign):
        return {ast.unparse(statement.target)}
    return {ast.unparse(target) for target, _ in assigned(statement)}


def _reads(node: ast.AST) -> set[str]:
    return {
        ast.unparse(it)
        for it in ast.walk(node)
        if isinstance(it, ast.Name | ast.Attribute) and isinstance(it.ctx, ast.Load)
    }
