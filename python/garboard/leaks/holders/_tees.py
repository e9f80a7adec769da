"""Knows what `itertools.tee` keeps: all that one of its iterators has read, and another has not.

The items stand in blocks that each refer to the next. The iterator that is ahead leads to the
newest block alone, and the one that is behind to all of them: that is the one to name.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Sequence
from itertools import tee
from typing import Any, NamedTuple

from garboard.leaks.holders._unasked import is_a

__all__ = ["TEE", "by_the_one_behind", "kept_by"]

TEE: type = type(tee(())[0])


def _referents(thing: Any) -> list[Any]:
    """Return what a thing refers to, but for its type: from Python 3.12 on it has a reference."""
    return [it for it in gc.get_referents(thing) if it is not type(thing)]


_BLOCK: type = type(_referents(tee(())[0])[0])

_Paths = list[list[Any] | None]


def by_the_one_behind(
    paths: Sequence[list[Any] | None], paths_to: Callable[[Sequence[object]], _Paths]
) -> _Paths:
    """Return paths that lead by the iterator that is farthest behind, and by no blocks.

    Args:
        paths: For each target the objects from a root to it, or None.
        paths_to: Finds such paths.
    """
    found = list(paths)
    passed = [(i, at) for i, path in enumerate(paths) if path and (at := _last_tee(path))]
    if not passed:
        return found
    readers = [_Reader.of(it) for it in gc.get_objects() if type(it) is TEE]
    ways: dict[int, list[Any]] = {}  # to the iterator, for each block that a path begins with
    for i, at in passed:
        path = paths[i] or []
        block, rest = path[at + 1], path[at + 1 :]
        if id(block) not in ways:
            those = [it for it in readers if it.has(block)]
            last = max(those, key=lambda it: it.kept, default=None)
            known = paths_to([last.tee])[0] if last and last.tee is not path[at] else None
            ways[id(block)] = known or path[: at + 1]
        while len(rest) > 1 and type(rest[0]) is _BLOCK:
            del rest[0]
        found[i] = [*ways[id(block)], *rest]
    return found


def kept_by(reader: Any) -> int:
    """Return how many items an iterator has yet to give that another one has read."""
    blocks, read = _blocks_of(reader), _read_of(reader)
    # A block refers to its items, to the iterator below, and to the next block.
    return sum(len(_referents(it)) - 1 for it in blocks) - max(len(blocks) - 1, 0) - read


def _blocks_of(reader: Any) -> list[Any]:
    """Return the blocks from the one where an iterator is, the oldest first."""
    blocks: list[Any] = []
    ahead = _referents(reader)
    while block := next((it for it in ahead if type(it) is _BLOCK), None):
        blocks.append(block)
        ahead = _referents(block)
    return blocks


def _read_of(reader: Any) -> int:
    """Return how many items of its block it has given; 0 from Python 3.14 on, where nobody tells.

    Python 3.12 and 3.13 warn that they will not tell for much longer.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return int(reader.__reduce__()[2][1])
        except TypeError:
            return 0


class _Reader(NamedTuple):
    """An iterator of `tee`.

    Attributes:
        kept: What sorts those that keep more items last.
        blocks: What it keeps, the oldest first.
        tee: The iterator.
    """

    kept: tuple[int, int]
    blocks: list[Any]
    tee: Any

    @classmethod
    def of(cls, reader: Any) -> _Reader:
        blocks = _blocks_of(reader)
        return cls((len(blocks), -_read_of(reader)), blocks, reader)

    def has(self, block: Any) -> bool:
        return any(it is block for it in self.blocks)


def _last_tee(path: Sequence[Any]) -> int:
    """Return where the last iterator stands that leads on by a block; 0 where none does."""
    found = (i for i in range(len(path) - 2, 0, -1) if is_a(path[i], TEE))
    return next((i for i in found if type(path[i + 1]) is _BLOCK), 0)
