"""How graphs are walked, where new nodes go, and how graphs are pickled: by numbers of nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from garboard.fx.node import Node

if TYPE_CHECKING:
    from garboard.fx.graph import Graph

__all__ = ["At", "Nodes", "Place"]


class Nodes:
    """The nodes of a graph, in order; one may go while they are walked."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self._graph, self._direction = graph, direction

    def __len__(self) -> int:
        return self._graph._count

    def __iter__(self) -> Iterator[Node]:
        root = self._graph._root
        node = getattr(root, self._direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self._direction)  # one that was erased meanwhile has it still

    def __reversed__(self) -> Nodes:
        return Nodes(self._graph, "_prev" if self._direction == "_next" else "_next")


class At:
    """Where new nodes go until the block ends."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self._graph, self._before, graph._insert = graph, graph._insert, insert

    def __enter__(self) -> None:
        """Do nothing: the place holds already."""

    def __exit__(self, *raised: type | BaseException | TracebackType | None) -> None:
        self._graph._insert = self._before


class Place:
    """A node, by its number in a graph that is pickled."""

    def __init__(self, number: int) -> None:
        self.number = number
