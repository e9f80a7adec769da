"""Convolutions over one to three dims of space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._engine import Tensor
from garboard.nn._convolutions._settings import Convolution

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Conv1d", "Conv2d", "Conv3d"]


_OPS: tuple[Callable[..., Tensor], ...] = (_engine.conv1d, _engine.conv2d, _engine.conv3d)


def _convolved(layer: Any, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """A layer's convolution, of its attributes alone: libraries call it of objects of theirs."""
    padding: Any = layer.padding
    if layer.padding_mode != "zeros":
        around: Any = layer._reversed_padding_repeated_twice
        input, padding = _engine.pad(input, around, layer.padding_mode), 0
    op = _OPS[len(layer.kernel_size) - 1]
    return op(input, weight, bias, layer.stride, padding, layer.dilation, layer.groups)


class _Convolution(Convolution):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            False,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return _convolved(self, input, weight, bias)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Conv1d(_Convolution):
    """Slide learned weights along an input of several channels.

    [n, in_channels, length] becomes [n, out_channels, *places]; `functional.conv1d` has the
    formula. Both parameters start uniformly within 1 / sqrt(in_channels / groups * taps) of zero,
    as PyTorch's do. Backward keeps the storages of the input and the weight.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: How many taps: a number, or one a dim.
        stride: How far apart the places are.
        padding: What stands around on each side; 'valid' for nothing; 'same' for as much as keeps
            the sizes at stride 1.
        dilation: How far apart the taps are.
        groups: How many groups of channels are kept apart; it divides both.
        bias: Add a learned bias; `layer.bias` is None without.
        padding_mode: 'zeros', or, of the input itself, 'reflect', 'replicate' or 'circular'.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another word, or groups below 1.

    >>> gb.nn.Conv1d(2, 8, 3, padding=1)(gb.ones(1, 2, 5)).shape
    (1, 8, 5)
    """

    _dims = 1


class Conv2d(_Convolution):
    """Slide learned weights over images of several channels.

    [n, in_channels, height, width] becomes [n, out_channels, *places]; `functional.conv2d` has the
    formula. Both parameters start uniformly within 1 / sqrt(in_channels / groups * taps) of zero,
    as PyTorch's do. Backward keeps the storages of the input and the weight.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: How many taps: a number, or one a dim.
        stride: How far apart the places are.
        padding: What stands around on each side; 'valid' for nothing; 'same' for as much as keeps
            the sizes at stride 1.
        dilation: How far apart the taps are.
        groups: How many groups of channels are kept apart; it divides both.
        bias: Add a learned bias; `layer.bias` is None without.
        padding_mode: 'zeros', or, of the input itself, 'reflect', 'replicate' or 'circular'.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another word, or groups below 1.

    >>> gb.nn.Conv2d(2, 8, 3, padding=1)(gb.ones(1, 2, 4, 5)).shape
    (1, 8, 4, 5)
    """

    _dims = 2


class Conv3d(_Convolution):
    """Slide learned weights through volumes of several channels.

    [n, in_channels, depth, height, width] becomes [n, out_channels, *places];
    `functional.conv3d` has the formula. Both parameters start uniformly within 1 / sqrt(in_channels
    / groups * taps) of zero, as PyTorch's do. Backward keeps the storages of the input and the
    weight.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: How many taps: a number, or one a dim.
        stride: How far apart the places are.
        padding: What stands around on each side; 'valid' for nothing; 'same' for as much as keeps
            the sizes at stride 1.
        dilation: How far apart the taps are.
        groups: How many groups of channels are kept apart; it divides both.
        bias: Add a learned bias; `layer.bias` is None without.
        padding_mode: 'zeros', or, of the input itself, 'reflect', 'replicate' or 'circular'.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another word, or groups below 1.

    >>> gb.nn.Conv3d(2, 8, 3, padding=1)(gb.ones(1, 2, 2, 3, 4)).shape
    (1, 8, 2, 3, 4)
    """

    _dims = 3
