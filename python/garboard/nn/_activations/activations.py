"""Layers that act on each element, or on each slice along a dim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor, gelu, sigmoid, tanh
from garboard.nn import functional
from garboard.nn.module import Module

__all__ = ["GELU", "LogSoftmax", "ReLU", "Sigmoid", "Softmax", "Tanh"]


class GELU(Module):
    """Multiply the input by the share of the normal distribution below it.

    The share is exact, within a few units of the last place even where it is tiny, or approximated:
    1 / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), by Hendrycks and Gimpel, "Gaussian error
    linear units", arXiv:1606.08415. Backward keeps the input's storage.

    Args:
        approximate: "none" or "tanh".

    Raises:
        ValueError: Another `approximate`.

    >>> round(gb.nn.GELU()(gb.tensor(1.0)).item(), 4)
    0.8413
    """

    def __init__(self, approximate: Literal["none", "tanh"] = "none") -> None:
        super().__init__()
        self.approximate: Literal["none", "tanh"] = check.choice(
            "GELU", "approximate", approximate, "none", "tanh"
        )

    def forward(self, input: Tensor) -> Tensor:
        return gelu(input, approximate=self.approximate)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(approximate=self.approximate)


class ReLU(Module):
    """Compute max(input, 0). Backward keeps the output's storage, so the input may go.

    Args:
        inplace: Write into the input, which is returned.

    >>> gb.nn.ReLU()(gb.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: bool = check.flag("ReLU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """Compute the hyperbolic tangent. Backward keeps the output's storage.

    >>> gb.nn.Tanh()(gb.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return tanh(input)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Sigmoid(Module):
    """Compute 1 / (1 + exp(-input)). Backward keeps the output's storage.

    >>> gb.nn.Sigmoid()(gb.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        return sigmoid(input)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Softmax(Module):
    """Scale each slice along `dim` to positive numbers that sum to one.

    Backward keeps the output's storage.

    Args:
        dim: Where to sum; without it, one is picked at the call, with a warning.

    Raises:
        TypeError: `dim` is no integer.
        ShapeError: When called, `dim` is out of range.
        DTypeError: When called, the input is not floating.

    >>> gb.nn.Softmax(dim=0)(gb.tensor([0.0, 0.0, 1.0]))
    tensor([0.2119, 0.2119, 0.5761])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim: int | None = check.dim("Softmax", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        return functional.softmax(input, self.dim)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(dim=self.dim)


class LogSoftmax(Module):
    """Compute the logarithm of softmax along `dim`, without overflow.

    Backward keeps the output's storage.

    Args:
        dim: Where to sum; without it, one is picked at the call, with a warning.

    Raises:
        TypeError: `dim` is no integer.
        ShapeError: When called, `dim` is out of range.
        DTypeError: When called, the input is not floating.

    >>> gb.nn.LogSoftmax(dim=0)(gb.tensor([0.0, 0.0]))
    tensor([-0.6931, -0.6931])
    """

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim: int | None = check.dim("LogSoftmax", "dim", dim)

    def forward(self, input: Tensor) -> Tensor:
        return functional.log_softmax(input, self.dim)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(dim=self.dim)
