"""Switches of CUDA's libraries, as PyTorch names them."""

from collections.abc import Iterator
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.blocks import block
from garboard._settings import get_float32_matmul_precision, set_float32_matmul_precision
from garboard.backends._precisions import Precision

__all__ = [
    "allow_fp16_bf16_reduction_math_sdp",
    "cudnn_sdp_enabled",
    "cufft_plan_cache",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed",
    "is_built",
    "is_flash_attention_available",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "preferred_blas_library",
    "preferred_linalg_library",
    "sdp_kernel",
]


class _Products(Precision):
    """How products are computed; sums of half types always in float32, whatever is set."""

    allow_fp16_reduced_precision_reduction: bool = False
    allow_bf16_reduced_precision_reduction: bool = False

    @property
    def allow_tf32(self) -> bool:
        """Whether products of float32 may be of TF32: `set_float32_matmul_precision`'s."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        is_allowed = check.flag("backends.cuda.matmul", "allow_tf32", allowed)
        set_float32_matmul_precision("high" if is_allowed else "highest")


class _Plans:
    """The plans of Fourier transforms that PyTorch keeps for a device; there are none here."""

    max_size: int = 4096

    @property
    def size(self) -> int:
        """How many are kept."""
        return 0

    def clear(self) -> None:
        """Let go of them."""


class _PlansOfDevices(_Plans):
    """Those of the current device; of another by its number or name between brackets."""

    def __init__(self) -> None:
        self._of: dict[int, _Plans] = {}

    def __getitem__(self, device: Any) -> _Plans:
        number = device if isinstance(device, int) else (_engine.device(device).index or 0)
        return self._of.setdefault(number, _Plans())


matmul: _Products = _Products("cuda.matmul")
cufft_plan_cache: _PlansOfDevices = _PlansOfDevices()
_preferred = {"linalg": "default", "blas": "default"}
_kernels = {
    **{"flash": True, "mem_efficient": True, "math": True, "cudnn": True},
    "reduction": False,
}


def preferred_linalg_library(backend: str | None = None) -> str:
    """Note which library is to factor matrices; it changes nothing here.

    Args:
        backend: "default", "cusolver" or "magma"; None to ask only.

    Returns:
        What was noted last.

    Raises:
        ValueError: Another name.

    >>> gb.backends.cuda.preferred_linalg_library("cusolver")
    'cusolver'
    >>> gb.backends.cuda.preferred_linalg_library("default")
    'default'
    """
    if backend is not None:
        known = ("default", "cusolver", "magma")
        _preferred["linalg"] = check.choice("preferred_linalg_library", "backend", backend, *known)
    return _preferred["linalg"]


def preferred_blas_library(backend: str | None = None) -> str:
    """Note which library is to multiply matrices; it changes nothing here.

    Args:
        backend: "default", "cublas", "cublaslt", "hipblaslt" or "ck"; None to ask only.

    Returns:
        What was noted last.

    Raises:
        ValueError: Another name.

    >>> gb.backends.cuda.preferred_blas_library()
    'default'
    """
    if backend is not None:
        known = ("default", "cublas", "cublaslt", "hipblaslt", "ck")
        _preferred["blas"] = check.choice("preferred_blas_library", "backend", backend, *known)
    return _preferred["blas"]


def is_built() -> bool:
    """Return whether CUDA devices can be used, as `cuda.is_available()`.

    >>> gb.backends.cuda.is_built() == gb.cuda.is_available()
    True
    """
    from garboard.cuda import is_available

    return is_available()


def enable_flash_sdp(enabled: bool) -> None:
    """Note whether attention may take flash attention; there is one kernel here.

    Args:
        enabled: What `flash_sdp_enabled` returns from now on.

    Raises:
        TypeError: No bool.

    >>> gb.backends.cuda.enable_flash_sdp(True)
    """
    _kernels["flash"] = check.flag("enable_flash_sdp", "enabled", enabled)


def flash_sdp_enabled() -> bool:
    """Return what `enable_flash_sdp` was told; True at first.

    >>> gb.backends.cuda.flash_sdp_enabled()
    True
    """
    return _kernels["flash"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Note whether attention may take PyTorch's memory-efficient kernel; there is one kernel here.

    Args:
        enabled: What `mem_efficient_sdp_enabled` returns from now on.

    Raises:
        TypeError: No bool.

    >>> gb.backends.cuda.enable_mem_efficient_sdp(True)
    """
    _kernels["mem_efficient"] = check.flag("enable_mem_efficient_sdp", "enabled", enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Return what `enable_mem_efficient_sdp` was told; True at first.

    >>> gb.backends.cuda.mem_efficient_sdp_enabled()
    True
    """
    return _kernels["mem_efficient"]


def enable_math_sdp(enabled: bool) -> None:
    """Note whether attention may take PyTorch's plain kernel; there is one kernel here.

    Args:
        enabled: What `math_sdp_enabled` returns from now on.

    Raises:
        TypeError: No bool.

    >>> gb.backends.cuda.enable_math_sdp(True)
    """
    _kernels["math"] = check.flag("enable_math_sdp", "enabled", enabled)


def math_sdp_enabled() -> bool:
    """Return what `enable_math_sdp` was told; True at first.

    >>> gb.backends.cuda.math_sdp_enabled()
    True
    """
    return _kernels["math"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Note whether PyTorch's plain kernel may sum half types in half types; here it does not.

    Args:
        enabled: What `fp16_bf16_reduction_math_sdp_allowed` returns from now on.

    Raises:
        TypeError: No bool.

    >>> gb.backends.cuda.allow_fp16_bf16_reduction_math_sdp(False)
    """
    op = "allow_fp16_bf16_reduction_math_sdp"
    _kernels["reduction"] = check.flag(op, "enabled", enabled)


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Return what `allow_fp16_bf16_reduction_math_sdp` was told; False at first.

    >>> gb.backends.cuda.fp16_bf16_reduction_math_sdp_allowed()
    False
    """
    return _kernels["reduction"]


def is_flash_attention_available() -> bool:
    """Return False: there is one kernel of attention, which is our own.

    >>> gb.backends.cuda.is_flash_attention_available()
    False
    """
    return False


def enable_cudnn_sdp(enabled: bool) -> None:
    """Note whether attention may take cuDNN's kernel; there is one kernel here.

    Args:
        enabled: What `cudnn_sdp_enabled` returns from now on.

    Raises:
        TypeError: No bool.

    >>> gb.backends.cuda.enable_cudnn_sdp(True)
    """
    _kernels["cudnn"] = check.flag("enable_cudnn_sdp", "enabled", enabled)


def cudnn_sdp_enabled() -> bool:
    """Return what `enable_cudnn_sdp` was told; True at first.

    >>> gb.backends.cuda.cudnn_sdp_enabled()
    True
    """
    return _kernels["cudnn"]


@block
def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[None]:
    """Note in the block which kernels attention may take.

    Args:
        enable_flash: As for `enable_flash_sdp`.
        enable_math: As for `enable_math_sdp`.
        enable_mem_efficient: As for `enable_mem_efficient_sdp`.
        enable_cudnn: As for `enable_cudnn_sdp`.

    Returns:
        A context manager.

    Raises:
        TypeError: No bool.

    >>> with gb.backends.cuda.sdp_kernel(enable_math=False):
    ...     gb.backends.cuda.math_sdp_enabled()
    False
    """
    before = dict(_kernels)
    try:
        enable_flash_sdp(enable_flash)
        enable_math_sdp(enable_math)
        enable_mem_efficient_sdp(enable_mem_efficient)
        enable_cudnn_sdp(enable_cudnn)
        yield
    finally:
        _kernels.update(before)
