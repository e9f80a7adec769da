"""Reads the user's source for what is asked of a container's items: numbers have no methods.

mean = sum(loss.item() for loss in losses) / len(losses)
losses[-1].backward()
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator

from garboard.leaks.holders._source import is_named
from garboard.leaks.holders._statements import Scope, read_once, statements

__all__ = ["are_items_tensors"]


_OF_CONTAINERS = {name for kind in (list, dict, set, deque) for name in dir(kind)}


@read_once
def are_items_tensors(scope: Scope, name: str) -> bool:
    """Tell whether the program asks items of the container called `name` for attributes."""
    nodes = [
        node
        for statement in statements(scope, name)
        for node in (ast.walk(statement) if not hasattr(statement, "body") else (statement,))
    ]
    if any(_is_asked_by_index(it, name, scope) for it in nodes):
        return True
    return any(
        isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id == item
        and part.attr not in _OF_CONTAINERS  # of rows in a table of rows
        for node in nodes
        for item, within in _loops_over(node, name, scope)
        for part in ast.walk(within)
    )


def _is_asked_by_index(node: ast.AST, name: str, scope: Scope) -> bool:
    """`losses[-1].item()`"""
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Subscript):
        return False
    is_one = not isinstance(node.value.slice, ast.Slice) and node.attr not in _OF_CONTAINERS
    return is_one and is_named(node.value.value, name, scope)


def _loops_over(node: ast.AST, name: str, scope: Scope) -> Iterator[tuple[str, ast.AST]]:
    """Yield what loops over the container call an item, each with what is done to it."""
    if isinstance(node, ast.For | ast.AsyncFor):
        pairs: list[tuple[ast.expr, ast.expr]] = [(node.target, node.iter)]
    elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
        pairs = [(it.target, it.iter) for it in node.generators]
    else:
        return
    for target, iter_ in pairs:
        while isinstance(iter_, ast.Subscript) and isinstance(iter_.slice, ast.Slice):
            iter_ = iter_.value  # `losses[-10:]`
        if isinstance(target, ast.Name) and is_named(iter_, name, scope):
            yield target.id, node
