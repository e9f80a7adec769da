"""Where PyTorch's users look for data loading: `garboard.utils.data`."""

from typing import TYPE_CHECKING

from garboard._missing import module_getattr

__all__ = ["data"]

if TYPE_CHECKING:
    from garboard.utils import data
else:
    __getattr__ = module_getattr(__name__, ("data",))
