"""What a library has to tell, so that its tensors can be watched: the protocol, and who speaks it.

`_native.py` tells it from the engine's registry, exactly and for nothing. `_torch.py` finds it out
about PyTorch's tensors. Whatever judges, names and reports knows the protocol alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Protocol

from garboard._arguments import check
from garboard._engine import _GraphTable
from garboard.leaks.evidence._rows import Births, Carried, Since, Storage, Survivor

__all__ = ["Evidence", "Provider", "evidence_of", "others"]

Provider = Literal["garboard", "torch"]


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

    def births(self, since: Since, first: int, last: int) -> Iterable[Births]:
        """Count what lives and was born in steps `first` to `last`: tensors, exports, nodes,
        storages."""

    def survivors(
        self,
        since: int = 0,
        serials: Sequence[int] | None = None,
        storages: Sequence[int] | None = None,
        most: int = 0,
    ) -> Iterator[Survivor]:
        """Yield living tensors born since a serial, oldest first, with the steps they are stamped
        with.

        Gradients and optimizer state are left out: they are owned by what they belong to.

        Args:
            since: The first serial.
            serials: Only those of these serials.
            storages: Only those over storages of these serials.
            most: About how many are wanted, of each line the newest and some of the others, which
                stand for the rest; 0 and a library that cannot choose yield all.
        """

    def graphs(self, since: Since) -> _GraphTable:
        """Return the graph nodes born since a point in time, with the tensors that lead to them;
        and the storages that no tensor of Python's has, nor the gradient of one, nor an export."""

    def storages(self, since: int = 0) -> Iterator[Storage]:
        """Yield living storages born since a serial."""

    def serials(self, since: int = 0) -> Sequence[int]:
        """Return those of living tensors born since a serial."""

    def count(self, since: int) -> int:
        """Return how many tensors live that were born since a serial."""

    def carriers(self, graphs: _GraphTable) -> Carried:
        """Return rows of objects that carry on nodes or storages to which no tensor leads."""

    def hooks(self) -> Iterable[tuple[object, Mapping[int, tuple[int, int]]]]:
        """Return each table of hooks, with the site and step of each registration."""

    def held_by_graphs(self) -> list[object]:
        """Return objects of Python that only graphs lead to, such as `ctx` of a Function."""

    def native_cycles(self, found: Sequence[int]) -> dict[int, int]:
        """Return those of some storages that live by a cycle inside the library which no collector
        ends, each with the site where the cycle was closed."""

    def live_counts(self) -> tuple[int, int, int, int]:
        """Return how many tensors, storages, graph nodes and bytes live."""

    def live_sites(self) -> Iterable[tuple[int, int, int]]:
        """Return sites with the tensors and bytes that were born there; one may come often."""

    def live_bytes(self) -> Mapping[str, int]:
        """Return the living bytes by device."""

    def total_bytes(self) -> int:
        """Return the living bytes of all devices; asked for at every step."""

    def memory_limit(self, device: str) -> int | None:
        """Return how many bytes a device may have, where that is known."""

    def birth(self, tensor: Any) -> tuple[int, int]:
        """Return a tensor's serial and site; zeros where it was never seen."""

    def type_of(self, tensor: Any) -> tuple[str, tuple[int, ...]]:
        """Return a tensor's dtype and sizes, without asking its class."""

    def speaks_of(self, thing: Any) -> bool:
        """Tell whether a thing is a tensor of this library."""

    def parameters(self) -> list[Any]:
        """Return the living parameters of modules."""


others: list[Evidence] = []  # of libraries beside this one, once they are watched


def evidence_of(op: str, provider: str) -> Evidence:
    """Return what speaks for a library; PyTorch's is loaded when it is first asked for.

    `op` speaks in errors.
    """
    check.choice(op, "provider", provider, "garboard", "torch")
    if provider == "torch" and "torch" not in sys.modules:
        raise ValueError(
            f"{op}: provider 'torch', and the program has not imported it; import torch first"
        )
    name = "native" if provider == "garboard" else provider
    found: Evidence = import_module(f"garboard.leaks.evidence._{name}").EVIDENCE
    return found
