"""Bytes, per device: what is live, reserved and cached, the most there was, and the cap."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import shown
from garboard._engine import human_bytes, parse_bytes
from garboard._history_errors import AllocationLogError, HistoryError, SnapshotError
from garboard._names.missing import module_getattr
from garboard._snapshot_rules import check_snapshot
from garboard.memory._failing import fail_allocation, fail_every_allocation
from garboard.memory._history import history_level, record_history
from garboard.memory._log import LoggedEvent, read_allocation_log, write_allocation_log
from garboard.memory._peak import Peak, SiteBytes, peak
from garboard.memory._plot import plot
from garboard.memory._simulated import LargestBatch, SimulatedDevice, Trial, largest_batch
from garboard.memory._snapshot import snapshot
from garboard.memory._snapshot_files import dump_snapshot, load_snapshot
from garboard.memory._stats import memory_stats, memory_stats_as_nested_dict, memory_summary

__all__ = [
    "AllocationLogError",
    "HistoryError",
    "LargestBatch",
    "LiveCounts",
    "LoggedEvent",
    "Peak",
    "SimulatedDevice",
    "SiteBytes",
    "SnapshotError",
    "Trial",
    "_dump_snapshot",
    "_record_memory_history",
    "_snapshot",
    "check_snapshot",
    "dump_snapshot",
    "empty_cache",
    "fail_allocation",
    "fail_every_allocation",
    "get_per_process_memory_fraction",
    "history_level",
    "human_bytes",
    "largest_batch",
    "live",
    "load_snapshot",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_limit",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "parse_bytes",
    "peak",
    "plot",
    "read_allocation_log",
    "record_history",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_memory_limit",
    "set_per_process_memory_fraction",
    "snapshot",
    "write_allocation_log",
]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)

# PyTorch's names, underscores and all.
_record_memory_history = record_history
_snapshot = snapshot
_dump_snapshot = dump_snapshot


@dataclass(frozen=True, slots=True)
class LiveCounts:
    """How many aliases, storages and graph nodes live, and the storages' bytes.

    The registry counts them, without asking an allocator. Comparable with `==`; subtractable.

    Args:
        aliases: Handles on tensors.
        storages: Blocks of bytes, shared by views.
        nodes: Recorded ops.
        bytes: Of the storages, as they were asked for.

    >>> gb.memory.LiveCounts(3, 2, 0, 32) - gb.memory.LiveCounts(1, 1, 0, 16)
    LiveCounts(aliases=2, storages=1, nodes=0, bytes=16)
    """

    aliases: int
    storages: int
    nodes: int
    bytes: int

    def __sub__(self, other: "LiveCounts") -> "LiveCounts":
        if not isinstance(other, LiveCounts):
            return NotImplemented
        return LiveCounts(
            self.aliases - other.aliases,
            self.storages - other.storages,
            self.nodes - other.nodes,
            self.bytes - other.bytes,
        )


def live(device: str | _engine.device | None = None) -> LiveCounts:
    """Count what lives in the process.

    Args:
        device: Whose bytes; those of all devices by default. The other counts are of all devices.

    Returns:
        A LiveCounts, which stays as it is.

    >>> before = gb.memory.live()
    >>> x = gb.zeros(4)
    >>> gb.memory.live() - before
    LiveCounts(aliases=1, storages=1, nodes=0, bytes=16)
    """
    aliases, storages, nodes, by_device, _ = _engine._live_counts()
    if device is None:
        return LiveCounts(aliases, storages, nodes, sum(by_device.values()))
    return LiveCounts(aliases, storages, nodes, by_device.get(str(_engine.device(device)), 0))


def memory_allocated(device: str | _engine.device | None = None) -> int:
    """Return the bytes that live tensors asked for.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> before = gb.memory.memory_allocated()
    >>> x = gb.zeros(1000)
    >>> gb.memory.memory_allocated() - before
    4000
    """
    return int(_engine._memory_stats(device)["live_bytes"])


def memory_reserved(device: str | _engine.device | None = None) -> int:
    """Return the bytes held from the system, in use or cached.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.memory_reserved() >= 0
    True
    """
    return int(_engine._memory_stats(device)["reserved_bytes"])


def max_memory_allocated(device: str | _engine.device | None = None) -> int:
    """Return the most `memory_allocated` has been since the last reset.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.max_memory_allocated() >= gb.memory.memory_allocated()
    True
    """
    return int(_engine._memory_stats(device)["peak_live_bytes"])


def max_memory_reserved(device: str | _engine.device | None = None) -> int:
    """Return the most `memory_reserved` has been since the last reset.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.max_memory_reserved() >= gb.memory.memory_reserved()
    True
    """
    return int(_engine._memory_stats(device)["peak_reserved_bytes"])


def reset_peak_memory_stats(device: str | _engine.device | None = None) -> None:
    """Let the peaks be what is live and reserved now; `peak` too.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.reset_peak_memory_stats()
    >>> gb.memory.max_memory_allocated() == gb.memory.memory_allocated()
    True
    """
    _engine._reset_peaks(device)


def reset_accumulated_memory_stats(device: str | _engine.device | None = None) -> None:
    """Count what is allocated and freed from now on.

    `*.allocated` and `*.freed` of `memory_stats` begin at 0.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.reset_accumulated_memory_stats()
    >>> gb.memory.memory_stats()["allocation.all.allocated"]
    0
    """
    _engine._reset_accumulated(device)


def empty_cache(device: str | _engine.device | None = None) -> int:
    """Return cached memory to the system.

    Args:
        device: The CPU by default.

    Returns:
        The bytes returned.

    Raises:
        DeviceError: There is no such device.

    >>> gb.memory.empty_cache() >= 0
    True
    """
    return _engine._empty_cache(device)


def memory_limit(device: str | _engine.device | None = None) -> int | None:
    """Return the cap on reserved and live bytes, or None.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> before = gb.memory.set_memory_limit("2 GiB")
    >>> gb.memory.memory_limit()
    2147483648
    >>> gb.memory.set_memory_limit(before)
    2147483648
    """
    return _engine._memory_limit(device)


def set_memory_limit(
    limit: int | str | None, device: str | _engine.device | None = None
) -> int | None:
    """Cap the bytes reserved on `device`.

    It holds from now on: what is cached beyond it is returned before this does, and what the cache
    hands out counts against it. Where more is live, nothing is torn down, but allocations raise
    `OutOfMemoryError`, and what is released is returned, until live bytes are within the cap.

    Args:
        limit: Bytes, or text such as "2 GiB"; None takes the cap off.
        device: The CPU by default.

    Returns:
        What the cap was, in bytes, or None.

    Raises:
        GarboardError: `limit` is text that names no bytes.
        ArgumentError: It is negative; also a ValueError.
        DeviceError: There is no such device.

    >>> before = gb.memory.set_memory_limit("2 GiB")
    >>> gb.memory.set_memory_limit(before)
    2147483648
    """
    if isinstance(limit, int) and limit < 0:
        raise ArgumentError(f"set_memory_limit: limit {shown(limit)}; it must not be negative")
    return _engine._set_memory_limit(limit, device)


def set_per_process_memory_fraction(
    fraction: float, device: str | _engine.device | None = None
) -> None:
    """Cap the bytes reserved on `device` at a share of what it has: see `set_memory_limit`.

    The CPU has the machine's memory, or that of the process's control group where it is less; 0.8
    of that is its cap until another is set.

    Args:
        fraction: From 0 to 1.
        device: The CPU by default.

    Raises:
        TypeError: `fraction` is no number.
        ValueError: It is not in [0, 1].
        DeviceError: There is no such device.

    >>> before = gb.memory.memory_limit()
    >>> gb.memory.set_per_process_memory_fraction(0.5)
    >>> round(gb.memory.get_per_process_memory_fraction(), 2)
    0.5
    >>> _ = gb.memory.set_memory_limit(before)
    """
    if not isinstance(fraction, (int, float)) or isinstance(fraction, bool):
        raise TypeError(
            "set_per_process_memory_fraction: fraction is of type "
            f"{type(fraction).__name__}; a number is needed"
        )
    if not 0 <= fraction <= 1:  # NaN too
        raise ValueError(
            f"set_per_process_memory_fraction: fraction {shown(fraction)}; it must be in [0, 1]"
        )
    _engine._set_memory_limit(int(fraction * _engine._memory_capacity(device)), device)


def get_per_process_memory_fraction(device: str | _engine.device | None = None) -> float:
    """Return the cap as a share of what the device has; 1.0 where there is none.

    Args:
        device: The CPU by default.

    Raises:
        DeviceError: There is no such device.

    >>> 0 <= gb.memory.get_per_process_memory_fraction() <= 1
    True
    """
    limit = memory_limit(device)
    capacity = _engine._memory_capacity(device)
    return 1.0 if limit is None else min(1.0, limit / capacity)
