"""Switches of oneDNN, which is not used."""

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

from garboard._contexts.blocks import block
from garboard._settings import fp32_precision as _told
from garboard._settings import set_fp32_precision
from garboard.backends._precisions import Precision

__all__ = ["conv", "flags", "fp32_precision", "is_available", "matmul", "rnn"]

conv: Precision = Precision("mkldnn.conv")
matmul: Precision = Precision("mkldnn.matmul")
rnn: Precision = Precision("mkldnn.rnn")

if TYPE_CHECKING:
    fp32_precision: str


class _Switches(ModuleType):
    """This module: what is set on it is kept, without effect."""

    @property
    def fp32_precision(self) -> str:
        """How exact float32 is to be on CPUs; it is computed as float32 whatever is told."""
        return _told("mkldnn")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        set_fp32_precision("mkldnn", precision)


@block
def flags(
    enabled: bool = False,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
) -> Iterator[None]:
    """Do nothing while it is open: oneDNN is not used, whatever the switches are.

    Args:
        enabled: Ignored.
        deterministic: Likewise.
        allow_tf32: Likewise.
        fp32_precision: Likewise.

    Returns:
        A context manager.

    >>> with gb.backends.mkldnn.flags(enabled=False):
    ...     gb.ones(1) + 1
    tensor([2.])
    """
    yield


def is_available() -> bool:
    """Return False: oneDNN is not used.

    >>> gb.backends.mkldnn.is_available()
    False
    """
    return False


sys.modules[__name__].__class__ = _Switches
