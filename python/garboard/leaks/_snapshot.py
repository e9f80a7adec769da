"""What lived at one moment, as numbers; two of them can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from garboard._arguments import check
from garboard._shown.site import site_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._live import LiveGroup, grouped_rows
from garboard.leaks.evidence._native import EVIDENCE
from garboard.memory import LiveCounts

__all__ = ["Snapshot", "counts_and_groups"]


@dataclass(frozen=True)
class Snapshot:
    """Living tensors by birth line; keeps none of them.

    Attributes:
        counts: Aliases, storages, graph nodes and bytes.
        groups: By birth line, the most bytes first.
    """

    counts: LiveCounts
    groups: tuple[LiveGroup, ...]

    @classmethod
    def now(cls) -> Self:
        """Return what lives now.

        >>> gb.leaks.Snapshot.now().counts == gb.memory.live()
        True
        """
        return cls(*counts_and_groups(EVIDENCE))

    def diff(self, other: Snapshot) -> list[LiveGroup]:
        """Return what `other` has more than this, by birth line, the largest change first.

        Args:
            other: A later snapshot.

        Returns:
            A list of LiveGroup, whose counts and bytes are differences.

        >>> with gb.leaks.watch() as watch:
        ...     before = watch.snapshot()
        ...     kept = gb.zeros(256)
        ...     [(it.count, it.bytes) for it in before.diff(watch.snapshot())]
        [(1, 1024)]
        """
        check.of_type(Snapshot, "diff", "other", other)
        mine = {group.key: group for group in self.groups}
        theirs = {group.key: group for group in other.groups}
        found = []
        for key in mine.keys() | theirs.keys():
            old, new = mine.get(key), theirs.get(key)
            count = (new.count if new else 0) - (old.count if old else 0)
            grown = (new.bytes if new else 0) - (old.bytes if old else 0)
            if count or grown:
                found.append(LiveGroup(key, count, grown))
        return sorted(found, key=lambda it: (-abs(it.bytes), -abs(it.count), it.key))


def counts_and_groups(evidence: Evidence) -> tuple[LiveCounts, tuple[LiveGroup, ...]]:
    """Return what a Snapshot has."""
    rows = ((str(site_of(site)), number, nbytes) for site, number, nbytes in evidence.live_sites())
    return LiveCounts(*evidence.live_counts()), tuple(grouped_rows(rows))
