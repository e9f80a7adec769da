"""Layers that learn the size of their input from the first one that they are called with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from garboard._arguments.texts import shown
from garboard._engine import ShapeError
from garboard.nn._convolutions.convolution import Conv1d, Conv2d, Conv3d
from garboard.nn._convolutions.transposed_convolution import (
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
)
from garboard.nn._lazy_layers._unmade import Lazy
from garboard.nn.linear import Linear

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = [
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyLinear",
]

_Numbers = int | Sequence[int]


class LazyLinear(Lazy, Linear):
    """`Linear`, which finds out `in_features` when it is called first, and is a `Linear` then.

    Args:
        out_features: Size of the output's last dim.
        bias: Add a learned bias; `layer.bias` is None without.
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyLinear(2)
    >>> layer(gb.ones(4, 3)).shape
    (4, 2)
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """

    _becomes = Linear
    _dim = -1
    _waiting = ("weight", "bias")

    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(0, out_features, bias, device, dtype)
        self._wait()

    def _begin(self, size: int) -> None:
        self.in_features = size
        is_new = self.has_uninitialized_params()
        self._make("weight", self.out_features, size)
        self._make("bias", self.out_features)
        if is_new:
            self.reset_parameters()


class _LazyConvolution(Lazy):
    _waiting = ("weight", "bias")

    if TYPE_CHECKING:
        in_channels: int
        out_channels: int
        kernel_size: tuple[int, ...]
        groups: int
        transposed: ClassVar[bool]

    def _begin(self, size: int) -> None:
        if size % self.groups:
            raise ShapeError(
                f"{type(self).__name__}: input of {shown(size)} channels, groups {self.groups}; "
                "the groups must divide the channels"
            )
        self.in_channels = size
        outer, inner = self.out_channels, size
        if self.transposed:
            outer, inner = inner, outer
        is_new = self.has_uninitialized_params()
        self._make("weight", outer, inner // self.groups, *self.kernel_size)
        self._make("bias", self.out_channels)
        if is_new:
            self.reset_parameters()


class LazyConv1d(_LazyConvolution, Conv1d):
    """`Conv1d`, which finds out `in_channels` when it is called first, and is one then.

    Args:
        out_channels: How many channels the output has.
        kernel_size: The window's size.
        stride: How far apart places are.
        padding: What is added on each side, or "same" or "valid".
        dilation: How far apart the window's elements are.
        groups: Into how many groups channels are cut.
        bias: Add a learned bias.
        padding_mode: What is added: "zeros", "reflect", "replicate" or "circular".
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, channels that do not fit.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyConv1d(4, 3)
    >>> layer(gb.ones(1, 2, 5)).shape
    (1, 4, 3)
    >>> layer.in_channels
    2
    """

    _becomes = Conv1d
    _dim = -2

    def __init__(
        self,
        out_channels: int,
        kernel_size: _Numbers,
        stride: _Numbers = 1,
        padding: _Numbers | str = 0,
        dilation: _Numbers = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self._wait()


class LazyConv2d(_LazyConvolution, Conv2d):
    """`Conv2d`, which finds out `in_channels` when it is called first, and is one then.

    Args:
        out_channels: How many channels the output has.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart places are.
        padding: What is added on each side, or "same" or "valid".
        dilation: How far apart the window's elements are.
        groups: Into how many groups channels are cut.
        bias: Add a learned bias.
        padding_mode: What is added: "zeros", "reflect", "replicate" or "circular".
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, channels that do not fit.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyConv2d(4, 3)
    >>> layer(gb.ones(1, 2, 5, 5)).shape
    (1, 4, 3, 3)
    >>> layer.in_channels
    2
    """

    _becomes = Conv2d
    _dim = -3

    def __init__(
        self,
        out_channels: int,
        kernel_size: _Numbers,
        stride: _Numbers = 1,
        padding: _Numbers | str = 0,
        dilation: _Numbers = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self._wait()


class LazyConv3d(_LazyConvolution, Conv3d):
    """`Conv3d`, which finds out `in_channels` when it is called first, and is one then.

    Args:
        out_channels: How many channels the output has.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart places are.
        padding: What is added on each side, or "same" or "valid".
        dilation: How far apart the window's elements are.
        groups: Into how many groups channels are cut.
        bias: Add a learned bias.
        padding_mode: What is added: "zeros", "reflect", "replicate" or "circular".
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, channels that do not fit.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyConv3d(4, 3)
    >>> layer(gb.ones(1, 2, 5, 5, 5)).shape
    (1, 4, 3, 3, 3)
    >>> layer.in_channels
    2
    """

    _becomes = Conv3d
    _dim = -4

    def __init__(
        self,
        out_channels: int,
        kernel_size: _Numbers,
        stride: _Numbers = 1,
        padding: _Numbers | str = 0,
        dilation: _Numbers = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )
        self._wait()


class LazyConvTranspose1d(_LazyConvolution, ConvTranspose1d):
    """`ConvTranspose1d`, which finds out `in_channels` when it is called first, and is one then.

    Args:
        out_channels: How many channels the output has.
        kernel_size: The window's size.
        stride: How far apart places are.
        padding: What is cut off on each side.
        output_padding: What is added at the end.
        groups: Into how many groups channels are cut.
        bias: Add a learned bias.
        dilation: How far apart the window's elements are.
        padding_mode: "zeros" alone.
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, channels that do not fit.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyConvTranspose1d(4, 3)
    >>> layer(gb.ones(1, 2, 5)).shape
    (1, 4, 7)
    >>> layer.in_channels
    2
    """

    _becomes = ConvTranspose1d
    _dim = -2

    def __init__(
        self,
        out_channels: int,
        kernel_size: _Numbers,
        stride: _Numbers = 1,
        padding: _Numbers = 0,
        output_padding: _Numbers = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Numbers = 1,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )
        self._wait()


class LazyConvTranspose2d(_LazyConvolution, ConvTranspose2d):
    """`ConvTranspose2d`, which finds out `in_channels` when it is called first, and is one then.

    Args:
        out_channels: How many channels the output has.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart places are.
        padding: What is cut off on each side.
        output_padding: What is added at the end.
        groups: Into how many groups channels are cut.
        bias: Add a learned bias.
        dilation: How far apart the window's elements are.
        padding_mode: "zeros" alone.
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, channels that do not fit.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyConvTranspose2d(4, 3)
    >>> layer(gb.ones(1, 2, 5, 5)).shape
    (1, 4, 7, 7)
    >>> layer.in_channels
    2
    """

    _becomes = ConvTranspose2d
    _dim = -3

    def __init__(
        self,
        out_channels: int,
        kernel_size: _Numbers,
        stride: _Numbers = 1,
        padding: _Numbers = 0,
        output_padding: _Numbers = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Numbers = 1,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )
        self._wait()


class LazyConvTranspose3d(_LazyConvolution, ConvTranspose3d):
    """`ConvTranspose3d`, which finds out `in_channels` when it is called first, and is one then.

    Args:
        out_channels: How many channels the output has.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart places are.
        padding: What is cut off on each side.
        output_padding: What is added at the end.
        groups: Into how many groups channels are cut.
        bias: Add a learned bias.
        dilation: How far apart the window's elements are.
        padding_mode: "zeros" alone.
        device: Where the parameters will lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, channels that do not fit.
        TypeError: A setting of a wrong type.

    >>> layer = gb.nn.LazyConvTranspose3d(4, 3)
    >>> layer(gb.ones(1, 2, 5, 5, 5)).shape
    (1, 4, 7, 7, 7)
    >>> layer.in_channels
    2
    """

    _becomes = ConvTranspose3d
    _dim = -4

    def __init__(
        self,
        out_channels: int,
        kernel_size: _Numbers,
        stride: _Numbers = 1,
        padding: _Numbers = 0,
        output_padding: _Numbers = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: _Numbers = 1,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            0,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            groups,
            bias,
            dilation,
            padding_mode,
            device,
            dtype,
        )
        self._wait()
