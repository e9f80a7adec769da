"""`_C`, `__config__` and `torch`: modules that come when they are named, and are not listed.

PyTorch imports itself, so programs get away with `torch.torch.Tensor`; it is garboard here.
"""

from __future__ import annotations

import garboard as torch
import garboard.__config__ as __config__
import garboard._C as _C

__all__ = ["_C", "__config__", "torch"]
