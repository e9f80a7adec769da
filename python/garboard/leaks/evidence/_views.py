"""Small views that keep large storages alive."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from garboard import _engine
from garboard.leaks.evidence._survivors import Survivor

__all__ = ["LEAST_PINNED", "pinned_bytes"]

LEAST_PINNED = 1 << 20  # bytes; below that nobody wants to hear of it
MOST_COVERED = 0.1  # of the storage


def pinned_bytes(living: Iterable[Survivor], saved: set[int]) -> dict[int, int]:
    """Return, for each storage that only small views keep, the bytes that copies would free.

    Args:
        living: Every living alias.
        saved: Storages that a graph keeps; those do not end with the views.
    """
    views: dict[int, list[tuple[int, int]] | None] = {}
    for alias in living:
        spans = views.setdefault(alias.storage, [])
        if not alias.is_view:
            views[alias.storage] = None
        elif spans is not None:
            spans.append(_span(alias.tensor))
    sizes = {row["serial"]: row for row in _engine._storages(min(views, default=0))}
    found = {}
    for storage, spans in views.items():
        row = sizes.get(storage)
        if not spans or row is None or storage in saved or row["exports"]:
            continue
        covered = _union(spans)
        if covered < MOST_COVERED * row["bytes"]:
            found[storage] = row["bytes"] - covered
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
