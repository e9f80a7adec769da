"""Norms over features, where PyTorch's users look for them."""

from garboard.nn import (
    GroupNorm,
    LayerNorm,
    LocalResponseNorm,
    RMSNorm,
)
from garboard.nn._norms.normalization import CrossMapLRN2d

__all__ = [
    "CrossMapLRN2d",
    "GroupNorm",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]
