"""Norms over places, where PyTorch's users look for them."""

from garboard.nn import (
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
)
from garboard.nn._norms.channel_norms import _ChannelNorm as _NormBase  # noqa: F401
from garboard.nn._norms.channel_norms import _InstanceNorm as _InstanceNorm

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]
