"""What lives in this process now, as plain numbers and names for another one to show."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from garboard import _engine
from garboard._arguments.texts import printable
from garboard._shown.site import line_of, site_of

__all__ = ["sample"]

_MOST_ROWS = 60


def sample() -> dict[str, Any]:
    """Return live bytes by line, scope and device, the allocators' caches, and the step."""
    aliases, storages, nodes, live, _ = _engine._live_counts()
    lines: dict[int, list[int]] = {}
    for number, count, nbytes in _engine._live_groups("site"):
        entry = lines.setdefault(line_of(number), [0, 0])
        entry[0] += count
        entry[1] += nbytes
    sites = sorted(((*it, number) for number, it in lines.items()), key=lambda it: -it[1])
    scopes = sorted(_engine._live_groups("scope"), key=lambda it: -it[2])
    return {
        "pid": os.getpid(),
        "program": printable(" ".join(sys.argv)[:200]),
        "time_s": time.monotonic(),
        "step": _engine._birth_now()[1],
        "aliases": aliases,
        "storages": storages,
        "nodes": nodes,
        "devices": {str(name): _device(str(name), nbytes) for name, nbytes in live.items()},
        "sites": [
            [str(site_of(number)), count, nbytes] for count, nbytes, number in sites[:_MOST_ROWS]
        ],
        "scopes": [[printable(str(name)), count, n] for name, count, n in scopes[:_MOST_ROWS]],
    }


def _device(name: str, live: int) -> dict[str, int | None]:
    device = _engine.device(name)
    stats = _engine._memory_stats(device)
    return {
        "live": live,
        "peak": stats["peak_live_bytes"],
        "reserved": stats["reserved_bytes"],
        "cached": stats["cached_bytes"],
        "limit": _engine._memory_limit(device),
    }
