"""What lives, as plain rows, whichever library it is of: none keeps a tensor alive for long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

__all__ = ["Births", "Born", "Carried", "Key", "Node", "Since", "Storage", "Survivor", "Unheld"]


class Key(NamedTuple):
    """A group of births: what was born, and the site's number.

    What: "tensor", "export", "node", "storage" (that no tensor of Python's has) or "hook".
    """

    what: str
    site: int


class Births(NamedTuple):
    """How many things of one kind, site and step live; the site is not yet that of its line."""

    what: str
    site: int
    step: int
    number: int


class Born(NamedTuple):
    """How many nodes or storages of one line and step live, and their bytes.

    What: "node" or "storage".
    """

    what: str
    site: int
    step: int
    weight: int
    nbytes: int


class Since(NamedTuple):
    """The serials that the next alias, storage and node have: a point in time."""

    alias: int
    storage: int
    node: int


class Carried(NamedTuple):
    """What is carried on by objects that are no tensors, or by tensors that others own.

    Of very many rows some stand for the others; the serials are those of all.
    """

    rows: list[Survivor]
    nodes: list[int]
    storages: list[int]


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
    moved_at: int = 0  # the site of the call that last took it out of a scope or put it into one
    weight: int = 1  # how many it stands for: of very many only some are looked at
    origin: int = 0  # of an export: the site at which the tensor was born, where that is known

    @property
    def born_at(self) -> int:
        """The site to look at."""
        return self.origin or self.site

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
    leaf_storages: Sequence[int] = ()  # of the leaves it leads to, and of their gradients

    def as_told(self) -> tuple[Any, ...]:
        """Return what a `_GraphTable` is told of a node."""
        return (
            self.serial,
            self.site,
            self.step,
            self.name,
            self.is_released,
            self.was_retained,
            self.was_walked,
            self.saved_bytes,
            self.next,
            self.saved_storages,
            list(self.leaf_storages),
        )


class Storage(NamedTuple):
    """A living storage: its number, its size, whether something outside the library has it, and the
    site of its birth, where that is known."""

    serial: int
    nbytes: int
    is_exported: bool
    site: int = 0


@dataclass(slots=True)
class Unheld:
    """A living storage that no tensor of Python's has."""

    serial: int
    site: int
    step: int
    nbytes: int
