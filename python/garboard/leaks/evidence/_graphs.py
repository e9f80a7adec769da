"""Graphs that grow: nodes of many finished steps that one tensor still leads to.

After a normal backward pass nothing but nodes is left of a step, a few hundred bytes each and no
tensor: `total += loss` grows without a single new Python object. So the walk starts at each living
alias and follows the recorded edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from garboard.leaks.evidence._rows import Node, Survivor

__all__ = ["Chain", "behind", "chains"]

# What accumulating is made of. A forward pass holds something else.
_ARITHMETIC = {
    "add", "add_", "alias", "clone", "div", "div_", "lerp", "lerp_", "mul", "mul_", "neg",
    "sub", "sub_", "to", "view",
}  # fmt: skip


@dataclass(slots=True)
class Chain:
    """What one head leads to.

    Attributes:
        head: The alias that carries it on.
        nodes: Serial to node.
        link: Names of the ops that lead from the head of one step to that of the step before.
    """

    head: Survivor
    nodes: dict[int, Node]
    link: frozenset[str]

    @property
    def steps(self) -> dict[int, int]:
        """How many nodes were born in each step."""
        found: dict[int, int] = {}
        for node in self.nodes.values():
            found[node.step] = found.get(node.step, 0) + 1
        return found

    @property
    def newest(self) -> Node:
        """The head's own node."""
        return self.nodes[self.head.node]

    @property
    def saved_bytes(self) -> int:
        return sum(node.saved_bytes for node in self.nodes.values())

    @property
    def was_walked(self) -> bool:
        """True where a backward pass went through part of it: those steps are over."""
        return any(node.was_walked for node in self.nodes.values())

    @property
    def is_retained(self) -> bool:
        return any(it.was_retained and not it.is_released for it in self.nodes.values())

    @property
    def is_arithmetic(self) -> bool:
        return self.link <= _ARITHMETIC


def behind(heads: Iterable[int], nodes: dict[int, Node]) -> dict[int, Node]:
    """Return the nodes that some nodes lead to, these included."""
    found: dict[int, Node] = {}
    open_ = [serial for serial in heads if serial in nodes]
    while open_:
        serial = open_.pop()
        if serial not in found:
            found[serial] = nodes[serial]
            open_ += [after for after in nodes[serial].next if after in nodes]
    return found


def chains(heads: Sequence[Survivor], nodes: dict[int, Node]) -> list[Chain]:
    """Return what the living aliases lead to, the newest first; a node stands in one chain."""
    left, found = dict(nodes), []
    for newest in sorted(heads, key=lambda head: (-head.node, -head.serial)):
        reached = behind([newest.node], left)
        if reached:
            for serial in reached:
                del left[serial]
            oldest = _oldest_behind(reached)
            head = _carrier([it for it in heads if it.node in reached], reached, oldest)
            found.append(Chain(head, reached, _link(head.node, reached, oldest)))
    return found


def _oldest_behind(nodes: dict[int, Node]) -> dict[int, int]:
    """Return, for each node, the earliest birth step among the nodes it leads to."""
    oldest: dict[int, int] = {}
    for serial in sorted(nodes):  # an edge leads to an older node
        after = [oldest[it] for it in nodes[serial].next if it in oldest]
        oldest[serial] = min([nodes[serial].step, *after])
    return oldest


def _carrier(heads: list[Survivor], nodes: dict[int, Node], oldest: dict[int, int]) -> Survivor:
    """Return the alias that carries the past into the next step.

    Not what was computed from it last, such as a loss, but the first of the newest step that leads
    as far back as anything does.
    """
    first = min(oldest[head.node] for head in heads)
    carriers = [head for head in heads if oldest[head.node] == first]
    last = max(nodes[head.node].step for head in carriers)
    return min(
        (head for head in carriers if nodes[head.node].step == last),
        key=lambda head: (head.node, head.serial),
    )


def _link(head: int, nodes: dict[int, Node], oldest: dict[int, int]) -> frozenset[str]:
    """Follow the edges towards the oldest node, as far as the head of the step before."""
    if len({node.step for node in nodes.values()}) == 1:
        return frozenset([nodes[head].name])
    names: set[str] = set()
    at: int | None = head
    while at is not None and nodes[at].step >= nodes[head].step - 1:
        names.add(nodes[at].name)
        after = [it for it in nodes[at].next if it in nodes]
        at = min(after, key=lambda it: (oldest[it], -it), default=None)
    return frozenset(names)
