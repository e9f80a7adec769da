"""Hints how the weights of convolutions shall lie in memory."""

from __future__ import annotations

from typing import TypeVar

from garboard._arguments import check
from garboard._arguments.layouts import memory_format as wanted
from garboard.nn.module import Module

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]

_M = TypeVar("_M", bound=Module)


def convert_conv2d_weight_memory_format(module: _M, memory_format: wanted) -> _M:
    """Return the module as it is: a convolution lays its weights out as its kernels read them.

    In PyTorch the weights of `Conv2d` and `ConvTranspose2d` change their strides, and no number.

    Args:
        module: A module.
        memory_format: A hint, such as `gb.channels_last`.

    Returns:
        `module`.

    Raises:
        TypeError: It is no module, or the hint no memory format.

    >>> layer = gb.nn.Conv2d(3, 8, 3)
    >>> gb.nn.utils.convert_conv2d_weight_memory_format(layer, gb.channels_last) is layer
    True
    """
    return _hinted_module("convert_conv2d_weight_memory_format", module, memory_format)


def convert_conv3d_weight_memory_format(module: _M, memory_format: wanted) -> _M:
    """Return the module as it is: a convolution lays its weights out as its kernels read them.

    In PyTorch the weights of `Conv3d` and `ConvTranspose3d` change their strides, and no number.

    Args:
        module: A module.
        memory_format: A hint, such as `gb.channels_last_3d`.

    Returns:
        `module`.

    Raises:
        TypeError: It is no module, or the hint no memory format.

    >>> layer = gb.nn.Conv3d(3, 8, 3)
    >>> gb.nn.utils.convert_conv3d_weight_memory_format(layer, gb.channels_last_3d) is layer
    True
    """
    return _hinted_module("convert_conv3d_weight_memory_format", module, memory_format)


def _hinted_module(op: str, module: _M, memory_format: wanted) -> _M:
    check.of_type(Module, op, "module", module)
    check.memory_format(op, memory_format)
    return module
