"""Where older programs take PyTorch's quantization from: what `gb.ao.quantization` has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.ao.quantization import DeQuantStub, QuantStub, QuantWrapper

__all__ = ["DeQuantStub", "QuantStub", "QuantWrapper"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
