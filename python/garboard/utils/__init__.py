"""Where PyTorch's users look for data loading: `garboard.utils.data`."""

from garboard._lazy import lazy_submodules

__all__ = ["data"]

__getattr__ = lazy_submodules(__name__, ("data",))
