"""Files of tensors: safetensors, NumPy's, and PyTorch's."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr
from garboard.io._errors import FileError
from garboard.io._files import load, save

__all__ = ["FileError", "load", "save"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
