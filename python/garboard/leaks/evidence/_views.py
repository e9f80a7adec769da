"""Small views that keep large storages alive."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from garboard import _engine
from garboard.leaks.evidence._survivors import survivors

__all__ = ["LEAST_PINNED", "pinned_bytes"]

LEAST_PINNED = 1 << 20  # bytes; below that nobody wants to hear of it
MOST_COVERED = 0.1  # of the storage


def pinned_bytes(storages: Collection[int]) -> int:
    """Return the bytes that copies would free of those of some storages that only small views keep.

    Args:
        storages: Their serials; without those that a graph keeps, which do not end with the views.
    """
    views: dict[int, list[tuple[int, int]] | None] = {}
    for alias in survivors(0, storages=list(storages)):
        spans = views.setdefault(alias.storage, [])
        if not alias.is_view:
            views[alias.storage] = None
        elif spans is not None:
            spans.append(_span(alias.tensor))
    found = 0
    for row in _engine._storages(min(views)) if any(views.values()) else ():
        spans = views.get(row["serial"])
        if spans and not row["exports"]:
            covered = _union(spans)
            found += row["bytes"] - covered if covered < MOST_COVERED * row["bytes"] else 0
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
