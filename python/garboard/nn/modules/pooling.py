"""Pools, where PyTorch's users look for them."""

from garboard.nn import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    LPPool3d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from garboard.nn._pools.adaptive_pooling import _AdaptiveAvgPool as _AdaptiveAvgPoolNd  # noqa: F401
from garboard.nn._pools.adaptive_pooling import _AdaptiveMaxPool as _AdaptiveMaxPoolNd  # noqa: F401
from garboard.nn._pools.pooling import _AvgPool as _AvgPoolNd  # noqa: F401
from garboard.nn._pools.pooling import _MaxPool as _MaxPoolNd  # noqa: F401
from garboard.nn._pools.unpooling import _LPPool as _LPPoolNd  # noqa: F401
from garboard.nn._pools.unpooling import _MaxUnpool as _MaxUnpoolNd  # noqa: F401

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]
