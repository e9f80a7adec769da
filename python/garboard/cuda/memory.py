"""The memory of CUDA devices: `garboard.memory`, asked about one of them."""

from collections.abc import Callable
from os import PathLike
from typing import Any, Literal

from garboard import _engine, memory
from garboard.cuda._devices import device_count, device_name, device_number, is_available

__all__ = [
    "dump_snapshot",
    "empty_cache",
    "get_per_process_memory_fraction",
    "max_memory_allocated",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "memory_summary",
    "record_history",
    "reset_accumulated_memory_stats",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "snapshot",
]

# Under the names that PyTorch's guides to memory tell.
_record_memory_history = memory.record_history
_snapshot = memory.snapshot
_dump_snapshot = memory.dump_snapshot


def mem_get_info(device: int | str | _engine.device | None = None) -> tuple[int, int]:
    """Return the bytes a device could still give, whoever has the rest, and all that it has.

    What is cached counts as taken.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Returns:
        Two integers.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     free, total = gb.cuda.mem_get_info()
    ...     assert 0 <= free <= total
    """
    number = device_number("mem_get_info", device)
    total: int = _engine._cuda_properties("mem_get_info", number)["total_memory"]
    return _engine._cuda_free_bytes(number), total


def memory_allocated(device: int | str | _engine.device | None = None) -> int:
    """Return the bytes that live tensors on a device asked for; 0 where there is none.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> gb.cuda.memory_allocated() >= 0
    True
    """
    return _asked(memory.memory_allocated, device)


def memory_reserved(device: int | str | _engine.device | None = None) -> int:
    """Return the bytes held from a device, in use or cached; 0 where there is none.

    cuBLAS keeps some 30 MiB more for itself, from the first product on.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> gb.cuda.memory_reserved() >= gb.cuda.memory_allocated()
    True
    """
    return _asked(memory.memory_reserved, device)


def max_memory_allocated(device: int | str | _engine.device | None = None) -> int:
    """Return the most `memory_allocated` has been since the last reset.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> gb.cuda.max_memory_allocated() >= gb.cuda.memory_allocated()
    True
    """
    return _asked(memory.max_memory_allocated, device)


def max_memory_reserved(device: int | str | _engine.device | None = None) -> int:
    """Return the most `memory_reserved` has been since the last reset.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> gb.cuda.max_memory_reserved() >= gb.cuda.memory_reserved()
    True
    """
    return _asked(memory.max_memory_reserved, device)


def reset_peak_memory_stats(device: int | str | _engine.device | None = None) -> None:
    """Let both peaks of a device be what is live and reserved now.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> gb.cuda.reset_peak_memory_stats()
    >>> gb.cuda.max_memory_allocated() == gb.cuda.memory_allocated()
    True
    """
    if is_available():
        memory.reset_peak_memory_stats(f"cuda:{device_number('reset_peak_memory_stats', device)}")


def reset_accumulated_memory_stats(device: int | str | _engine.device | None = None) -> None:
    """Count what is allocated and freed on a device from now on.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> gb.cuda.reset_accumulated_memory_stats()
    >>> gb.cuda.memory_stats().get("allocation.all.allocated", 0)
    0
    """
    if is_available():
        number = device_number("reset_accumulated_memory_stats", device)
        memory.reset_accumulated_memory_stats(f"cuda:{number}")


def memory_stats(device: int | str | _engine.device | None = None) -> dict[str, Any]:
    """Return the counters of `garboard.memory.memory_stats`; none where there is no device.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> bool(gb.cuda.memory_stats()) == gb.cuda.is_available()
    True
    """
    return memory.memory_stats(device_name("memory_stats", device)) if is_available() else {}


def memory_stats_as_nested_dict(
    device: int | str | _engine.device | None = None,
) -> dict[str, Any]:
    """Return the counters of `memory_stats`, nested at the dots of its keys.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> bool(gb.cuda.memory_stats_as_nested_dict()) == gb.cuda.is_available()
    True
    """
    if not is_available():
        return {}
    return memory.memory_stats_as_nested_dict(device_name("memory_stats_as_nested_dict", device))


