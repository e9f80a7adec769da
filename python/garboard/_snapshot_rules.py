"""The rules that a memory snapshot keeps, or a view of it fails: shapes, sums, and one story.

The story is told backwards, as viewers do: from the segments and blocks at the end, each event is
undone. What cannot be undone did not happen.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable
from typing import Any

from garboard._arguments.texts import shown
from garboard._history_errors import SnapshotError

__all__ = ["check_snapshot"]

_LARGEST = 1 << 53  # numbers are doubles where they are looked at
_STATES = {"active_allocated", "active_pending_free", "active_awaiting_free", "inactive"}
_MOST_BLOCKS = 10_000_000


def check_snapshot(snapshot: Any) -> None:
    """Check a snapshot against what PyTorch's viewer and our report take for granted.

    Every part has its type; blocks fill their segments, and segments do not overlap; sums are
    right; events undone from the last to the first lead from these blocks to a possible beginning;
    where one event has a category, one has "unknown".

    Raises:
        SnapshotError: The first rule that is broken, and where.

    >>> gb.memory.check_snapshot(gb.memory.snapshot())
    """
    _need(isinstance(snapshot, dict), "the snapshot", snapshot, "a dict")
    segments = _member(snapshot, "segments", list, "the snapshot")
    traces = _member(snapshot, "device_traces", list, "the snapshot")
    by_device: dict[int, list[dict[str, Any]]] = {}
    blocks, seen = 0, set[int]()
    for i, segment in enumerate(segments):
        where = f"segments[{i}]"
        _check_segment(segment, where, seen)
        blocks += len(segment["blocks"])
        _need(blocks <= _MOST_BLOCKS, where, blocks, f"at most {_MOST_BLOCKS} blocks")
        device = segment["device"]
        _need(device < len(traces), f"{where}.device", device, "a device with a trace")
        by_device.setdefault(device, []).append(segment)
    has_unknown, has_category = False, False
    for device, trace in enumerate(traces):
        where = f"device_traces[{device}]"
        _need(isinstance(trace, list), where, trace, "a list")
        story = _Story(by_device.get(device, []), where)
        for i in range(len(trace) - 1, -1, -1):
            event = trace[i]
            _check_event(event, f"{where}[{i}]", seen)
            story.undo(event, f"{where}[{i}]")
            has_category |= "category" in event
            has_unknown |= event.get("category") == "unknown"
    if has_category and not has_unknown:
        raise SnapshotError("check_snapshot: events have categories; one 'unknown' is needed")


def _check_segment(segment: Any, where: str, seen: set[int]) -> None:
    _need(isinstance(segment, dict), where, segment, "a dict")
    for key in ("device", "stream"):
        _number(segment, key, where)
    _address(segment, "address", where)
    total = _number(segment, "total_size", where)
    blocks = _member(segment, "blocks", list, where)
    filled, allocated, active = 0, 0, 0
    for i, block in enumerate(blocks):
        here = f"{where}.blocks[{i}]"
        _need(isinstance(block, dict), here, block, "a dict")
        size = _number(block, "size", here)
        state = _member(block, "state", str, here)
        _need(state in _STATES, f"{here}.state", state, "a known state")
        if "frames" in block:
            _check_frames(block["frames"], here, seen)
            _number(block, "requested_size", here)
        _need(
            block.get("requested_size", 0) <= size, here, block, "no more requested than there is"
        )
        if "address" in block:
            at = segment["address"] + filled
            _need(block["address"] == at, f"{here}.address", block["address"], str(at))
        filled += size
        allocated += size * (state == "active_allocated")
        active += size * (state != "inactive")
    _need(filled == total, f"{where}.blocks", _Said(f"{filled} bytes"), f"total_size {total}")
    for key, found in (("allocated_size", allocated), ("active_size", active)):
        if key in segment:
            _need(
                segment[key] == found, f"{where}.{key}", segment[key], f"{found}, the blocks' sum"
            )
    if "frames" in segment:
        _check_frames(segment["frames"], where, seen)


def _check_event(event: Any, where: str, seen: set[int]) -> None:
    _need(isinstance(event, dict), where, event, "a dict")
    action = _member(event, "action", str, where)
    _number(event, "size", where)
    _number(event, "stream", where)
    _number(event, "device_free" if action == "oom" else "addr", where)
    if "frames" in event:
        _check_frames(event["frames"], where, seen)
    if "category" in event:
        _member(event, "category", str, where)


def _check_frames(frames: Any, where: str, seen: set[int]) -> None:
    if id(frames) in seen:  # many events share one list
        return
    _need(isinstance(frames, list), f"{where}.frames", frames, "a list")
    for i, frame in enumerate(frames):
        here = f"{where}.frames[{i}]"
        _need(isinstance(frame, dict), here, frame, "a dict")
        _member(frame, "filename", str, here)
        _member(frame, "name", str, here)
        _number(frame, "line", here)
    seen.add(id(frames))


class _Story:
    """What is mapped and what is live at the moment between two events of one device."""

    def __init__(self, segments: list[dict[str, Any]], where: str) -> None:
        self.mapped = _Ranges("segments")
        self.live = _Ranges("blocks")
        self.pending: dict[int, int] = {}
        for segment in segments:
            at = segment["address"]
            self.mapped.add(at, segment["total_size"], where)
            for block in segment["blocks"]:
                size = block.get("requested_size", block["size"])
                if block["state"] == "active_allocated":
                    self.live.add(at, size, where)
                elif block["state"] != "inactive":
                    self.live.add(at, size, where)
                    self.pending[at] = size
                at += block["size"]

    def undo(self, event: dict[str, Any], where: str) -> None:
        undo = _UNDO.get(event["action"])
        if undo:
            undo(self, event["addr"], event["size"], where)

    def alloc(self, at: int, size: int, where: str) -> None:
        found = self.live.sizes.get(at)
        told = _Said(f"alloc of {size} bytes at {at}")
        _need(found == size and at not in self.pending, where, told,
              f"a block that is live afterwards; found {found}")  # fmt: skip
        self.live.remove(at)

    def free_completed(self, at: int, size: int, where: str) -> None:
        _need(
            self.mapped.holds(at, size), where, _Said(f"a free at {at}"), "an address in a segment"
        )
        self.live.add(at, size, where)
        self.pending[at] = size

    def free_requested(self, at: int, size: int, where: str) -> None:
        _need(self.pending.pop(at, None) == size, where, _Said(f"free_requested at {at}"),
              "a block that is pending, or a free_completed, after it")  # fmt: skip

    def free(self, at: int, size: int, where: str) -> None:
        self.free_completed(at, size, where)
        self.free_requested(at, size, where)

    def map(self, at: int, size: int, where: str) -> None:
        _need(self.mapped.holds(at, size), where, _Said(f"{size} bytes mapped at {at}"),
              "a segment that holds them afterwards")  # fmt: skip
        _need(not self.live.meets(at, size), where, _Said(f"{size} bytes mapped at {at}"),
              "no block that is older than they are")  # fmt: skip
        self.mapped.cut(at, size)

    def unmap(self, at: int, size: int, where: str) -> None:
        self.mapped.add(at, size, where)


_UNDO: dict[str, Callable[[_Story, int, int, str], None]] = {
    "alloc": _Story.alloc,
    "free": _Story.free,
    "free_completed": _Story.free_completed,
    "free_requested": _Story.free_requested,
    "segment_alloc": _Story.map,
    "segment_map": _Story.map,
    "segment_free": _Story.unmap,
    "segment_unmap": _Story.unmap,
}


class _Ranges:
    """Ranges of addresses that do not overlap, by where they begin."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.starts: list[int] = []
        self.sizes: dict[int, int] = {}

    def add(self, at: int, size: int, where: str) -> None:
        if size == 0:
            return
        _need(not self.meets(at, size), where, _Said(f"{size} bytes at {at}"), f"{self.what} apart")
        insort(self.starts, at)
        self.sizes[at] = size

    def remove(self, at: int) -> None:
        del self.starts[bisect_left(self.starts, at)]
        del self.sizes[at]

    def meets(self, at: int, size: int) -> bool:
        """Tell whether any range shares an address with `size` bytes at `at`."""
        next = bisect_right(self.starts, at)
        if next < len(self.starts) and self.starts[next] < at + size:
            return True
        return next > 0 and self.starts[next - 1] + self.sizes[self.starts[next - 1]] > at

    def holds(self, at: int, size: int) -> bool:
        """Tell whether neighbouring ranges cover `size` bytes at `at`."""
        end = at + size
        next = bisect_right(self.starts, at) - 1
        while 0 <= next < len(self.starts) and self.starts[next] <= at:
            at = max(at, self.starts[next] + self.sizes[self.starts[next]])
            if at >= end:
                return True
            next += 1
        return False

    def cut(self, at: int, size: int) -> None:
        """Take `size` bytes at `at`, which are held, out."""
        end = at + size
        next = bisect_right(self.starts, at) - 1
        while next < len(self.starts) and self.starts[next] < end:
            start = self.starts[next]
            stop = start + self.sizes[start]
            self.remove(start)
            for left, right in ((start, min(stop, at)), (max(start, end), stop)):
                if left < right:
                    insort(self.starts, left)
                    self.sizes[left] = right - left
                    next += left < at


def _need(holds: bool, where: str, given: object, needed: str) -> None:
    if not holds:
        raise SnapshotError(f"check_snapshot: {where}: {_short(given)}; {needed} is needed")


class _Said(str):
    """What is found, in words of ours."""

    __slots__ = ()


def _short(value: object) -> str:
    if type(value) is _Said:
        return str.__str__(value)
    if type(value) is dict or type(value) is list:
        return f"a {type(value).__name__} of {len(value)}"
    return shown(value)


def _member(holder: dict[str, Any], key: str, kind: type, where: str) -> Any:
    _need(key in holder, where, _Said(f"no {key}"), "one")
    _need(isinstance(holder[key], kind), f"{where}.{key}", holder[key], f"a {kind.__name__}")
    return holder[key]


def _number(holder: dict[str, Any], key: str, where: str) -> int:
    value: int = _member(holder, key, int, where)
    fits = not isinstance(value, bool) and 0 <= value < _LARGEST
    _need(fits, f"{where}.{key}", value, "a number from 0 to 2^53")
    return value


def _address(holder: dict[str, Any], key: str, where: str) -> int:
    value = _number(holder, key, where)
    _need(value > 0, f"{where}.{key}", value, "an address other than 0")
    return value
