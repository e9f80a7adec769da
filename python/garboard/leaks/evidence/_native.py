"""The engine's own evidence: its registry knows every birth, its step and its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from garboard import _engine
from garboard._engine import Tensor, _GraphTable
from garboard._hooks import hook_tables
from garboard._shown.site import line_of
from garboard.leaks.evidence._carriers import carriers
from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._rows import Births, Carried, Since, Storage, Survivor

__all__ = ["EVIDENCE"]

_OWNERS = {"PYTHON": "tensor", "EXPORT": "export"}
_WHAT = ("tensor", "export", "node", "storage")


class _Native:
    """What lives of garboard; see `Evidence` for what is promised."""

    notes: Sequence[str] = ()

    def open(self) -> None: ...

    def close(self) -> None: ...

    def now(self) -> Since:
        return Since(*_engine._next_serials())

    advance_step = staticmethod(_engine._advance_birth_step)  # each step of a loop calls it

    def births(self, since: Since, first: int, last: int) -> Sequence[Births]:
        found = _engine._cohorts(*since, first, last)
        if not any(found):  # as mostly, of a loop that leaves nothing
            return ()
        return [
            Births(what, site, step, count)
            for what, rows in zip(_WHAT, found, strict=True)
            for site, step, count, _ in rows
        ]

    def survivors(
        self,
        since: int = 0,
        serials: Sequence[int] | None = None,
        storages: Sequence[int] | None = None,
        most: int = 0,
    ) -> Iterator[Survivor]:
        for row in _engine._aliases(since, serials, storages, most):
            what = _OWNERS.get(row["owner"])
            if what is None:
                continue
            yield Survivor(
                tensor=row["tensor"],
                serial=row["serial"],
                site=line_of(row["site"]),
                step=row["step"],
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
                moved_at=row["moved_at"],
                weight=row["weight"],
            )

    def graphs(self, since: Since) -> _GraphTable:
        return _engine._living_graphs(since.node, since.storage)

    def storages(self, since: int = 0) -> Iterator[Storage]:
        for row in _engine._storages(since):
            site = line_of(row["site"])
            yield Storage(row["serial"], row["bytes"], bool(row["exports"]), site)

    def serials(self, since: int = 0) -> Sequence[int]:
        return _engine._alias_serials(since)

    def count(self, since: int) -> int:
        return _engine._alias_count(since)

    def carriers(self, graphs: _GraphTable) -> Carried:
        return carriers(graphs)

    def hooks(self) -> list[tuple[object, dict[int, tuple[int, int]]]]:
        return hook_tables()

    def held_by_graphs(self) -> list[object]:
        return _engine._held_by_graphs()

    def native_cycles(self, found: Sequence[int]) -> dict[int, int]:
        return {}  # the garbage collector sees into the engine, and ends them

    def live_counts(self) -> tuple[int, int, int, int]:
        aliases, storages, nodes, nbytes, _ = _engine._live_counts()
        return aliases, storages, nodes, sum(nbytes.values())

    def live_sites(self) -> list[tuple[int, int, int]]:
        return _engine._live_groups("site")

    def live_bytes(self) -> Mapping[str, int]:
        return _engine._live_counts()[3]

    def total_bytes(self) -> int:
        return _engine._live_bytes()

    def memory_limit(self, device: str) -> int | None:
        return _engine._memory_limit(_engine.device(device))

    def birth(self, tensor: Any) -> tuple[int, int]:
        return _engine._birth(tensor)[:2]

    def type_of(self, tensor: Any) -> tuple[str, tuple[int, ...]]:
        return str(_dtype(tensor)).rpartition(".")[2], _shape(tensor)

    def speaks_of(self, thing: Any) -> bool:
        return issubclass(type(thing), Tensor)

    def parameters(self) -> list[Any]:
        kind = loaded_class("garboard.nn", "Parameter")
        return _engine._tensors_of_class(kind) if kind is not None else []


_shape, _dtype = (vars(Tensor)[name].__get__ for name in ("shape", "dtype"))


EVIDENCE: Evidence = _Native()
