"""Where PyTorch's users look for data loading and for checkpoints of activations."""

from typing import TYPE_CHECKING

from garboard._names.missing import module_getattr

__all__ = ["checkpoint", "data"]

if TYPE_CHECKING:
    from garboard.utils import checkpoint, data
else:
    __getattr__ = module_getattr(__name__, ("checkpoint", "data"))
