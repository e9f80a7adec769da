"""What convolutions and transposed ones have in common."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.texts import told
from garboard._engine import ShapeError, Tensor, empty
from garboard.nn import init
from garboard.nn._convolutions._windows import each_dim
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Convolution"]

_MODES = ("zeros", "reflect", "replicate", "circular")


class Convolution(Module):
    """What all of them hold: numbers, the weight and the bias."""

    _dims: int  # of a class that programs derive from this one: as many as its windows have
    transposed: bool = False
    bias: Parameter | Any  # or None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int],
        padding: int | Sequence[int] | str,
        dilation: int | Sequence[int],
        transposed: bool,
        output_padding: int | Sequence[int],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.transposed = check.flag(type(self).__name__, "transposed", transposed)
        if not hasattr(self, "_dims"):
            self._dims = len(check.sizes(type(self).__name__, "kernel_size", kernel_size))
        name, dims = type(self).__name__, self._dims
        self.in_channels: int = check.size(name, "in_channels", in_channels)
        self.out_channels: int = check.size(name, "out_channels", out_channels)
        self.groups: int = check.count(name, "groups", groups, 1)
        for said, channels in (("in", self.in_channels), ("out", self.out_channels)):
            if channels % self.groups:
                raise ShapeError(
                    f"{name}: {said}_channels {channels}, groups {self.groups}; "
                    "the groups must divide the channels"
                )
        self.kernel_size: tuple[int, ...] = each_dim(
            name, "kernel_size", kernel_size, dims, least=1
        )
        self.stride: tuple[int, ...] = each_dim(name, "stride", stride, dims, least=1)
        self.padding: tuple[int, ...] | str
        if isinstance(padding, str) and not self.transposed:
            self.padding = check.choice(name, "padding", padding, "same", "valid")
            if padding == "same" and any(step != 1 for step in self.stride):
                raise ShapeError(
                    f"{name}: padding 'same', stride {self.stride}; 'same' needs stride 1"
                )
        else:
            self.padding = each_dim(name, "padding", padding, dims)
        self.dilation: tuple[int, ...] = each_dim(name, "dilation", dilation, dims, least=1)
        self.output_padding: tuple[int, ...] = each_dim(
            name, "output_padding", output_padding, dims
        )
        self._reversed_padding_repeated_twice = self._around()
        modes = _MODES[:1] if self.transposed else _MODES
        self.padding_mode: str = check.choice(name, "padding_mode", padding_mode, *modes)
        has_bias = check.has(name, "bias", bias)
        outer, inner = self.out_channels, self.in_channels
        if self.transposed:
            outer, inner = inner, outer
        sizes = (outer, inner // self.groups, *self.kernel_size)
        self.weight: Parameter = Parameter(empty(*sizes, dtype=dtype, device=device))
        made = empty(self.out_channels, dtype=dtype, device=device) if has_bias else None
        self.register_parameter("bias", None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw both parameters anew.

        >>> layer = gb.nn.Conv2d(4, 2, 3)
        >>> layer.reset_parameters()
        >>> layer.weight.abs().amax().item() <= 1 / 6
        True
        """
        init.kaiming_uniform_(self.weight, a=sqrt(5))  # within 1 / sqrt(fan_in)
        fan_in = prod(self.weight.shape[1:])
        if self.bias is not None and fan_in > 0:
            bound = 1 / sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)

    def _around(self) -> tuple[int, ...] | list[int]:
        """What `pad` puts around the input where that is not zeros."""
        if not isinstance(self.padding, str):
            return tuple([it for it in reversed(self.padding) for _ in range(2)])
        around: list[int] = []
        for spacing, taps in zip(reversed(self.dilation), reversed(self.kernel_size), strict=True):
            total = spacing * (taps - 1) * (self.padding == "same")
            around += [total // 2, total - total // 2]
        return around

    def _output_padding(
        self,
        input: Tensor,
        output_size: Sequence[int] | None,
        stride: Sequence[int],
        padding: Sequence[int],
        kernel_size: Sequence[int],
        num_spatial_dims: int,
        dilation: Sequence[int] | None = None,
    ) -> list[int]:
        """The output padding that makes places of `output_size`."""
        if output_size is None:
            return list(self.output_padding)
        name, dims = type(self).__name__, num_spatial_dims
        wanted = check.sizes(name, "output_size", output_size)[-dims:]
        spacings = (1,) * dims if dilation is None else dilation
        least = tuple(
            (size - 1) * step - 2 * cut + spacing * (taps - 1) + 1
            for size, step, cut, spacing, taps in zip(
                check.tensor(name, "input", input).shape[-dims:],
                stride,
                padding,
                spacings,
                kernel_size,
                strict=True,
            )
        )
        added = [size - start for size, start in zip(wanted, least, strict=False)]
        spare = zip(added, stride, spacings, strict=False)
        if len(wanted) != dims or any(not 0 <= one < max(s, d) for one, s, d in spare):
            most = tuple(
                start + max(s, d) - 1 for start, s, d in zip(least, stride, spacings, strict=True)
            )
            raise ShapeError(
                f"{name}: output_size {tuple(wanted)}; sizes from {least} to {most} are possible"
            )
        return added

    def extra_repr(self) -> str:
        nothing = (0,) * self._dims
        numbers: list[tuple[str, Any, Any]] = [
            ("kernel_size", self.kernel_size, None),
            ("stride", self.stride, None),
            ("padding", self.padding, nothing),
            ("dilation", self.dilation, (1,) * self._dims),
            ("output_padding", self.output_padding, nothing),
            ("groups", self.groups, 1),
            ("bias", self.bias is not None, True),
            ("padding_mode", self.padding_mode, "zeros"),
        ]
        texts = [f"{name}={told(given)}" for name, given, usual in numbers if given != usual]
        return ", ".join([told(self.in_channels), told(self.out_channels), *texts])
