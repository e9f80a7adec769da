"""Switches of cuDNN, which computes convolutions on CUDA devices where it is installed.

At first it takes those ways alone that sum in one order, of float32 in float32.
"""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.blocks import block
from garboard._settings import (
    CudnnSwitches,
    cudnn_switches,
    set_cudnn_switches,
    set_fp32_precision,
)
from garboard._settings import (
    fp32_precision as _told,
)
from garboard.backends._precisions import Precision

__all__ = [
    "allow_tf32",
    "benchmark",
    "conv",
    "deterministic",
    "enabled",
    "flags",
    "fp32_precision",
    "is_available",
    "rnn",
    "version",
]

benchmark: bool = False
conv: Precision = Precision("cuda.conv")
rnn: Precision = Precision("cuda.rnn")

if TYPE_CHECKING:
    allow_tf32: bool
    deterministic: bool
    enabled: bool
    fp32_precision: str


class _Switches(ModuleType):
    """This module: what is set on it is heard."""

    @property
    def allow_tf32(self) -> bool:
        """Whether convolutions of float32 may be computed in TF32; at first they may not."""
        return cudnn_switches().allow_tf32

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        self._set("allow_tf32", allowed)

    @property
    def deterministic(self) -> bool:
        """Whether a sum's order is the same in every run; at first it is."""
        return cudnn_switches().deterministic

    @deterministic.setter
    def deterministic(self, deterministic: bool) -> None:
        self._set("deterministic", deterministic)

    @property
    def enabled(self) -> bool:
        """Whether cuDNN is used where it is installed; else convolutions are products here."""
        return cudnn_switches().enabled

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._set("enabled", enabled)

    @property
    def fp32_precision(self) -> str:
        """How exact float32 is on CUDA devices where no kind of op tells it."""
        return _told("cuda")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        set_fp32_precision("cuda", precision)

    def _set(self, name: str, value: bool) -> None:
        is_set = check.flag("backends.cudnn", name, value)
        set_cudnn_switches(cudnn_switches()._replace(**{name: is_set}))


def is_available() -> bool:
    """Return whether there is a CUDA device, and cuDNN 9 is installed.

    >>> gb.backends.cudnn.is_available() == (gb.backends.cudnn.version() is not None)
    True
    """
    return _engine._cudnn_version() > 0


@block
def flags(
    enabled: bool = True,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = True,
    allow_tf32: bool = False,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Set the switches of cuDNN while it is open.

    Args:
        enabled: Whether cuDNN is used where it is installed.
        benchmark: Ignored.
        benchmark_limit: Likewise.
        deterministic: Whether a sum's order is the same in every run.
        allow_tf32: Whether convolutions of float32 may be computed in TF32.
        fp32_precision: Ignored.

    Returns:
        A context manager.

    Raises:
        TypeError: `enabled`, `deterministic` or `allow_tf32` is no bool.

    >>> with gb.backends.cudnn.flags(allow_tf32=True):
    ...     gb.backends.cudnn.allow_tf32
    True
    >>> gb.backends.cudnn.allow_tf32
    False
    """
    before = cudnn_switches()
    given = {"enabled": enabled, "deterministic": deterministic, "allow_tf32": allow_tf32}
    flags = {name: check.flag("flags", name, value) for name, value in given.items()}
    try:
        set_cudnn_switches(CudnnSwitches(**flags))
        yield
    finally:
        _engine._put_back(set_cudnn_switches, before)


def version() -> int | None:
    """Return the version of cuDNN, as 91002 is 9.10.2; None where `is_available()` is False.

    >>> gb.backends.cudnn.version() is None or gb.cuda.is_available()
    True
    """
    return _engine._cudnn_version() or None


sys.modules[__name__].__class__ = _Switches
