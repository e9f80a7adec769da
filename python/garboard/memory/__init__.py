"""Bytes, per device: what is live, reserved and cached, the most there was, and the cap."""

from typing import Any

from garboard import _engine
from garboard._engine import human_bytes, parse_bytes
from garboard.memory._failing import fail_allocation, fail_every_allocation
from garboard.memory._peak import Peak, SiteBytes, peak

__all__ = [
    "LiveCounts",
    "Peak",
    "SiteBytes",
    "empty_cache",
    "fail_allocation",
    "fail_every_allocation",
    "human_bytes",
    "live",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_limit",
    "memory_reserved",
    "memory_stats",
    "parse_bytes",
    "peak",
    "reset_peak_memory_stats",
    "set_memory_limit",
]


class LiveCounts:
    """How many aliases, storages and graph nodes live, and the storages' bytes.

    The registry counts them, without asking an allocator. Comparable with `==`; subtractable.
    """

    __slots__ = ("aliases", "bytes", "nodes", "storages")

    def __init__(self, aliases: int, storages: int, nodes: int, bytes: int) -> None:
        self.aliases, self.storages, self.nodes, self.bytes = aliases, storages, nodes, bytes

    def _fields(self) -> tuple[int, int, int, int]:
        return self.aliases, self.storages, self.nodes, self.bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LiveCounts) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __sub__(self, other: "LiveCounts") -> "LiveCounts":
        return LiveCounts(*(a - b for a, b in zip(self._fields(), other._fields(), strict=True)))

    def __repr__(self) -> str:
        return (
            f"LiveCounts(aliases={self.aliases}, storages={self.storages}, nodes={self.nodes}, "
            f"bytes={self.bytes})"
        )


def live(device: str | _engine.device | None = None) -> LiveCounts:
    """Count what lives in the process; the bytes are of `device`, or of all devices.

    >>> import garboard as gb
    >>> before = gb.memory.live()
    >>> x = gb.zeros(4)
    >>> gb.memory.live() - before
    LiveCounts(aliases=1, storages=1, nodes=0, bytes=16)
    """
    aliases, storages, nodes, by_device, _ = _engine._live_counts()
    if device is None:
        return LiveCounts(aliases, storages, nodes, sum(by_device.values()))
    return LiveCounts(aliases, storages, nodes, by_device.get(str(_engine.device(device)), 0))


def memory_stats(device: str | _engine.device | None = None) -> dict[str, Any]:
    """Return the counters of the allocator of `device`, the CPU's by default."""
    return _engine._memory_stats(device)


def memory_allocated(device: str | _engine.device | None = None) -> int:
    """Return the bytes that live tensors asked for."""
    return int(memory_stats(device)["live_bytes"])


def memory_reserved(device: str | _engine.device | None = None) -> int:
    """Return the bytes held from the system, in use or cached."""
    return int(memory_stats(device)["reserved_bytes"])


def max_memory_allocated(device: str | _engine.device | None = None) -> int:
    """Return the most `memory_allocated` has been since the last reset."""
    return int(memory_stats(device)["peak_live_bytes"])


def max_memory_reserved(device: str | _engine.device | None = None) -> int:
    """Return the most `memory_reserved` has been since the last reset."""
    return int(memory_stats(device)["peak_reserved_bytes"])


def reset_peak_memory_stats(device: str | _engine.device | None = None) -> None:
    """Let the peaks be what is live and reserved now; `peak` too."""
    _engine._reset_peaks(device)


def empty_cache(device: str | _engine.device | None = None) -> int:
    """Return cached memory to the system; the bytes returned."""
    return _engine._empty_cache(device)


def memory_limit(device: str | _engine.device | None = None) -> int | None:
    """Return the cap on reserved bytes, or None."""
    return _engine._memory_limit(device)


def set_memory_limit(
    limit: int | str | None, device: str | _engine.device | None = None
) -> int | None:
    """Cap the bytes reserved on `device`; None takes the cap off. Returns what it was.

    Args:
        limit: Bytes, or text such as "2 GiB". One below what is live acts on the next allocation.
        device: The CPU by default.

    Raises:
        GarboardError: `limit` is text that names no bytes.
    """
    return _engine._set_memory_limit(limit, device)
