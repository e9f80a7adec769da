"""What a library has to tell, so that its tensors can be watched: the protocol, and who speaks it.

`_native.py` tells it from the engine's registry. Whatever judges, names and reports knows the
protocol alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from garboard.leaks.evidence._rows import Births, Node, Since, Storage, Survivor, Unheld

__all__ = ["Evidence"]


class Evidence(Protocol):
    """What lives of one library. Serials are never used twice; sites are numbers for `site_of`."""

    @property
    def notes(self) -> Sequence[str]:
        """Where the evidence is approximate, a sentence each."""

    def open(self) -> None:
        """A check begins: births are told from now on. Nests, with `close`."""

    def close(self) -> None:
        """It ends."""

    def now(self) -> Since:
        """Return this point in time."""

    def advance_step(self) -> int:
        """Return the step that births are stamped with, and go on to the next."""

    def births(self, since: Since, first: int, last: int) -> Iterator[Births]:
        """Count what lives and was born in steps `first` to `last`: tensors, exports, nodes,
        storages."""

    def survivors(
        self, since: int = 0, with_graph: bool = False, storages: Sequence[int] | None = None
    ) -> Iterator[Survivor]:
        """Yield living tensors born since a serial, oldest first, with the steps they are stamped
        with.

        Gradients and optimizer state are left out: they are owned by what they belong to.

        Args:
            since: The first serial.
            with_graph: Only those with a graph node.
            storages: Only those over storages of these serials.
        """

    def nodes(self, since: int) -> Iterator[Node]:
        """Yield living graph nodes born since a serial, oldest first."""

    def unheld(self, since: int) -> Iterator[Unheld]:
        """Yield living storages born since a serial that no tensor of Python's has, nor the
        gradient of one, nor an export, oldest first."""

    def storages(self, since: int = 0) -> Iterator[Storage]:
        """Yield living storages born since a serial."""

    def serials(self, since: int = 0) -> Sequence[int]:
        """Return those of living tensors born since a serial."""

    def hooks(self) -> Iterable[tuple[object, Mapping[int, tuple[int, int]]]]:
        """Return each table of hooks, with the site and step of each registration."""

    def held_by_graphs(self) -> list[object]:
        """Return objects of Python that only graphs lead to, such as `ctx` of a Function."""

    def native_cycles(self, found: Sequence[Survivor]) -> dict[int, int]:
        """Return those that live by a cycle inside the library which no collector ends: serial of
        the tensor to the site where the cycle was closed."""

    def live_bytes(self) -> Mapping[str, int]:
        """Return the living bytes by device."""

    def memory_limit(self, device: str) -> int | None:
        """Return how many bytes a device may have, where that is known."""

    def birth(self, tensor: Any) -> tuple[int, int]:
        """Return a tensor's serial and site; zeros where it was never seen."""
