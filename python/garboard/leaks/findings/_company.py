"""What else the statement that fills a holder may store: the items beside what is looked at.

for name, value in out.items():
    history[name].append(value)     # a loss, a learning rate, all outputs
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from garboard.leaks.evidence._tensors import is_known, shape_of
from garboard.leaks.holders._groups import Group, is_container
from garboard.leaks.holders._source import Storing
from garboard.leaks.holders._unasked import attributes_of, is_a, is_disposed, items_of

__all__ = ["ending_for_all", "ending_for_items"]

_MOST = 8  # items of a holder, the newest, and as many holders beside it


def ending_for_all(group: Group, storing: Storing, ending: str) -> str:
    """Return what to call on each thing that a statement stores, where `ending` is for the newest.

    Empty where no one expression is right for all of them.
    """
    company = [it for it in _stored_beside(group, storing) if it is not None]
    tensors = [it for it in company if is_known(it) and not is_disposed(it)]
    has_others = any(not is_known(it) for it in company)
    sizes = [prod(shape_of(it)) for it in tensors]
    is_one_of_each = ending == "item" and any(it != 1 for it in sizes)
    is_one_of_each |= ending == "detach" and any(shape_of(it) == () for it in tensors)
    if is_one_of_each:
        return "" if has_others else "item or detach"
    return f"{ending} or itself" if has_others else ending


def ending_for_items(items: Sequence[Any]) -> str:
    """Return what to call on each of some things, so that no tensor of one element and no graph is
    kept; empty where no one expression is right for all of them."""
    tensors = [it for it in items if is_known(it)]
    has_others = len(tensors) < len(items)
    if any(is_disposed(it) for it in tensors):
        return ""
    numbers = [shape_of(it) == () for it in tensors]
    if all(numbers):
        return "item or itself" if has_others else "item"
    if any(numbers):
        return "" if has_others else "item or detach"
    return "detach or itself" if has_others else "detach"


def _stored_beside(group: Group, storing: Storing) -> Iterator[Any]:
    if storing.is_only:
        yield from items_of(group.holder)[-_MOST:]
    for holder in _holders_beside(group, storing)[:_MOST]:
        yield from items_of(holder)[-1:]


def _holders_beside(group: Group, storing: Storing) -> list[Any]:
    """Return what stands beside the holder under other keys, or in other objects of its class."""
    *above, last = group.named
    if not above or last.object is not group.holder:
        return []
    owner = above[-1].object
    if last.edge.kind == "item":
        is_for_one = last.edge.name in _keys_in(storing.statement)
        found = [] if is_for_one else items_of(owner)
    elif last.edge.kind == "attribute" and len(above) > 1 and above[-1].edge.kind == "item":
        alike = (it for it in items_of(above[-2].object) if type(it) is type(owner))
        found = [attributes_of(it).get(last.edge.name) for it in alike]
    else:
        found = []
    return [it for it in found if is_container(it) and it is not group.holder]


def _keys_in(statement: str) -> set[str]:
    """Return the keys that a statement writes out: `'loss'` of `history['loss'].append(loss)`."""
    return {
        ast.unparse(it)
        for it in ast.walk(ast.parse(statement))
        if isinstance(it, ast.Constant) and is_a(it.value, (str, int))
    }
