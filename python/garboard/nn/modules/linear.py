"""Affine layers, where PyTorch's users look for them."""

from garboard.nn import (
    Bilinear,
    Identity,
    LazyLinear,
    Linear,
)
from garboard.nn.linear import NonDynamicallyQuantizableLinear

__all__ = [
    "Bilinear",
    "Identity",
    "LazyLinear",
    "Linear",
    "NonDynamicallyQuantizableLinear",
]
