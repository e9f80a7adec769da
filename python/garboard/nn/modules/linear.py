"""Affine layers, where PyTorch's users look for them."""

from garboard.nn import (
    Bilinear,
    Identity,
    LazyLinear,
    Linear,
)

__all__ = [
    "Bilinear",
    "Identity",
    "LazyLinear",
    "Linear",
]
