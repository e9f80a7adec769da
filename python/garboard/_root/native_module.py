"""Modules that come when they are named, and are not listed: those of one line, and the root.

PyTorch imports itself, so programs get away with `torch.torch.Tensor`; it is garboard here.
"""

from __future__ import annotations

import garboard as torch
import garboard.__config__ as __config__
import garboard.__future__ as __future__
import garboard._C as _C

__all__ = ["_C", "__config__", "__future__", "torch"]
