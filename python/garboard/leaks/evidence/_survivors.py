"""What the registry says lives, as plain data: no row here keeps a tensor alive for long."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from garboard import _engine
from garboard._hooks import registered_hooks
from garboard._site import line_of
from garboard.leaks.evidence._steps import Steps

__all__ = ["Key", "Node", "Since", "Survivor", "Unheld", "cohorts", "nodes", "survivors", "unheld"]


class Key(NamedTuple):
    """A group of births: what was born, and the site's number.

    What: "tensor", "export", "node", "storage" (that no tensor of Python's has) or "hook".
    """

    what: str
    site: int


class Since(NamedTuple):
    """The serials that the next alias, storage and node have: a point in time."""

    alias: int
    storage: int
    node: int

    @classmethod
    def now(cls) -> Since:
        return cls(*_engine._next_serials())


@dataclass(slots=True)
class Survivor:
    """A living alias. Holds it: drop the row before the user's code runs again."""

    tensor: Any
    serial: int
    site: int
    step: int
    what: str
    scope: Any
    shape: tuple[int, ...]
    dtype: str
    device: str
    nbytes: int
    requires_grad: bool
    is_view: bool
    storage: int
    node: int

    @property
    def type_text(self) -> str:
        """`float32[8, 32]`; never the values."""
        return f"{self.dtype}{list(self.shape)}"


@dataclass(slots=True)
class Node:
    """A living graph node, without the node."""

    serial: int
    site: int
    step: int
    name: str
    is_released: bool
    was_retained: bool
    was_walked: bool
    saved_bytes: int
    saved_storages: list[int]
    next: list[int]


_OWNERS = {"PYTHON": "tensor", "EXPORT": "export"}


def survivors(
    since: int,
    steps: Steps | None = None,
    with_graph: bool = False,
    storages: Sequence[int] | None = None,
) -> Iterator[Survivor]:
    """Yield living aliases born since a serial, oldest first; without steps, all of step 0.

    Gradients and optimizer state are left out: they are owned by what they belong to.

    Args:
        since: The first serial.
        steps: Translates birth steps.
        with_graph: Only those with a graph node.
        storages: Only those over storages of these serials.
    """
    for row in _engine._aliases(since, with_graph, storages):
        what = _OWNERS.get(row["owner"])
        if what is None:
            continue
        yield Survivor(
            tensor=row["tensor"],
            serial=row["serial"],
            site=line_of(row["site"]),
            step=steps.own(row["step"]) if steps else 0,
            what=what,
            scope=row["scope"],
            shape=row["shape"],
            dtype=row["dtype"],
            device=row["device"],
            nbytes=row["nbytes"],
            requires_grad=row["requires_grad"],
            is_view=row["is_view"],
            storage=row["storage"],
            node=row["node"],
        )


def nodes(since: int, steps: Steps | None = None) -> dict[int, Node]:
    """Return the living graph nodes born since a serial, by serial, oldest first."""
    return {
        row["serial"]: Node(
            serial=row["serial"],
            site=line_of(row["site"]),
            step=steps.own(row["step"]) if steps else 0,
            name=row["name"],
            is_released=row["is_released"],
            was_retained=row["was_retained"],
            was_walked=row["was_walked"],
            saved_bytes=row["saved_bytes"],
            saved_storages=row["saved_storages"],
            next=row["next"],
        )
        for row in _engine._nodes(since)
    }


def cohorts(since: Since, steps: Steps, first: int, last: int) -> dict[Key, dict[int, int]]:
    """Count the survivors born in own steps `first` to `last`, by line and birth step."""
    found: dict[Key, dict[int, int]] = {}
    rows: Iterable[list[tuple[int, int, int, int]]] = _engine._cohorts(
        since.alias, since.storage, since.node, *steps.global_range(first, last)
    )
    hooks = [(site, step, 1, 0) for site, step in registered_hooks()]
    for what, kind_rows in zip(_WHAT, (*rows, hooks), strict=True):
        for site, global_step, count, _ in kind_rows:
            step = steps.own(global_step)
            if first <= step <= last and step not in steps.warm:
                group = found.setdefault(Key(what, line_of(site)), {})
                group[step] = group.get(step, 0) + count
    return found


_WHAT = ("tensor", "export", "node", "storage", "hook")


@dataclass(slots=True)
class Unheld:
    """A living storage that no tensor of Python's has."""

    serial: int
    site: int
    step: int
    nbytes: int


def unheld(since: int, steps: Steps | None = None) -> list[Unheld]:
    """Return the living storages born since a serial that no tensor of Python's has, nor the
    gradient of one, nor an export, oldest first."""
    serials = set(_engine._unheld_storages(since))
    return [
        Unheld(
            serial=row["serial"],
            site=line_of(row["site"]),
            step=steps.own(row["step"]) if steps else 0,
            nbytes=row["bytes"],
        )
        for row in (_engine._storages(min(serials)) if serials else ())
        if row["serial"] in serials
    ]
