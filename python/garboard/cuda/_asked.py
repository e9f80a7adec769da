"""What programs ask a device or its driver: for which architectures, how busy, how hot.

How busy and how hot a device is the package nvidia-ml-py says, where it is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._engine import DeviceError
from garboard.cuda._devices import (
    device_count,
    device_number,
    get_device_capability,
    is_available,
)

__all__ = [
    "can_device_access_peer",
    "clock_rate",
    "device_memory_used",
    "get_arch_list",
    "get_gencode_flags",
    "get_sync_debug_mode",
    "has_half",
    "has_magma",
    "is_tf32_supported",
    "list_gpu_processes",
    "memory_usage",
    "power_draw",
    "set_sync_debug_mode",
    "temperature",
    "utilization",
]

_Device = int | str | _engine.device | None

has_half: bool = True
has_magma: bool = False  # LAPACK on the host factorizes what lies on a device


def get_arch_list() -> list[str]:
    """Tell for which architectures there is code: that of the current device, or none.

    The driver translates one portable code for the device that is there.

    Returns:
        A list such as `["sm_90"]`, empty without a device.

    >>> bool(gb.cuda.get_arch_list()) == gb.cuda.is_available()
    True
    """
    if not is_available():
        return []
    major, minor = get_device_capability()
    return [f"sm_{major}{minor}"]


def get_gencode_flags() -> str:
    """Return the flags of NVIDIA's compiler for `get_arch_list`.

    Returns:
        A string, empty without a device.

    >>> gb.cuda.get_gencode_flags().count("-gencode") == len(gb.cuda.get_arch_list())
    True
    """
    numbers = [name.partition("_")[2] for name in get_arch_list()]
    return " ".join(f"-gencode compute=compute_{it},code=sm_{it}" for it in numbers)


def is_tf32_supported() -> bool:
    """Tell whether the current device multiplies in TF32 where a program lets it.

    Returns:
        True from compute capability 8.0 on; False without a device.

    >>> if not gb.cuda.is_available():
    ...     assert not gb.cuda.is_tf32_supported()
    """
    return is_available() and get_device_capability() >= (8, 0)


def can_device_access_peer(device: _Device, peer_device: _Device) -> bool:
    """Return False: what one device computes another reads as a copy.

    Args:
        device: A number, or a device as tensors take it.
        peer_device: Likewise.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert not gb.cuda.can_device_access_peer(0, 0)
    """
    op = "can_device_access_peer"
    for given in (device, peer_device):
        device_number(op, given)
    return False


def get_sync_debug_mode() -> int:
    """Return 0: no wait for a device is told of.

    >>> gb.cuda.get_sync_debug_mode()
    0
    """
    return 0


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Ask for no warnings of waits for a device: there are none.

    Args:
        debug_mode: 0 or "default".

    Raises:
        NotImplementedError: 1, 2, "warn" or "error": waits are not told of.
        ValueError: Another word or number.
        TypeError: Neither a word nor a number.

    >>> gb.cuda.set_sync_debug_mode("default")
    """
    op = "set_sync_debug_mode"
    modes = ("default", "warn", "error")
    if isinstance(debug_mode, str):
        mode = modes.index(check.choice(op, "debug_mode", debug_mode, *modes))
    else:
        mode = check.count(op, "debug_mode", debug_mode)
        if mode > 2:
            raise ValueError(f"{op}: debug_mode {mode}; 0, 1 or 2 is needed")
    if mode:
        raise NotImplementedError(
            f"{op}: mode {mode}; waits for a device are not told of, and 0 is needed"
        )


def _library(op: str) -> Any:
    """The package nvidia-ml-py, ready to be asked."""
    try:
        pynvml = import_module("pynvml")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{op}: the package nvidia-ml-py is not installed; pip install nvidia-ml-py",
            name="pynvml",
        ) from error
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        raise DeviceError(f"{op}: no NVIDIA driver; a device is needed: {error}") from error
    return pynvml


def _asked(op: str, device: _Device) -> tuple[Any, Any]:
    """The package, and what stands for a device in it: the same hardware, whatever its number."""
    library = _library(op)
    number = device_number(op, device)
    return library, library.nvmlDeviceGetHandleByIndex(_numbers(op)[number])


