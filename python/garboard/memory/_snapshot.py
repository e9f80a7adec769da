"""Memory snapshots as PyTorch's viewer reads them: all blocks of now, and the events before it.

The engine copies blocks and events at one moment. What is made of them here is plain data.
"""

import os
from collections.abc import Sequence
from typing import Any

from garboard import _engine
from garboard._shown.notebook import shown_file, shown_line

__all__ = ["snapshot"]

Frames = list[dict[str, Any]]
Snapshot = dict[str, Any]

# Payloads inside storages lie in no segment. The engine gives them one, above every real address
# and below 2^53, with a place of 64 bytes for each address they were seen at.
_PAYLOADS_AT = 1 << 52
_PAYLOAD_BYTES = 64

_ACTIONS = (  # in the order of HistoryAction; a free is two events
    ("alloc",),
    ("free_requested", "free_completed"),
    ("free_requested",),
    ("free_completed",),
    ("segment_alloc",),
    ("segment_free",),
    ("segment_map",),
    ("segment_unmap",),
    ("oom",),
    ("snapshot",),
)
_ALLOC, _OOM, _SNAPSHOT = 0, 8, 9


def snapshot(device: str | _engine.device | None = None) -> Snapshot:
    """Return all segments and blocks of now, and the recorded events that led there.

    The form is PyTorch's, see docs/concepts/history.md. Segments and blocks are complete whether
    or not anything is recorded, and live blocks know at least the line they were asked for at.

    Args:
        device: All open devices by default. CUDA devices have their numbers, the CPU the one
            after them.

    Returns:
        Plain dicts, lists, strings and numbers: `segments`, `device_traces` (by device number),
        `allocator_settings`. Nothing of the engine is kept alive.

    >>> x = gb.zeros(1000)
    >>> blocks = [b for s in gb.memory.snapshot()["segments"] for b in s["blocks"]]
    >>> any(b["requested_size"] == 4000 for b in blocks)
    True
    """
    names = ["cpu", *(f"cuda:{number}" for number in range(8))]
    wanted = names if device is None else [str(_engine.device(device))]
    frames = _Frames()
    raw = {
        name: found
        for name in wanted
        if (found := _engine._memory_snapshot(name, frames.of)) is not None
    }
    cuda_count = max([int(name[5:]) + 1 for name in raw if name != "cpu"], default=0)
    numbers = {name: cuda_count if name == "cpu" else int(name[5:]) for name in raw}
    segments: list[dict[str, Any]] = []
    traces: list[list[dict[str, Any]]] = [[] for _ in range(max(numbers.values(), default=-1) + 1)]
    lost = 0
    for name, (seen, blocks, entries, payloads, places, lost_here) in raw.items():
        number = numbers[name]
        segments += _segments(number, seen, blocks)
        payload_blocks, count, sums = payloads
        if count:
            place = (_PAYLOADS_AT, count * _PAYLOAD_BYTES, 0)
            segments.append(_segment(number, place, "small", True, payload_blocks, sums))
        traces[number] = _trace(entries, places, frames)
        lost += lost_here
    segments.sort(key=lambda segment: (segment["device"], segment["address"]))
    settings = {
        "engine": "garboard",
        "library": os.path.join(os.path.dirname(_engine.__file__), ""),
        "devices": {str(number): name for name, number in numbers.items()},
        "history": {name: _engine._history_level(name) for name in raw},
        "lost_entries": lost,
    }
    return {"segments": segments, "device_traces": traces, "allocator_settings": settings}


class _Frames:
    """The frames of callers, in words."""

    def __init__(self) -> None:
        self._known: dict[int, Frames] = {}

    def of(self, caller: int) -> Frames:
        """Return one list for each caller, always the same: a pickle writes it once."""
        if caller not in self._known:
            self._known[caller] = [
                {"filename": shown_file(file), "line": shown_line(file, line), "name": function}
                for file, line, function in _engine._lines_of_caller(caller)
            ]
        return self._known[caller]


def _segments(number: int, seen: Any, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found, first = [], 0
    for address, bytes, stream, is_small, is_range, count, *sums in seen:
        own = blocks[first : first + count]
        first += count
        kind = "small" if is_small else "large"
        found.append(_segment(number, (address, bytes, stream), kind, is_range, own, sums))
    return found


def _segment(
    number: int,
    place: tuple[int, int, int],
    kind: str,
    can_grow: bool,
    blocks: list[dict[str, Any]],
    sums: Sequence[int],
) -> dict[str, Any]:
    address, bytes, stream = place
    allocated, active, requested = sums
    return {
        "device": number,
        "address": address,
        "total_size": bytes,
        "allocated_size": allocated,
        "active_size": active,
        "requested_size": requested,
        "stream": stream,
        "segment_type": kind,
        "segment_pool_id": (0, 0),
        "is_expandable": can_grow,
        "frames": [],
        "blocks": blocks,
    }


def _trace(entries: Any, places: dict[int, int], frames: _Frames) -> list[dict[str, Any]]:
    """Return the events, oldest first. Categories are there where any scope has a name."""
    has_names = any(entry[5] for entry in entries)
    categories: dict[int, str] = {}
    trace = []
    for action, address, bytes, time_us, caller, tag, _, stream, is_booked in entries:
        if is_booked:
            address = _PAYLOADS_AT + places[address] * _PAYLOAD_BYTES
        for name in _ACTIONS[action]:
            event = {"action": name, "addr": address, "size": bytes, "stream": stream}
            event |= {"time_us": time_us, "frames": frames.of(caller)}
            if action == _OOM:
                event["device_free"] = event.pop("addr")
            if has_names and action in (_ALLOC, _SNAPSHOT):
                if tag not in categories:
                    categories[tag] = _engine._name_of_tag(tag) or "unknown"
                event["category"] = categories[tag]
            trace.append(event)
    return trace
