"""Layers that take images apart into windows, and put them together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard._arguments.texts import settings
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._convolutions._windows import as_given
from garboard.nn.module import Module

__all__ = ["Fold", "Unfold"]

_Numbers = int | Sequence[int]


class _Windows(Module):
    """How large windows are, and where."""

    def __init__(
        self,
        kernel_size: _Numbers,
        dilation: _Numbers = 1,
        padding: _Numbers = 0,
        stride: _Numbers = 1,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size: Any = as_given(name, "kernel_size", kernel_size, 1)
        self.dilation: Any = as_given(name, "dilation", dilation, 1)
        self.padding: Any = as_given(name, "padding", padding)
        self.stride: Any = as_given(name, "stride", stride, 1)

    def _windows(self) -> dict[str, Any]:
        names = ("kernel_size", "dilation", "padding", "stride")
        return {name: getattr(self, name) for name in names}

    def extra_repr(self) -> str:
        return settings(**self._windows())


class Unfold(_Windows):
    """Take images apart into windows, the columns of the result.

    Args:
        kernel_size: The windows' sizes: a number, or one a dim.
        dilation: How far apart their elements are.
        padding: How many zeros stand around the image on each side.
        stride: How far apart the windows are.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.Unfold((2, 3))(gb.ones(2, 5, 3, 4)).shape
    (2, 30, 4)
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.unfold(input, **self._windows())

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Fold(_Windows):
    """Put windows together to images; elements that lie on each other are added.

    Args:
        output_size: The images' sizes: a number, or one a dim.
        kernel_size: The windows' sizes, likewise.
        dilation: How far apart their elements are.
        padding: How much around the images is cut off on each side.
        stride: How far apart the windows are.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.Fold(3, 2)(gb.ones(1, 8, 4)).shape
    (1, 2, 3, 3)
    """

    def __init__(
        self,
        output_size: _Numbers,
        kernel_size: _Numbers,
        dilation: _Numbers = 1,
        padding: _Numbers = 0,
        stride: _Numbers = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size: Any = as_given("Fold", "output_size", output_size, 1)

    def forward(self, input: Tensor) -> Tensor:
        return functional.fold(input, self.output_size, **self._windows())

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"{settings(output_size=self.output_size)}, {super().extra_repr()}"
