"""Transposed convolutions over one to three dims of space."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from garboard import _engine
from garboard._engine import Tensor
from garboard.nn._convolutions._settings import Convolution

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "Transposed"]


class Transposed(Convolution):
    """What programs derive transposed convolutions of their own from."""


class _Transposed(Transposed):
    _op: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        output_padding: int | Sequence[int] = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int | Sequence[int] = 1,
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
            True,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        padding: Any = self.padding
        added = self._output_padding(
            input,
            output_size,
            self.stride,
            padding,
            self.kernel_size,
            self._dims,
            self.dilation,
        )
        made: Tensor = type(self)._op(
            input,
            self.weight,
            self.bias,
            self.stride,
            padding,
            added,
            self.groups,
            self.dilation,
        )
        return made

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor: ...


class ConvTranspose1d(_Transposed):
    """Spread each element of an input by learned weights.

    [n, in_channels, length] becomes [n, out_channels,
    *places], along each dim (size - 1) stride -
    2 padding + dilation (taps - 1) + output_padding + 1 of them. Both parameters start uniformly
    within 1 / sqrt(out_channels / groups * taps) of zero, as PyTorch's do. Backward keeps the
    storages of the input and the weight.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: How many taps: a number, or one a dim.
        stride: How far apart the input's elements are spread.
        padding: What is cut off on each side.
        output_padding: Places added at the end, smaller than the stride or the dilation.
        groups: How many groups of channels are kept apart; it divides both.
        bias: Add a learned bias; `layer.bias` is None without.
        dilation: How far apart the taps are.
        padding_mode: 'zeros' alone.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another word, or groups below 1.

    >>> layer = gb.nn.ConvTranspose1d(8, 2, 2, stride=2)
    >>> layer(gb.ones(1, 8, 5)).shape
    (1, 2, 10)
    """

    _dims = 1
    _op = staticmethod(_engine.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """Spread each pixel of an input by learned weights.

    [n, in_channels, height, width] becomes [n, out_channels,
    *places], along each dim (size - 1) stride -
    2 padding + dilation (taps - 1) + output_padding + 1 of them. Both parameters start uniformly
    within 1 / sqrt(out_channels / groups * taps) of zero, as PyTorch's do. Backward keeps the
    storages of the input and the weight.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: How many taps: a number, or one a dim.
        stride: How far apart the input's elements are spread.
        padding: What is cut off on each side.
        output_padding: Places added at the end, smaller than the stride or the dilation.
        groups: How many groups of channels are kept apart; it divides both.
        bias: Add a learned bias; `layer.bias` is None without.
        dilation: How far apart the taps are.
        padding_mode: 'zeros' alone.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another word, or groups below 1.

    >>> layer = gb.nn.ConvTranspose2d(8, 2, 2, stride=2)
    >>> layer(gb.ones(1, 8, 4, 5)).shape
    (1, 2, 8, 10)
    """

    _dims = 2
    _op = staticmethod(_engine.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    """Spread each element of a volume by learned weights.

    [n, in_channels, depth, height, width] becomes [n, out_channels,
    *places], along each dim (size - 1) stride -
    2 padding + dilation (taps - 1) + output_padding + 1 of them. Both parameters start uniformly
    within 1 / sqrt(out_channels / groups * taps) of zero, as PyTorch's do. Backward keeps the
    storages of the input and the weight.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the result.
        kernel_size: How many taps: a number, or one a dim.
        stride: How far apart the input's elements are spread.
        padding: What is cut off on each side.
        output_padding: Places added at the end, smaller than the stride or the dilation.
        groups: How many groups of channels are kept apart; it divides both.
        bias: Add a learned bias; `layer.bias` is None without.
        dilation: How far apart the taps are.
        padding_mode: 'zeros' alone.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.
        ValueError: Another word, or groups below 1.

    >>> layer = gb.nn.ConvTranspose3d(8, 2, 2, stride=2)
    >>> layer(gb.ones(1, 8, 2, 3, 4)).shape
    (1, 2, 4, 6, 8)
    """

    _dims = 3
    _op = staticmethod(_engine.conv_transpose3d)
