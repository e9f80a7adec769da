"""What lives now, counted by birth line, scope, shape or owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from garboard import _engine
from garboard._arguments import check
from garboard._shown.site import site_of

__all__ = ["LiveGroup", "grouped_rows", "live"]


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
    rows: Iterable[tuple[str, int, int]]
    if group == "site":
        rows = (
            (str(site_of(site)), count, nbytes)
            for site, count, nbytes in _engine._live_groups("site")
        )
    else:
        rows = _engine._live_groups(group)
    return grouped_rows(rows)


def grouped_rows(rows: Iterable[tuple[str, int, int]]) -> list[LiveGroup]:
    """Add up rows of a key, a count and bytes, the groups with the most bytes first."""
    counts: dict[str, list[int]] = {}
    for key, count, nbytes in rows:
        entry = counts.setdefault(key, [0, 0])
        entry[0] += count
        entry[1] += nbytes
    found = [LiveGroup(key, *entry) for key, entry in counts.items()]
    return sorted(found, key=lambda it: (-it.bytes, -it.count, it.key))