def memory_summary(
    device: int | str | _engine.device | None = None, abbreviated: bool = False
) -> str:
    """Return the table of `garboard.memory.memory_summary`; empty where there is no device.

    Args:
        device: A number, or a device as tensors take it; the current one by default.
        abbreviated: Leave the two pools out.

    Raises:
        DeviceError: There are devices, but not this one.

    >>> bool(gb.cuda.memory_summary()) == gb.cuda.is_available()
    True
    """
    if not is_available():
        return ""
    return memory.memory_summary(device_name("memory_summary", device), abbreviated)


def set_per_process_memory_fraction(
    fraction: float, device: int | str | _engine.device | None = None
) -> None:
    """Cap the bytes reserved on a device at a share of what it has.

    Args:
        fraction: From 0 to 1.
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        TypeError: `fraction` is no number.
        ValueError: It is not in [0, 1].
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.set_per_process_memory_fraction(1.0)
    """
    memory.set_per_process_memory_fraction(
        fraction, device_name("set_per_process_memory_fraction", device)
    )


def get_per_process_memory_fraction(device: int | str | _engine.device | None = None) -> float:
    """Return the cap as a share of what the device has; 1.0 where there is none.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert 0 <= gb.cuda.get_per_process_memory_fraction() <= 1
    """
    return memory.get_per_process_memory_fraction(
        device_name("get_per_process_memory_fraction", device)
    )


def record_history(
    enabled: Literal["off", "site", "stack", "state", "all"] | bool | None = "all",
    context: Literal["state", "alloc", "all"] | None = "alloc",
    stacks: Literal["python", "all"] = "python",
    max_entries: int = 100_000,
    device: int | str | _engine.device | None = None,
    clear_history: bool = False,
) -> None:
    """Record what happens to the memory of one device, or of all: `garboard.memory.record_history`.

    Args:
        enabled: None or "off" stops; "site" and "stack" are levels, with PyTorch's other names.
        context: None makes of PyTorch's names the level "site".
        stacks: PyTorch's. Calls of C++ are never recorded.
        max_entries: How many events are kept, the latest.
        device: A number, or a device as tensors take it; all devices by default.
        clear_history: PyTorch's. A history always begins empty.

    Raises:
        HistoryError: An argument has a value that does not exist.
        DeviceError: There is no such device.

    >>> gb.cuda.record_history(None)
    """
    name = None if device is None else device_name("record_history", device)
    memory.record_history(enabled, context, stacks, max_entries, name, clear_history)


def snapshot(device: int | str | _engine.device | None = None) -> dict[str, Any]:
    """Return the blocks and the history of one device, or of all: `garboard.memory.snapshot`.

    Args:
        device: A number, or a device as tensors take it; all devices by default, the CPU too.

    Returns:
        Plain data: `segments`, `device_traces`, `allocator_settings`.

    Raises:
        DeviceError: There is no such device.

    >>> sorted(gb.cuda.snapshot())
    ['allocator_settings', 'device_traces', 'segments']
    """
    return memory.snapshot(None if device is None else device_name("snapshot", device))


def dump_snapshot(
    filename: str | PathLike[str] = "dump_snapshot.pickle",
    device: int | str | _engine.device | None = None,
) -> None:
    """Write `snapshot(device)` to a file: `garboard.memory.dump_snapshot`.

    Args:
        filename: JSON if it ends with .json, else a pickle of protocol 4.
        device: A number, or a device as tensors take it; all devices by default, the CPU too.

    Raises:
        OSError: The file cannot be written.
        DeviceError: There is no such device.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gb.cuda.dump_snapshot(f"{folder}/now.json")
    """
    memory.dump_snapshot(filename, None if device is None else device_name("dump_snapshot", device))


def empty_cache() -> int:
    """Return the cached memory of all CUDA devices to them.

    Returns:
        The bytes returned; 0 where there is no device.

    >>> gb.cuda.empty_cache() >= 0
    True
    """
    return sum(memory.empty_cache(f"cuda:{number}") for number in range(device_count()))


def _asked(question: Callable[[str], int], device: int | str | _engine.device | None) -> int:
    """Ask a question of `garboard.memory` about a device. Scripts ask it on any machine."""
    return question(f"cuda:{device_number(question.__name__, device)}") if is_available() else 0
