"""Knows lists that a program makes by hand: objects of which each refers to the one before.

    self.head = Node(loss, self.head)

No container gains anything, and the ways to the tensors part at every node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

__all__ = ["string_at"]

_LEAST = 6  # nodes; fewer are fields within fields


def string_at(paths: Sequence[Sequence[Any]], depth: int) -> int | None:
    """Return where a string begins, of ways that are one down to `depth` and part at its nodes:
    objects of one class, evenly spaced. None where they are no string.

    Ways of one search are a tree: where two have an object in common, they have all before it.
    """
    spine = max(paths, key=len)  # through all the nodes, if there are any
    parting = sorted({_last_in_common(spine, path) for path in paths if path is not spine})
    if len(parting) < _LEAST or parting[0] != depth:
        return None
    node = type(spine[depth])
    apart, evenly = Counter(b - a for a, b in pairwise(parting)).most_common(1)[0]
    if sum(type(spine[at]) is node for at in parting) < 0.9 * len(parting):
        return None
    if evenly < 0.9 * (len(parting) - 1):
        return None
    while depth > apart and type(spine[depth - apart]) is node:
        depth -= apart  # of the newest node's tensor a variable knows, too
    return depth


def _last_in_common(spine: Sequence[Any], path: Sequence[Any]) -> int:
    first, last = 0, min(len(spine), len(path)) - 1
    while first < last:
        middle = (first + last + 1) // 2
        if spine[middle] is path[middle]:
            first = middle
        else:
            last = middle - 1
    return first
