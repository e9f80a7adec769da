"""PyTorch's switches of its libraries: taken and kept, without effect, so that programs run."""

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from garboard._settings import fp32_precision as _told
from garboard._settings import set_fp32_precision as _tell
from garboard.backends import (
    cpu,
    cuda,
    cudnn,
    mha,
    mkl,
    mkldnn,
    mps,
    nnpack,
    openmp,
    opt_einsum,
    quantized,
)

__all__ = [
    "cpu",
    "cuda",
    "cudnn",
    "disable_global_flags",
    "flags_frozen",
    "fp32_precision",
    "mha",
    "mkl",
    "mkldnn",
    "mps",
    "nnpack",
    "openmp",
    "opt_einsum",
    "quantized",
]

if TYPE_CHECKING:
    fp32_precision: str


class _Switches(ModuleType):
    """This package: what is set on it is heard."""

    @property
    def fp32_precision(self) -> str:
        """How exact float32 is where nothing else is told: "none", "ieee", "tf32" or "bf16"."""
        return _told("all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        _tell("all", precision)


def flags_frozen() -> bool:
    """Return False: switches can be set at any time.

    Returns:
        False, after `disable_global_flags()`, too.

    >>> gb.backends.flags_frozen()
    False
    """
    return False


def disable_global_flags() -> None:
    """Do nothing: PyTorch's tests forbid with it to set switches outside of blocks.

    >>> gb.backends.disable_global_flags()
    >>> gb.backends.flags_frozen()
    False
    """


sys.modules[__name__].__class__ = _Switches
