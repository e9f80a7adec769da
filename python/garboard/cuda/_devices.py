"""Which CUDA devices there are, what they are, and which of them the name alone means."""

from __future__ import annotations

from types import SimpleNamespace, TracebackType

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor

__all__ = [
    "current_device",
    "device",
    "device_count",
    "device_name",
    "device_number",
    "device_of",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "set_device",
    "synchronize",
    "why_not_fused",
    "why_unavailable",
]


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


def why_not_fused() -> str | None:
    """Say in a sentence why `fuse` runs chains op by op on CUDA devices.

    NVRTC compiles them, from the package nvidia-cuda-nvrtc or the CUDA toolkit, whichever is found
    first.

    Returns:
        Text: why no CUDA device can be used, why NVRTC cannot be used, or what it said of the first
        chain that it did not compile. None where all chains have been compiled.

    >>> if not gb.cuda.is_available():
    ...     assert gb.cuda.why_not_fused() == gb.cuda.why_unavailable()
    """
    return _engine._why_not_fused() or None


def device_count() -> int:
    """Count the CUDA devices that can be used. Never raises.

    Returns:
        An integer, 0 where there is none.

    >>> gb.cuda.device_count() >= 0
    True
    """
    return _engine._cuda_device_count()


def init() -> None:
    """Open the CUDA library now; else the first question does.

    Raises:
        DeviceError: There is no CUDA device.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.init()
    """
    _engine._require_cuda("init", _engine._current_cuda_device())


def is_initialized() -> bool:
    """Tell whether the CUDA library has been opened, and has a device. Opens nothing.

    Returns:
        A bool.

    >>> gb.cuda.is_initialized() <= gb.cuda.is_available()
    True
    """
    return _engine._is_cuda_open()


def current_device() -> int:
    """Return the number of the device that "cuda" alone names, on this thread.

    Returns:
        An integer; 0 until `set_device` or `device` says otherwise.

    Raises:
        DeviceError: There is no CUDA device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.current_device() == 0
    """
    number = _engine._current_cuda_device()
    _engine._require_cuda("current_device", number)
    return number


def set_device(device: int | str | _engine.device) -> None:
    """Let "cuda" alone name this device, on this thread, from now on.

    Args:
        device: A number, or a device as tensors take it; a negative number changes nothing.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.set_device(0)
    """
    if isinstance(device, int) and device < 0:
        return
    _engine._set_current_cuda_device(device_number("set_device", device))


class device:
    """Let "cuda" alone name a device, on this thread: a block.

    Args:
        device: A number, or a device as tensors take it; None or a negative number changes nothing.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     with gb.cuda.device(0):
    ...         assert gb.zeros(1, device="cuda").get_device() == 0
    """

    def __init__(self, device: int | str | _engine.device | None) -> None:
        is_none = device is None or (isinstance(device, int) and device < 0)
        self._number = None if is_none else device_number("device", device)
        self._before: list[int] = []

    def __enter__(self) -> None:
        self._before.append(_engine._current_cuda_device())
        if self._number is not None:
            _engine._set_current_cuda_device(self._number)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        before = self._before.pop()
        if self._number is not None:
            _engine._set_current_cuda_device(before)


class device_of(device):
    """Let "cuda" alone name the device of a tensor, on this thread: a block.

    Args:
        obj: A tensor; one on the CPU changes nothing.

    Raises:
        TypeError: `obj` is no tensor.

    >>> with gb.cuda.device_of(gb.ones(2)):
    ...     pass
    """

    def __init__(self, obj: Tensor) -> None:
        given = check.tensor("device_of", "obj", obj)
        super().__init__(given.get_device() if given.is_cuda else None)


def get_device_name(device: int | str | _engine.device | None = None) -> str:
    """Return the name its maker gave a device.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert "NVIDIA" in gb.cuda.get_device_name()
    """
    number = device_number("get_device_name", device)
    name: str = _engine._cuda_properties("get_device_name", number)["name"]
    return name


def get_device_properties(device: int | str | _engine.device | None = None) -> SimpleNamespace:
    """Return what a device is.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Returns:
        Attributes with PyTorch's names: `name`, `major`, `minor`, `total_memory`,
        `multi_processor_count`, `warp_size`, `L2_cache_size`, `uuid` and others; sizes in bytes,
        clock rates in kHz.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.get_device_properties().total_memory > 0
    """
    number = device_number("get_device_properties", device)
    return SimpleNamespace(**_engine._cuda_properties("get_device_properties", number))


def get_device_capability(device: int | str | _engine.device | None = None) -> tuple[int, int]:
    """Return the compute capability of a device.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Returns:
        The major and the minor number.

    Raises:
        DeviceError: There is no such device.

    >>> if gb.cuda.is_available():
    ...     assert gb.cuda.get_device_capability() >= (7, 5)
    """
    number = device_number("get_device_capability", device)
    its = _engine._cuda_properties("get_device_capability", number)
    return its["major"], its["minor"]


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Tell whether the current device computes in bfloat16. Never raises.

    Args:
        including_emulation: True also where it does so by way of float32, as every device does.

    Returns:
        A bool, False where there is no device.

    Raises:
        TypeError: `including_emulation` is no bool.

    >>> gb.cuda.is_bf16_supported() == gb.cuda.is_available()
    True
    """
    is_enough = check.flag("is_bf16_supported", "including_emulation", including_emulation)
    return is_available() and (is_enough or get_device_capability() >= (8, 0))


def synchronize(device: int | str | _engine.device | None = None) -> None:
    """Wait until all work queued on a device is done, on all its streams.

    Args:
        device: A number, or a device as tensors take it; the current one by default.

    Raises:
        DeviceError: There is no such device, or some of the work failed.

    >>> if gb.cuda.is_available():
    ...     gb.cuda.synchronize()
    """
    _engine._cuda_synchronize(device_number("synchronize", device))


def device_name(asker: str, device: int | str | _engine.device | None) -> str:
    """Return the whole name of a device that can be used: "cuda:0"."""
    return f"cuda:{device_number(asker, device)}"


def device_number(asker: str, device: int | str | _engine.device | None) -> int:
    """Return the number of a device that can be used. Raises DeviceError in the asker's name."""
    if device is None or isinstance(device, int):
        device = check.numbered_device(asker, device)
    named = _engine.device(device)
    if named.type != "cuda" or named.index is None:
        raise _engine.DeviceError(f"{asker}: device {named}; a CUDA device is needed")
    _engine._require_cuda(asker, named.index)
    return named.index
