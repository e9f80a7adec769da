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
from garboard._settings import has_tf32_convolutions, set_tf32_convolutions

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
enabled: bool = True

if TYPE_CHECKING:
    allow_tf32: bool


class _Switches(ModuleType):
    """This module: what is set on it is heard."""

    @property
    def allow_tf32(self) -> bool:
        """Whether convolutions of float32 may be computed in TF32; at first they may not."""
        return has_tf32_convolutions()

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        set_tf32_convolutions(check.flag("backends.cudnn", "allow_tf32", allowed))


def is_available() -> bool:
    """Return whether there is a CUDA device, and cuDNN 9 is installed.

    >>> gb.backends.cudnn.is_available() == (gb.backends.cudnn.version() is not None)
    True
    """
    return _engine._cudnn_version() > 0


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int = 10,
    deterministic: bool = True,
    allow_tf32: bool = False,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Let convolutions of float32 be computed in TF32, or not, while it is open.

    Args:
        enabled: Ignored.
        benchmark: Likewise.
        benchmark_limit: Likewise.
        deterministic: Likewise.
        allow_tf32: Whether they may.
        fp32_precision: Ignored.

    Returns:
        A context manager.

    Raises:
        TypeError: `allow_tf32` is no bool.

    >>> with gb.backends.cudnn.flags(allow_tf32=True):
    ...     gb.backends.cudnn.allow_tf32
    True
    >>> gb.backends.cudnn.allow_tf32
    False
    """
    before = has_tf32_convolutions()
    set_tf32_convolutions(check.flag("flags", "allow_tf32", allow_tf32))
    try:
        yield
    finally:
        set_tf32_convolutions(before)


def version() -> int | None:
    """Return the version of cuDNN, as 91002 is 9.10.2; None where `is_available()` is False.

    >>> gb.backends.cudnn.version() in (None, gb._engine._cudnn_version())
    True
    """
    return _engine._cudnn_version() or None


sys.modules[__name__].__class__ = _Switches
