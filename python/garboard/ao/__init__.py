"""Where programs look for PyTorch's quantization: the modules that mark its borders are here."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr

if TYPE_CHECKING:
    from garboard.ao import quantization

__all__ = ["quantization"]

if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__, submodules=("quantization",))
