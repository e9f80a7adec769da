"""Switches of cuDNN, which computes convolutions on CUDA devices where it is installed.

Results never depend on the run: of its ways only those are gone that sum in one order.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._settings import cudnn_switches, set_cudnn_switches

__all__ = [
    "allow_tf32",
    "benchmark",
    "deterministic",
    "enabled",
    "flags",
    "is_available",
    "version",
]

benchmark: bool = False
deterministic: bool = True

if TYPE_CHECKING:
    allow_tf32: bool
    enabled: bool


class _Switches(ModuleType):
    """This module: what is set on it is heard."""

    @property
    def allow_tf32(self) -> bool:
        """Whether convolutions of float32 may be computed in TF32; at first they may not."""
        return cudnn_switches()[1]

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        is_allowed = check.flag("backends.cudnn", "allow_tf32", allowed)
        set_cudnn_switches(self.enabled, is_allowed)

    @property
    def enabled(self) -> bool:
        """Whether cuDNN is used where it is installed; else convolutions are products here."""
        return cudnn_switches()[0]

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        set_cudnn_switches(check.flag("backends.cudnn", "enabled", enabled), self.allow_tf32)


def is_available() -> bool:
    """Return whether there is a CUDA device, and cuDNN 9 is installed.

    >>> gb.backends.cudnn.is_available() == (gb.backends.cudnn.version() is not None)
    True
    """
    return _engine._cudnn_version() > 0


@contextmanager
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
        deterministic: Likewise; it always is.
        allow_tf32: Whether convolutions of float32 may be computed in TF32.
        fp32_precision: Ignored.

    Returns:
        A context manager.

    Raises:
        TypeError: `enabled` or `allow_tf32` is no bool.

    >>> with gb.backends.cudnn.flags(allow_tf32=True):
    ...     gb.backends.cudnn.allow_tf32
    True
    >>> gb.backends.cudnn.allow_tf32
    False
    """
    before = cudnn_switches()
    is_used = check.flag("flags", "enabled", enabled)
    set_cudnn_switches(is_used, check.flag("flags", "allow_tf32", allow_tf32))
    try:
        yield
    finally:
        set_cudnn_switches(*before)


def version() -> int | None:
    """Return the version of cuDNN, as 91002 is 9.10.2; None where `is_available()` is False.

    >>> gb.backends.cudnn.version() in (None, gb._engine._cudnn_version())
    True
    """
    return _engine._cudnn_version() or None


sys.modules[__name__].__class__ = _Switches
