"""Where PyTorch's users look for data loading: `garboard.utils.data`."""

from typing import TYPE_CHECKING

from garboard._lazy import lazy_submodules

__all__ = ["data"]

if TYPE_CHECKING:
    from garboard.utils import data
else:
    __getattr__ = lazy_submodules(__name__, ("data",))
