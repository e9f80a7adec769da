"""Memory snapshots as PyTorch's viewer reads them: all blocks of now, and the events before it.

The engine copies blocks and events at one moment. What is made of them here is plain data.
"""

import os
from typing import Any

from garboard import _engine
from garboard._shown.notebook import shown_file

__all__ = ["snapshot"]

Frames = list[dict[str, Any]]
Snapshot = dict[str, Any]

# Payloads inside storages lie in no segment. The snapshot gives them one, above every real address
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
_ALLOC, _FREE, _OOM, _SNAPSHOT = 0, 1, 8, 9
_STATES = ("inactive", "active_allocated", "active_pending_free")


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
    raw = {name: found for name in wanted if (found := _engine._memory_snapshot(name)) is not None}
    cuda_count = max([int(name[5:]) + 1 for name in raw if name != "cpu"], default=0)
    numbers = {name: cuda_count if name == "cpu" else int(name[5:]) for name in raw}
    segments: list[dict[str, Any]] = []
    traces: list[list[dict[str, Any]]] = [[] for _ in range(max(numbers.values(), default=-1) + 1)]
    lost = 0
    for name, (seen_segments, blocks, entries, live, lost_here) in raw.items():
        view = _View(numbers[name], entries, live)
        segments += view.segments(seen_segments, blocks)
        segments += view.payload_segment()
        traces[numbers[name]] = view.trace()
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


class _View:
    """The segments, blocks and events of one device, in words."""

    def __init__(self, number: int, entries: Any, live: Any) -> None:
        self.number = number
        self.entries = entries
        self.sites = {address: site for address, _, site, is_booked in live if not is_booked}
        self._frames: dict[int, Frames] = {}
        self._categories: dict[int, str] = {}
        # What lives inside storages: the registry's word, unless an event tells a later one.
        self.payloads: dict[int, tuple[int, int]] = {
            address: (bytes, site) for address, bytes, site, is_booked in live if is_booked
        }
        self.places: dict[int, int] = {}
        for action, address, bytes, _, caller, _, _, _, is_booked in entries:
            if not is_booked:
                continue
            self.places.setdefault(address, len(self.places))
            if action == _ALLOC:
                self.payloads[address] = (bytes, caller)
            else:
                self.payloads.pop(address, None)
        for address in self.payloads:
            self.places.setdefault(address, len(self.places))

    def frames(self, caller: int) -> Frames:
        """Return one list for each caller, always the same: a pickle writes it once."""
        if caller not in self._frames:
            self._frames[caller] = [
                {"filename": shown_file(file), "line": line, "name": function}
                for file, line, function in _engine._lines_of_caller(caller)
            ]
        return self._frames[caller]

    def segments(self, segments: Any, blocks: Any) -> list[dict[str, Any]]:
        found, first = [], 0
        for address, bytes, stream, is_small, is_range, count in segments:
            own = [self._block(*block) for block in blocks[first : first + count]]
            first += count
            kind = "small" if is_small else "large"
            found.append(self._segment((address, bytes, stream), kind, is_range, own))
        return found

    def _block(
        self, address: int, bytes: int, requested: int, caller: int, state: int
    ) -> dict[str, Any]:
        frames = self.frames(caller) if state else []
        if state and not frames:  # older than the recording, or the recording of its stack is gone
            frames = self.frames(self.sites.get(address, 0))
        return {
            "address": address,
            "size": bytes,
            "requested_size": requested,
            "state": _STATES[state],
            "frames": frames,
        }

    def _segment(
        self, place: tuple[int, int, int], kind: str, can_grow: bool, blocks: list[dict[str, Any]]
    ) -> dict[str, Any]:
        address, bytes, stream = place
        allocated = sum(b["size"] for b in blocks if b["state"] == "active_allocated")
        active = sum(b["size"] for b in blocks if b["state"] != "inactive")
        return {
            "device": self.number,
            "address": address,
            "total_size": bytes,
            "allocated_size": allocated,
            "active_size": active,
            "requested_size": sum(b["requested_size"] for b in blocks),
            "stream": stream,
            "segment_type": kind,
            "segment_pool_id": (0, 0),
            "is_expandable": can_grow,
            "frames": [],
            "blocks": blocks,
        }

    def payload_segment(self) -> list[dict[str, Any]]:
        """Return the segment of what lies inside storages; none where there is nothing."""
        if not self.places:
            return []
        blocks: list[dict[str, Any]] = []
        for address, place in self.places.items():  # in the order of the places
            at = _PAYLOADS_AT + place * _PAYLOAD_BYTES
            if address in self.payloads:
                bytes, caller = self.payloads[address]
                blocks.append(self._block(at, _PAYLOAD_BYTES, bytes, caller, 1))
            elif blocks and blocks[-1]["state"] == "inactive":
                blocks[-1]["size"] += _PAYLOAD_BYTES
            else:
                blocks.append(self._block(at, _PAYLOAD_BYTES, 0, 0, 0))
        total = len(self.places) * _PAYLOAD_BYTES
        return [self._segment((_PAYLOADS_AT, total, 0), "small", True, blocks)]

    def trace(self) -> list[dict[str, Any]]:
        """Return the events, oldest first. Categories are there where any scope has a name."""
        has_names = any(entry[5] for entry in self.entries)
        trace = []
        for action, address, bytes, time_us, caller, tag, _, stream, is_booked in self.entries:
            if is_booked:
                address = _PAYLOADS_AT + self.places[address] * _PAYLOAD_BYTES
            for name in _ACTIONS[action]:
                event = {"action": name, "addr": address, "size": bytes, "stream": stream}
                event |= {"time_us": time_us, "frames": self.frames(caller)}
                if action == _OOM:
                    event["device_free"] = event.pop("addr")
                if has_names and action in (_ALLOC, _SNAPSHOT):
                    event["category"] = self._category(tag)
                trace.append(event)
        return trace

    def _category(self, tag: int) -> str:
        if tag not in self._categories:
            self._categories[tag] = _engine._name_of_tag(tag) or "unknown"
        return self._categories[tag]
