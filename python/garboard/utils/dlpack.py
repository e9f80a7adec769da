"""Memory shared with other libraries, under the path that PyTorch's users know."""

from garboard._ops.dlpack import from_dlpack, to_dlpack

__all__ = ["from_dlpack", "to_dlpack"]
