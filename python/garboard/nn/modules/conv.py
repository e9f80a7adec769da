"""Convolutions, where PyTorch's users look for them."""

from garboard.nn import (
    Conv1d,
    Conv2d,
    Conv3d,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
)
from garboard.nn._convolutions._settings import Convolution as _ConvNd  # noqa: F401
from garboard.nn._convolutions.transposed_convolution import (
    Transposed as _ConvTransposeNd,
)


class _ConvTransposeMixin(_ConvTransposeNd):
    """An older name of what transposed convolutions have in common: of no layer's class."""


__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]
