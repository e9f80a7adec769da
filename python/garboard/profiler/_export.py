"""Profiles as files that other programs open: Chrome's trace events and speedscope's."""

from __future__ import annotations

import gzip
import json
import os
from typing import Any

from garboard._arguments import check
from garboard._engine import human_bytes
from garboard._shown.site import Site
from garboard.profiler._events import Recorded

__all__ = ["chrome_trace", "memory_speedscope", "write_json"]

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def write_json(op: str, path: str | os.PathLike[str], content: dict[str, Any]) -> None:
    """Write `content`, zipped where the name ends with .gz."""
    file = check.path(op, "path", path)
    data = json.dumps(content).encode()
    file.write_bytes(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


def chrome_trace(recorded: Recorded) -> dict[str, Any]:
    """Return complete events for ops, and counters for the live bytes of each device."""
    process = os.getpid()
    threads = sorted({event.thread for event in recorded.events})
    rows: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": process, "tid": 0, "args": {"name": "garboard"}}
    ]
    rows += [
        {
            "ph": "M",
            "name": "thread_name",
            "pid": process,
            "tid": thread,
            "args": {"name": f"thread {thread}"},
        }
        for thread in threads
    ]
    for event in recorded.events:
        arguments: dict[str, Any] = {}
        if event.input_shapes:
            arguments["Input Dims"] = event.input_shapes
        if event.stack:
            arguments["Call stack"] = "; ".join(event.stack)
        for device in ("cpu", "cuda"):
            for kind in ("allocated", "freed"):
                if size := getattr(event, f"self_{device}_{kind}"):
                    arguments[f"Self {device.upper()} bytes {kind}"] = size
        rows.append(
            {
                "ph": "X",
                "cat": "cpu_op",
                "name": event.name,
                "pid": process,
                "tid": event.thread,
                "ts": event.begin_ns / 1000,
                "dur": event.time_ns / 1000,
                "args": arguments,
            }
        )
    live = dict(recorded.live_before)
    for move in recorded.memory:
        live[move.device] = live.get(move.device, 0) + move.bytes
        rows.append(
            {
                "ph": "C",
                "name": f"{move.device} live bytes",
                "pid": process,
                "tid": 0,
                "ts": move.at_ns / 1000,
                "args": {"bytes": live[move.device]},
            }
        )
    return {"displayTimeUnit": "ns", "traceEvents": rows}


def memory_speedscope(recorded: Recorded, device: str, moments: int) -> dict[str, Any]:
    """Return one profile of live bytes by line for the peak, and one for each moment."""
    frames: dict[Site | None, int] = {}
    looks = _looks(recorded, device, moments)
    profiles = []
    for title, by_site in looks:
        sites = sorted((it for it in by_site if by_site[it] > 0), key=lambda it: -by_site[it])
        weights = [by_site[site] for site in sites]
        total = sum(weights)
        profiles.append(
            {
                "type": "sampled",
                "name": f"{title}: {human_bytes(total)} live",
                "unit": "bytes",
                "startValue": 0,
                "endValue": total,
                "samples": [[frames.setdefault(site, len(frames))] for site in sites],
                "weights": weights,
            }
        )
    return {
        "$schema": _SCHEMA,
        "name": f"live bytes of {device}",
        "exporter": "garboard",
        "activeProfileIndex": 0,
        "shared": {"frames": [_frame(site) for site in frames]},
        "profiles": profiles,
    }


def _frame(site: Site | None) -> dict[str, Any]:
    if site is None:
        return {"name": "older than the profile"}
    return {"name": str(site), "file": site.file, "line": site.line}


def _looks(
    recorded: Recorded, device: str, moments: int
) -> list[tuple[str, dict[Site | None, int]]]:
    """What was live, by birth line, at the peak and then at each moment; None is what is older."""
    live: dict[Site | None, int] = {None: recorded.live_before.get(device, 0)}
    born: set[int] = set()
    times = [recorded.time_ns * (i + 1) // moments for i in range(moments)]
    looks: list[tuple[str, dict[Site | None, int]]] = []
    total = most = live[None]
    peak, peak_ns = dict(live), 0

    def look_until(at_ns: int) -> None:
        while len(looks) < moments and times[len(looks)] < at_ns:
            looks.append((f"at {times[len(looks)] / 1e6:.3f} ms", dict(live)))

    for move in recorded.memory:
        if move.device != device:
            continue
        look_until(move.at_ns)
        site = move.site if move.bytes > 0 or move.serial in born else None
        if move.bytes > 0:
            born.add(move.serial)
        live[site] = live.get(site, 0) + move.bytes
        total += move.bytes
        if total > most:
            most, peak, peak_ns = total, dict(live), move.at_ns
    look_until(recorded.time_ns + 1)
    return [(f"peak, at {peak_ns / 1e6:.3f} ms", peak), *looks]
