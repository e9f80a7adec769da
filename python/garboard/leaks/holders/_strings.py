"""Knows lists that a program makes by hand: objects of which each refers to the one before.

    self.head = Node(loss, self.head)

No container gains anything, and the ways to the tensors part at every node.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from garboard.leaks.holders._unasked import attributes_of

__all__ = ["string_at"]

_LEAST = 6  # nodes; fewer are fields within fields


def string_at(paths: Sequence[Sequence[Any]], depth: int) -> int | None:
    """Return where a string begins, of ways that are one down to `depth` and part at its nodes:
    objects of one class, evenly spaced. None where they are no string.

    Ways of one search are a tree: where two have an object in common, they have all before it.
    """
    spine = max(paths, key=len)  # through all the nodes, if there are any
    # Without the dicts of attributes, which some objects have and others of their class have not.
    objects = [at for at in range(len(spine)) if not _is_namespace(spine, at)]
    parting = sorted(
        {_place(objects, _last_in_common(spine, path)) for path in paths if path is not spine}
    )
    begin = _place(objects, depth)
    if len(parting) < _LEAST or parting[0] != begin:
        return None
    node = type(spine[objects[begin]])
    apart, evenly = Counter(b - a for a, b in pairwise(parting)).most_common(1)[0]
    if sum(type(spine[objects[at]]) is node for at in parting) < 0.9 * len(parting):
        return None
    if evenly < 0.9 * (len(parting) - 1):
        return None
    while begin > apart and type(spine[objects[begin - apart]]) is node:
        begin -= apart  # of the newest node's tensor a variable knows, too
    return objects[begin]


def _is_namespace(path: Sequence[Any], at: int) -> bool:
    return at > 0 and type(path[at]) is dict and attributes_of(path[at - 1]) is path[at]


def _place(objects: Sequence[int], at: int) -> int:
    """Return which of the objects is at a place of the way, or has its attributes there."""
    return bisect_right(objects, at) - 1


def _last_in_common(spine: Sequence[Any], path: Sequence[Any]) -> int:
    first, last = 0, min(len(spine), len(path)) - 1
    while first < last:
        middle = (first + last + 1) // 2
        if spine[middle] is path[middle]:
            first = middle
        else:
            last = middle - 1
    return first
