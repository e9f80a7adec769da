"""Norms over batches, where PyTorch's users look for them."""

from garboard.nn import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    SyncBatchNorm,
)
from garboard.nn._norms.channel_norms import _BatchNorm as _BatchNorm
from garboard.nn._norms.channel_norms import _ChannelNorm as _NormBase  # noqa: F401

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]
