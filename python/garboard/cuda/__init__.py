"""CUDA devices: whether there are any, why not, their names and their memory.

The CUDA library is opened by the first question. Importing this module asks none, and no question
before the first tensor costs more than looking for a driver.
"""

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from garboard import _engine, memory
from garboard._arguments import check
from garboard._contexts import generator as _generator
from garboard._names.missing import module_getattr
from garboard._names.paths import publish_paths

__all__ = [
    "current_device",
    "device_count",
    "dump_snapshot",
    "empty_cache",
    "get_device_name",
    "get_per_process_memory_fraction",
    "is_available",
    "manual_seed",
    "manual_seed_all",
    "max_memory_allocated",
    "max_memory_reserved",
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
    "synchronize",
    "why_unavailable",
]

if TYPE_CHECKING:
    from garboard.cuda import amp as amp
else:
    __getattr__ = module_getattr(__name__, ("amp",))


def is_available() -> bool:
    """Tell whether there is a CUDA device that can be used. Never raises.

    Returns:
        A bool; `why_unavailable` has the reason.

    >>> gb.cuda.is_available() == (gb.cuda.device_count() > 0)
    True
    """
    return device_count() > 0


def why_unavailable() -> str | None:
    """Say in a sentence why no CUDA device can be used.

    Returns:
        Text that begins with one of: built without CUDA, library not found, build mismatch, no
        driver, driver too old, no device. None if one can be used.

    >>> (gb.cuda.why_unavailable() is None) == gb.cuda.is_available()
    True
    """
    return _engine._why_no_cuda() or None


def device_count() -> int:
    """Count the CUDA devices that can be used. Never raises.

    Returns:
        An integer, 0 where there is none.

    >>> gb.cuda.device_count() >= 0
    True
    """
    return _engine._cuda_device_count()


def current_device() -> int:
    """Return the number of the device that "cuda" alone names: the first.

    Raises:
        DeviceError: There is no CUDA device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.current_device() == 0
    """
    _engine._require_cuda("current_device", 0)
    return 0


def get_device_name(device: int | str | _engine.device | None = None) -> str:
    """Return the name its maker gave a device.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert "NVIDIA" in gb.cuda.get_device_name()
    """
    return _engine._cuda_device_name(_number("get_device_name", device))


def synchronize(device: int | str | _engine.device | None = None) -> None:
    """Wait until all work queued on a device is done.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device, or some of the work failed.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.synchronize()
    """
    _engine._cuda_synchronize(_number("synchronize", device))


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
        memory.reset_peak_memory_stats(f"cuda:{_number('reset_peak_memory_stats', device)}")


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
        number = _number("reset_accumulated_memory_stats", device)
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
    return memory.memory_stats(_name("memory_stats", device)) if is_available() else {}


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
    return memory.memory_stats_as_nested_dict(_name("memory_stats_as_nested_dict", device))


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
    return memory.memory_summary(_name("memory_summary", device), abbreviated)


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
        fraction, _name("set_per_process_memory_fraction", device)
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
    return memory.get_per_process_memory_fraction(_name("get_per_process_memory_fraction", device))


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
    name = None if device is None else _name("record_history", device)
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
    return memory.snapshot(None if device is None else _name("snapshot", device))


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
    memory.dump_snapshot(filename, None if device is None else _name("dump_snapshot", device))


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
    return question(f"cuda:{_number(question.__name__, device)}") if is_available() else 0


def _name(asker: str, device: int | str | _engine.device | None) -> str:
    return f"cuda:{_number(asker, device)}"


def _number(asker: str, device: int | str | _engine.device | None) -> int:
    """Return the number of a device that can be used."""
    if device is None or isinstance(device, int):
        device = check.numbered_device(asker, device)
    named = _engine.device(device)
    index = named.index
    if index is None:
        raise _engine.DeviceError(f"{asker}: device {named}; a CUDA device is needed")
    _engine._require_cuda(asker, index)
    return index


def manual_seed(seed: int) -> None:
    """Restart the default generator, which draws for the CPU, too, as `gb.manual_seed` does.

    Args:
        seed: An integer in [-2^63, 2^64); a negative one counts from 2^64 down.

    >>> gb.cuda.manual_seed(0)
    """
    _generator.manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Restart the default generator, which draws for all devices, as `gb.manual_seed` does.

    Args:
        seed: An integer in [-2^63, 2^64); a negative one counts from 2^64 down.

    >>> gb.cuda.manual_seed_all(0)
    """
    _generator.manual_seed(seed)


publish_paths(__name__)
