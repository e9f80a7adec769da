"""Small views that keep large storages alive."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from garboard.leaks.evidence._evidence import Evidence

__all__ = ["LEAST_PINNED", "pinned_bytes"]

LEAST_PINNED = 1 << 20  # bytes; below that nobody wants to hear of it
MOST_COVERED = 0.1  # of the storage


def pinned_bytes(evidence: Evidence, storages: Collection[int]) -> int:
    """Return the bytes that copies would free of those of some storages that only small views keep.

    Args:
        evidence: What lives.
        storages: Their serials; without those that a graph keeps, which do not end with the views.
    """
    views: dict[int, list[tuple[int, int]] | None] = {}
    sums: dict[int, int] = {}  # of rows apart from one another less is theirs than they span
    for alias in evidence.survivors(storages=list(storages)):
        spans = views.setdefault(alias.storage, [])
        if not alias.is_view:
            views[alias.storage] = None
        elif spans is not None:
            spans.append(_span(alias.tensor))
            sums[alias.storage] = sums.get(alias.storage, 0) + alias.nbytes
    found = 0
    for row in evidence.storages(min(views)) if any(views.values()) else ():
        spans = views.get(row.serial)
        if spans and not row.is_exported:
            covered = min(_union(spans), sums[row.serial])
            found += row.nbytes - covered if covered < MOST_COVERED * row.nbytes else 0
    return found


def _span(tensor: Any) -> tuple[int, int]:
    """The first byte of a view in its storage, and the one behind its last."""
    item = tensor.element_size()
    if not tensor.numel():
        return (0, 0)
    reach = sum(
        (size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )
    start = tensor.storage_offset()
    return start * item, (start + reach + 1) * item


def _union(spans: list[tuple[int, int]]) -> int:
    covered, end = 0, 0
    for first, behind in sorted(spans):
        covered += max(0, behind - max(first, end))
        end = max(end, behind)
    return covered
