"""What is put around, where PyTorch's users look for them."""

from garboard.nn import (
    CircularPad1d,
    CircularPad2d,
    CircularPad3d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    ZeroPad1d,
    ZeroPad2d,
    ZeroPad3d,
)
from garboard.nn._places.padding import _CircularPad as _CircularPadNd  # noqa: F401
from garboard.nn._places.padding import _ConstantPad as _ConstantPadNd  # noqa: F401
from garboard.nn._places.padding import _ReflectionPad as _ReflectionPadNd  # noqa: F401
from garboard.nn._places.padding import _ReplicationPad as _ReplicationPadNd  # noqa: F401

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]
