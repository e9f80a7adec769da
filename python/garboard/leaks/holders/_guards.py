"""Reads the user's source for code that a condition keeps from running.

if len(rows) >= 1_000_000:          # nobody waits for it
    flush()                         # and what only stands here ends nothing
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from garboard.leaks.holders._statements import FUNCTIONS, remembered, tree_of

__all__ = ["Asked", "Guards"]

_DEEPEST = 3  # functions that call one another
_MISSING = {"AttributeError", "KeyError", "LookupError", "NameError"}
_AT_THE_END = {"__del__", "__exit__", "__aexit__", "aclose", "close", "finish", "shutdown"}

Asked = Callable[[ast.expr], bool]


class Guards(NamedTuple):
    """Tells of the statements of a file which ones a condition keeps from running.

    Attributes:
        file: The file.
        is_vain: Tells whether a condition is never met, or in a time that nobody waits for.
    """

    file: str
    is_vain: Asked

    def keep(self, node: ast.AST, depth: int = 0) -> bool:
        """Tell whether such a condition is around a node, or around all calls of its function.

        Calls at the end of an object's life are none.
        """
        function: ast.AST | None = None
        below, above = node, self._parents().get(node)
        while above is not None:
            test = above.test if isinstance(above, ast.If | ast.While) else None
            if test is not None and below in getattr(above, "body", ()) and self._is_vain(test):
                return True
            if isinstance(above, ast.ExceptHandler) and _is_of_missing(above):
                return True  # what is not there yet is made
            if isinstance(above, FUNCTIONS):
                function = above
                break
            below, above = above, self._parents().get(above)
        name = getattr(function, "name", "")
        if not name or depth == _DEEPEST:
            return False
        if depth and name in _AT_THE_END:
            return True
        calls = list(self._uses_of(name))
        return bool(calls) and all(self.keep(it, depth + 1) for it in calls)

    def _is_vain(self, test: ast.expr) -> bool:
        if isinstance(test, ast.BoolOp):
            several = all if isinstance(test.op, ast.Or) else any
            return several(map(self._is_vain, test.values))
        return self.is_vain(test)

    def _uses_of(self, name: str) -> Iterator[ast.AST]:
        """Yield where a function or method of that name is called, or given away."""
        tree = tree_of(self.file)
        for node in ast.walk(tree) if tree else ():
            called = getattr(node, "attr", getattr(node, "id", ""))
            if called == name and isinstance(node, ast.Name | ast.Attribute):
                yield node

    def _parents(self) -> dict[ast.AST, ast.AST]:
        return remembered(self.file, "parents", lambda: _parents_in(tree_of(self.file)))


def _is_of_missing(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(it, ast.Name) and it.id in _MISSING for it in kinds)


def _parents_in(tree: ast.AST | None) -> dict[ast.AST, ast.AST]:
    nodes = ast.walk(tree) if tree else ()
    return {below: above for above in nodes for below in ast.iter_child_nodes(above)}
