"""What a checked snapshot says of one device: what is live, and how it came to that, by site."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

__all__ = [
    "OTHER",
    "UNKNOWN",
    "Sites",
    "Timeline",
    "device_name",
    "live_blocks",
    "short_path",
    "timeline",
]

UNKNOWN = "older than the recording"
OTHER = "all other sites"

_PYTORCH = "/site-packages/torch/"
_MOST_POINTS = 400
_LIVE = ("active_allocated", "active_pending_free", "active_awaiting_free")

_T = TypeVar("_T")
Frames = list[dict[str, Any]]


class Sites:
    """Names of sites: the innermost frame outside the library, told once for each stack.

    Where the library lay is in the snapshot: it may have been taken on another machine.
    """

    def __init__(self, snapshot: dict[str, Any]) -> None:
        self._library = _setting(snapshot, "library", str) or _PYTORCH
        self._names: dict[int, tuple[str, Frames]] = {}  # the frames stay, so their id does

    def name(self, frames: Frames | None) -> str:
        """Return `train.py:42 step()`."""
        if not frames:
            return UNKNOWN
        if found := self._names.get(id(frames)):
            return found[0]
        frame = next((f for f in frames if self._library not in f["filename"]), frames[0])
        name = f"{Path(frame['filename']).name}:{frame['line']} {frame['name'].split('.')[-1]}()"
        self._names[id(frames)] = (name, frames)
        return name


def short_path(filename: str) -> str:
    """Return a file's name with the folder it is in."""
    return "/".join(Path(filename).parts[-2:])


def _setting(snapshot: dict[str, Any], name: str, kind: type[_T]) -> _T | None:
    """Return what a snapshot's writer says of itself; PyTorch's says other things."""
    settings = snapshot.get("allocator_settings")
    found = settings.get(name) if isinstance(settings, dict) else None
    return found if isinstance(found, kind) else None


def device_name(snapshot: dict[str, Any], device: int) -> str:
    """Return what a device is called: PyTorch's snapshots know GPUs alone."""
    names = _setting(snapshot, "devices", dict) or {}
    found = names.get(str(device))
    return found if isinstance(found, str) else f"cuda:{device}"


def live_blocks(segments: list[dict[str, Any]]) -> list[tuple[int, int, Frames]]:
    """Return (address, requested bytes, frames) of what is live."""
    found = []
    for segment in segments:
        at = segment["address"]
        for block in segment["blocks"]:
            if block["state"] in _LIVE:
                size = block.get("requested_size", block["size"])
                found.append((at, size, block.get("frames", [])))
            at += block["size"]
    return found


@dataclass
class Timeline:
    """Live bytes by site after each of at most 400 runs of events, at the highest of the run."""

    events: list[int] = field(default_factory=list)
    """How many events had happened."""
    bytes: list[dict[str, int]] = field(default_factory=list)
    """By site."""
    peak: int = 0


def timeline(segments: list[dict[str, Any]], trace: list[dict[str, Any]], sites: Sites) -> Timeline:
    """Play the events: backwards to what was live before them, then forwards."""
    live = {at: (size, sites.name(frames)) for at, size, frames in live_blocks(segments)}
    for event in reversed(trace):
        if event["action"] == "alloc":
            live.pop(event["addr"], None)
        elif event["action"] in ("free_completed", "free"):
            live[event["addr"]] = (event["size"], sites.name(event.get("frames")))
    totals: dict[str, int] = {}
    for size, site in live.values():
        totals[site] = totals.get(site, 0) + size
    total = sum(totals.values())
    found = Timeline([0], [dict(totals)], total)
    run = max(1, len(trace) // _MOST_POINTS)
    highest, at_highest = -1, (0, totals)
    for i, event in enumerate(trace, start=1):
        if event["action"] == "alloc":
            site = sites.name(event.get("frames"))
            live[event["addr"]] = (event["size"], site)
            totals[site] = totals.get(site, 0) + event["size"]
            total += event["size"]
        elif event["action"] in ("free_completed", "free") and event["addr"] in live:
            size, site = live.pop(event["addr"])
            totals[site] -= size
            total -= size
        if total > highest:
            highest, at_highest = total, (i, dict(totals))
        if i % run == 0 or i == len(trace):
            found.events.append(at_highest[0])
            found.bytes.append(at_highest[1])
            found.peak = max(found.peak, highest)
            highest = -1
    if trace and found.events[-1] != len(trace):
        found.events.append(len(trace))
        found.bytes.append(dict(totals))
    return found
