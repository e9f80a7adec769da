"""Where programs look for PyTorch's exporter: files of ONNX are not written here.

Importing this module and asking `is_in_onnx_export()` are for programs whose models can be exported
and need not be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr

__all__ = ["is_in_onnx_export"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)


def is_in_onnx_export() -> bool:
    """Return False: nothing is ever exported.

    >>> gb.onnx.is_in_onnx_export()
    False
    """
    return False
