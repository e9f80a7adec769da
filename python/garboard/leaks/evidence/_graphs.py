"""Graphs that grow: nodes of many finished steps that one tensor still leads to.

After a normal backward pass nothing but nodes is left of a step, a few hundred bytes each and no
tensor: `total += loss` grows without a single new Python object. So the walk starts at each living
alias and follows the recorded edges. It is the engine's: of a million nodes none becomes an object.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from garboard._engine import _GraphTable
from garboard._shown.site import line_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._rows import Born, Since, Survivor
from garboard.leaks.evidence._steps import Steps

__all__ = ["Behind", "Chain", "Graphs"]

# What accumulating is made of. A forward pass holds something else.
_ARITHMETIC = {
    "add", "add_", "alias", "clone", "div", "div_", "lerp", "lerp_", "mul", "mul_", "neg",
    "sub", "sub_", "to", "view",
}  # fmt: skip


@dataclass(slots=True)
class Chain:
    """What one head leads to.

    Attributes:
        head: The alias that carries it on from step to step.
        site: Of the head's own node.
        name: Its op.
        count: How many nodes there are.
        saved_bytes: What they saved.
        was_walked: True where a backward pass went through part of it: those steps are over.
        is_retained: True where some were kept for a second pass.
        steps: How many nodes were born in each step.
        link: Names of the ops that lead from the head of one step to that of the step before.
    """

    head: Survivor
    site: int
    name: str
    count: int
    saved_bytes: int
    was_walked: bool
    is_retained: bool
    steps: dict[int, int]
    link: frozenset[str]

    @property
    def is_arithmetic(self) -> bool:
        return self.has_only(set())

    def has_only(self, ops: set[str]) -> bool:
        """Tell whether the head of one step is joined to that before by arithmetic and these."""
        return self.link <= _ARITHMETIC | ops


@dataclass(frozen=True, slots=True)
class Behind:
    """What some nodes lead to, these included.

    Attributes:
        count: How many nodes.
        saved_bytes: What they saved.
        leaf_bytes: Of leaves, and of their gradients, that no tensor of Python's has.
        is_retained: True where some were kept for a second backward pass.
        names: Their ops.
    """

    count: int
    saved_bytes: int
    leaf_bytes: int
    is_retained: bool
    names: frozenset[str]


class Graphs:
    """The graphs of one moment, in the steps of one watch; keeps nothing alive.

    Args:
        evidence: What lives.
        since: Older nodes and storages are left out.
        steps: Translates birth steps; without it all are of step 0.
    """

    def __init__(self, evidence: Evidence, since: Since, steps: Steps | None) -> None:
        self._evidence, self._steps = evidence, steps
        self.table: _GraphTable = evidence.graphs(since)
        own = steps.own if steps else lambda _: 0
        self.table.set_steps({step: own(step) for step in self.table.steps()})

    def chains(self, least_steps: int, before: int = 0) -> list[Chain]:
        """Return what the living aliases lead to, the newest first; a node stands in one chain.

        Only graphs of at least so many steps, and those behind tensors older than `before`.
        """
        rows = self.table.chains(least_steps, before)
        asked = [row["head"] for row in rows]
        heads = {it.serial: it for it in self._evidence.survivors(serials=asked)} if rows else {}
        return [
            Chain(
                heads[row["head"]],
                line_of(row["site"]),
                row["name"],
                row["count"],
                row["saved_bytes"],
                row["was_walked"],
                row["is_retained"],
                row["steps"],
                row["link"],
            )
            for row in rows
            if row["head"] in heads
        ]

    def behind(self, survivors: Sequence[Survivor]) -> Behind:
        """Return what some tensors lead to, those included that they stand for."""
        asked = [it.node for it in survivors if it.node]
        count, saved, leaves, is_retained, names = self.table.behind(asked)
        if asked and count:  # as many behind each of the others, unless they share theirs
            weight = sum(it.weight for it in survivors if it.node)
            share = min(weight / len(asked), len(self.table) / count)
            count, saved = round(count * share), round(saved * share)
        return Behind(count, saved, leaves, is_retained, frozenset(names))

    def count_nodes(self, serials: Sequence[int]) -> list[Born]:
        """Count those of some nodes that live, by line and step."""
        rows = self.table.count_nodes(serials)
        return [Born("node", line_of(site), *rest) for site, *rest in rows]

    def count_unheld(self, serials: Sequence[int]) -> list[Born]:
        """Count those of some storages that live and that no tensor of Python's has, likewise."""
        rows = self.table.count_unheld(serials)
        return [Born("storage", line_of(site), *rest) for site, *rest in rows]

    def unheld_at(self, sites: dict[int, int]) -> list[Born]:
        """Count storages that no tensor of Python's has, as if they were born at these sites."""
        rows = self.table.unheld_among(list(sites))
        return [Born("storage", sites[serial], step, 1, size) for serial, _, step, size in rows]
