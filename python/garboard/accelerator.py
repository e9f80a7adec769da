"""The kind of device that is faster than the CPU, if there is one: CUDA's, or none."""

from __future__ import annotations

from garboard import cuda
from garboard._arguments import check
from garboard._engine import device as _device
from garboard.cuda import current_device as current_device_idx  # noqa: F401 - its older name
from garboard.cuda import current_device as current_device_index
from garboard.cuda import (
    current_stream,
    device_count,
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    reset_accumulated_memory_stats,
    reset_peak_memory_stats,
    set_stream,
    synchronize,
)
from garboard.cuda import device as device_index
from garboard.cuda import mem_get_info as get_memory_info
from garboard.cuda import set_device as set_device_idx  # noqa: F401 - its older name
from garboard.cuda import set_device as set_device_index

__all__ = [
    "current_accelerator",
    "current_device_index",
    "current_stream",
    "device_count",
    "device_index",
    "empty_cache",
    "get_memory_info",
    "is_available",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_device_index",
    "set_stream",
    "synchronize",
]


def is_available() -> bool:
    """Tell whether a device can be used that is not the CPU. Never raises.

    Returns:
        A bool; `gb.cuda.why_unavailable` has the reason.

    >>> gb.accelerator.is_available() == gb.cuda.is_available()
    True
    """
    return cuda.is_available()


def current_accelerator(check_available: bool = False) -> _device | None:
    """Return the device that computes fastest, for `device=`.

    Args:
        check_available: Ignored: a device that cannot be used is none.

    Returns:
        A device, or None where there is the CPU alone.

    Raises:
        TypeError: `check_available` is neither True nor False.

    >>> (gb.accelerator.current_accelerator() is None) == (not gb.accelerator.is_available())
    True
    """
    check.flag("current_accelerator", "check_available", check_available)
    return _device("cuda") if cuda.is_available() else None
