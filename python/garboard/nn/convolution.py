"""Convolutions along one dim."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Literal

from garboard import _check as check
from garboard._engine import ShapeError, Tensor, conv1d, empty
from garboard._texts import settings, shown
from garboard.nn import init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Conv1d"]


def _one(name: str, given: int | tuple[int] | list[int]) -> int:
    """An integer, which PyTorch also takes as a tuple of one."""
    if isinstance(given, (tuple, list)) and len(given) == 1:
        given = given[0]
    return check.count("Conv1d", name, given, 0 if name == "padding" else 1)


class Conv1d(Module):
    """Slide weights along an input: [rows, in_channels, length], or without rows.

    output[r, o, t] = bias[o] + sum over i, k of weight[o, i, k] * input[r, i, stride * t + dilation
    * k - padding]. Both parameters start uniformly within 1 / sqrt(in_channels / groups *
    kernel_size) of zero, as PyTorch's do. Backward keeps the storages of the input and the weight.

    Args:
        in_channels: How many channels come in.
        out_channels: How many go out.
        kernel_size: How many weights slide along.
        stride: By how much they move.
        padding: How many zeros stand before and after the input; "valid" is none, "same" as many
            as keep the length, where the stride is 1.
        dilation: How far the weights stand apart.
        groups: Into how many parts the channels fall, each with weights of its own.
        bias: Add a learned bias; `layer.bias` is None without.
        padding_mode: "zeros".
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, an input of other channels, or too short a one.
        ValueError: Groups that do not divide the channels, another padding, "same" with a stride.
        TypeError: An argument of another type.
        NotImplementedError: Another `padding_mode`.

    >>> gb.nn.Conv1d(2, 3, kernel_size=5, padding=2)(gb.ones(4, 2, 10)).shape
    (4, 3, 10)
    """

    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int],
        stride: int | tuple[int] = 1,
        padding: int | tuple[int] | Literal["same", "valid"] = 0,
        dilation: int | tuple[int] = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise NotImplementedError(
                f"Conv1d: padding_mode {shown(padding_mode)} is not in garboard yet; 'zeros' is"
            )
        self.in_channels: int = check.size("Conv1d", "in_channels", in_channels)
        self.out_channels: int = check.size("Conv1d", "out_channels", out_channels)
        self.groups: int = check.count("Conv1d", "groups", groups, 1)
        if self.in_channels % self.groups or self.out_channels % self.groups:
            raise ValueError(
                f"Conv1d: {self.in_channels} and {self.out_channels} channels in {self.groups} "
                "groups; a number that divides both is needed"
            )
        self.kernel_size: tuple[int] = (_one("kernel_size", kernel_size),)
        self.stride: tuple[int] = (_one("stride", stride),)
        self.dilation: tuple[int] = (_one("dilation", dilation),)
        self.padding: tuple[int] | Literal["same", "valid"]
        if isinstance(padding, str):
            self.padding = check.choice("Conv1d", "padding", padding, "same", "valid")
            if padding == "same" and self.stride != (1,):
                raise ValueError("Conv1d: padding 'same' with a stride above 1; a number is needed")
        else:
            self.padding = (_one("padding", padding),)
        self.padding_mode: str = "zeros"
        sizes = self.out_channels, self.in_channels // self.groups, *self.kernel_size
        self.weight: Parameter = Parameter(empty(*sizes, dtype=dtype, device=device))
        made = empty(self.out_channels, dtype=dtype, device=device)
        has_bias = check.flag("Conv1d", "bias", bias)
        self.register_parameter("bias", Parameter(made) if has_bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw both parameters anew.

        >>> layer = gb.nn.Conv1d(1, 2, 4)
        >>> layer.reset_parameters()
        >>> layer.weight.abs().amax().item() <= 0.5
        True
        """
        init.kaiming_uniform_(self.weight, a=sqrt(5))
        fan = self.weight.shape[1] * self.weight.shape[2]
        if self.bias is not None and fan > 0:
            init.uniform_(self.bias, -1 / sqrt(fan), 1 / sqrt(fan))

    def forward(self, input: Tensor) -> Tensor:
        if check.tensor("Conv1d", "input", input).ndim not in (2, 3):
            raise ShapeError(
                f"Conv1d: an input of sizes {list(input.shape)}; [rows, {self.in_channels}, "
                "length], or without rows, is needed"
            )
        padding = self.padding if isinstance(self.padding, str) else self.padding[0]
        rows = input if input.ndim == 3 else input.unsqueeze(0)
        output = conv1d(
            rows, self.weight, self.bias, self.stride[0], padding, self.dilation[0], self.groups
        )
        return output if input.ndim == 3 else output.squeeze(0)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        rest = settings(kernel_size=self.kernel_size, stride=self.stride)
        return f"{self.in_channels}, {self.out_channels}, {rest}"
