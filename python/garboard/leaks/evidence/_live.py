"""What lives now, counted by birth line, scope, shape or owner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from garboard import _check as check
from garboard import _engine
from garboard._site import site_of

if TYPE_CHECKING:
    from garboard._engine import _Alias

__all__ = ["LiveGroup", "live"]


@dataclass(frozen=True)
class LiveGroup:
    """Tensors that have something in common.

    Attributes:
        key: The line, scope, dtype and shape, or owner kind.
        count: Tensors.
        bytes: Of their storages; one that several tensors share counts for the oldest.
    """

    key: str
    count: int
    bytes: int


def live(group: Literal["site", "scope", "shape", "owner"] = "site") -> list[LiveGroup]:
    """Count the living tensors, the groups with the most bytes first.

    Args:
        group: By what: the line of birth, the scope that will end them, dtype and shape, or why
            their storage lives. Storages without a tensor stand under GRAPH, EXPORT or NATIVE
            in "owner", and by their line of birth in "site".

    Returns:
        A list of LiveGroup, which keeps no tensor.

    Raises:
        ValueError: `group` is none of these.

    >>> kept = gb.zeros(1000, 1000)
    >>> max(gb.leaks.live("shape"), key=lambda it: it.bytes).key
    'float32[1000, 1000]'
    """
    check.choice("live", "group", group, "site", "scope", "shape", "owner")
    storages = {row["serial"]: row for row in _engine._storages(0)}
    counts: dict[str, list[int]] = {}

    def add(key: str, count: int, storage: int) -> None:
        entry = counts.setdefault(key, [0, 0])
        entry[0] += count
        row = storages.pop(storage, None)
        entry[1] += row["bytes"] if row else 0

    for row in _engine._aliases(0):
        add(_key(row, group), 1, row["storage"])
    if group in ("site", "owner"):
        saved = {serial for node in _engine._nodes(0) for serial in node["saved_storages"]}
        for serial, storage in list(storages.items()):
            owner = "GRAPH" if serial in saved else "EXPORT" if storage["exports"] else "NATIVE"
            add(owner if group == "owner" else str(site_of(storage["site"])), 0, serial)
    found = [LiveGroup(key, *entry) for key, entry in counts.items()]
    return sorted(found, key=lambda it: (-it.bytes, -it.count, it.key))


def _key(row: _Alias, group: str) -> str:
    if group == "site":
        return str(site_of(row["site"]))
    if group == "shape":
        return f"{row['dtype']}{list(row['shape'])}"
    if group == "owner":
        return row["owner"]
    scope = row["scope"]
    return "no scope" if scope is None else scope.name or "unnamed scope"