def _numbers(op: str) -> list[int]:
    """The driver's number of each device, which the environment may hide or turn around."""
    import os

    shown = os.environ.get("CUDA_VISIBLE_DEVICES")
    if shown is None:
        return list(range(device_count()))
    names = [it.strip() for it in shown.split(",")]
    if not all(it.isdigit() for it in names[: device_count()]):
        raise DeviceError(
            f"{op}: CUDA_VISIBLE_DEVICES names devices otherwise than by number; numbers are needed"
        )
    return [int(it) for it in names[: device_count()]]


def utilization(device: _Device = None) -> int:
    """Tell how much of the last moments a device computed, in percent.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        ModuleNotFoundError: The package nvidia-ml-py is not installed.
        DeviceError: There is no driver, or no such device.

    >>> if gb.cuda.is_available():
    ...     print(gb.cuda.utilization())  # doctest: +SKIP
    """
    library, handle = _asked("utilization", device)
    return int(library.nvmlDeviceGetUtilizationRates(handle).gpu)


def memory_usage(device: _Device = None) -> int:
    """Tell how much of the last moments a device's memory was read or written, in percent.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        ModuleNotFoundError: The package nvidia-ml-py is not installed.
        DeviceError: There is no driver, or no such device.

    >>> if gb.cuda.is_available():
    ...     print(gb.cuda.memory_usage())  # doctest: +SKIP
    """
    library, handle = _asked("memory_usage", device)
    return int(library.nvmlDeviceGetUtilizationRates(handle).memory)


def temperature(device: _Device = None) -> int:
    """Tell how hot a device is, in degrees Celsius.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        ModuleNotFoundError: The package nvidia-ml-py is not installed.
        DeviceError: There is no driver, or no such device.

    >>> if gb.cuda.is_available():
    ...     print(gb.cuda.temperature())  # doctest: +SKIP
    """
    library, handle = _asked("temperature", device)
    return int(library.nvmlDeviceGetTemperature(handle, library.NVML_TEMPERATURE_GPU))


def power_draw(device: _Device = None) -> int:
    """Tell what power a device takes, in milliwatts.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        ModuleNotFoundError: The package nvidia-ml-py is not installed.
        DeviceError: There is no driver, or no such device.

    >>> if gb.cuda.is_available():
    ...     print(gb.cuda.power_draw())  # doctest: +SKIP
    """
    library, handle = _asked("power_draw", device)
    return int(library.nvmlDeviceGetPowerUsage(handle))


def clock_rate(device: _Device = None) -> int:
    """Tell how fast a device's processors run, in MHz.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        ModuleNotFoundError: The package nvidia-ml-py is not installed.
        DeviceError: There is no driver, or no such device.

    >>> if gb.cuda.is_available():
    ...     print(gb.cuda.clock_rate())  # doctest: +SKIP
    """
    library, handle = _asked("clock_rate", device)
    return int(library.nvmlDeviceGetClockInfo(handle, library.NVML_CLOCK_SM))


def device_memory_used(device: _Device = None) -> int:
    """Tell how many bytes of a device all programs use.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        ModuleNotFoundError: The package nvidia-ml-py is not installed.
        DeviceError: There is no driver, or no such device.

    >>> if gb.cuda.is_available():
    ...     print(gb.cuda.device_memory_used())  # doctest: +SKIP
    """
    library, handle = _asked("device_memory_used", device)
    return int(library.nvmlDeviceGetMemoryInfo(handle).used)


def list_gpu_processes(device: _Device = None) -> str:
    """Tell which programs use a device, and how much of its memory, a line each.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Returns:
        Text; where the package nvidia-ml-py or a driver is missing, it says so.

    Raises:
        DeviceError: There is no such device.

    >>> isinstance(gb.cuda.list_gpu_processes(), str)
    True
    """
    op = "list_gpu_processes"
    try:
        _library(op)
    except (ModuleNotFoundError, DeviceError) as error:
        return str(error)
    if not is_available() and device is None:
        return f"{op}: no CUDA device"
    library, handle = _asked(op, device)
    lines = [f"GPU:{device_number(op, device)}"]
    for one in library.nvmlDeviceGetComputeRunningProcesses(handle):
        mega = (one.usedGpuMemory or 0) / (1 << 20)
        lines.append(f"process {one.pid:>10d} uses {mega:>12.3f} MB GPU memory")
    return "\n".join(lines if len(lines) > 1 else [*lines, "no processes are running"])
