"""Layers that take the largest or the mean of what windows meet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import ShapeError, Tensor
from garboard.nn import functional
from garboard.nn._convolutions._windows import as_given, each_dim
from garboard.nn.module import Module

__all__ = ["AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool1d", "MaxPool2d", "MaxPool3d"]

_Numbers = int | tuple[int, ...] | list[int]


class _Pool(Module):
    """What windows are told by, and the function that looks through them."""

    _pool: ClassVar[Callable[..., Any]]

    def _set(self, kernel_size: Any, stride: Any, padding: Any, ceil_mode: Any) -> None:
        name = type(self).__name__
        self.kernel_size: Any = as_given(name, "kernel_size", kernel_size, 1)
        self.stride: Any = (
            self.kernel_size if stride is None else as_given(name, "stride", stride, 1)
        )
        self.padding: Any = as_given(name, "padding", padding)
        self.ceil_mode: bool = check.flag(name, "ceil_mode", ceil_mode)


class _MaxPool(_Pool):
    def __init__(
        self,
        kernel_size: _Numbers,
        stride: _Numbers | None = None,
        padding: _Numbers = 0,
        dilation: _Numbers = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self._set(kernel_size, stride, padding, ceil_mode)
        self.dilation: Any = as_given(name, "dilation", dilation, 1)
        self.return_indices: bool = check.flag(name, "return_indices", return_indices)

    def forward(self, input: Tensor) -> Any:
        return self._pool(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            self.ceil_mode,
            self.return_indices,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Any: ...

    def extra_repr(self) -> str:
        return settings(
            kernel_size=self.kernel_size,
            stride=self.stride,
            padding=self.padding,
            dilation=self.dilation,
            ceil_mode=self.ceil_mode,
        )


class _AvgPool(_Pool):
    def __init__(
        self,
        kernel_size: _Numbers,
        stride: _Numbers | None = None,
        padding: _Numbers = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self._set(kernel_size, stride, padding, ceil_mode)
        self.count_include_pad: bool = check.flag(
            type(self).__name__, "count_include_pad", count_include_pad
        )

    def forward(self, input: Tensor) -> Tensor:
        pooled: Tensor = self._pool(input, *self._settings())
        return pooled

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def _settings(self) -> tuple[Any, ...]:
        """What the function is given after the input."""
        windows = (self.kernel_size, self.stride, self.padding)
        return (*windows, self.ceil_mode, self.count_include_pad)

    def extra_repr(self) -> str:
        return settings(kernel_size=self.kernel_size, stride=self.stride, padding=self.padding)


class _DividedAvgPool(_AvgPool):
    """What may divide the sums by another number than that of the elements."""

    def __init__(
        self,
        kernel_size: _Numbers,
        stride: _Numbers | None = None,
        padding: _Numbers = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        name = type(self).__name__
        self.divisor_override: int | None = check.dim(name, "divisor_override", divisor_override)
        if self.divisor_override == 0:
            raise ShapeError(f"{name}: divisor_override 0; another number is needed, or None")

    def _settings(self) -> tuple[Any, ...]:
        return (*super()._settings(), self.divisor_override)


class MaxPool1d(_MaxPool):
    """Take the largest element of each window: [..., channels, length].

    Args:
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: How far they begin outside, at most half their size.
        dilation: How far apart their elements are.
        return_indices: Return also where each element is.
        ceil_mode: Add a window for what is left over at the end.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.MaxPool1d(2)(gb.ones(2, 4)).shape
    (2, 2)
    """

    _pool = staticmethod(functional.max_pool1d)


class AvgPool1d(_AvgPool):
    """Compute the mean of each window: [..., channels, length].

    Args:
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: Zeros on each side, at most half the window's size.
        ceil_mode: Add a window for what is left over at the end.
        count_include_pad: Count those zeros too.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AvgPool1d(2)(gb.ones(2, 4)).shape
    (2, 2)
    """

    _pool = staticmethod(functional.avg_pool1d)

    def _set(self, kernel_size: Any, stride: Any, padding: Any, ceil_mode: Any) -> None:
        super()._set(kernel_size, stride, padding, ceil_mode)
        for name in ("kernel_size", "stride", "padding"):
            setattr(self, name, each_dim("AvgPool1d", name, getattr(self, name), 1))


class MaxPool2d(_MaxPool):
    """Take the largest element of each window: [..., channels, height, width].

    Args:
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: How far they begin outside, at most half their size.
        dilation: How far apart their elements are.
        return_indices: Return also where each element is.
        ceil_mode: Add a window for what is left over at the end.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.MaxPool2d(2)(gb.ones(2, 4, 6)).shape
    (2, 2, 3)
    """

    _pool = staticmethod(functional.max_pool2d)


class AvgPool2d(_DividedAvgPool):
    """Compute the mean of each window: [..., channels, height, width].

    Args:
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: Zeros on each side, at most half the window's size.
        ceil_mode: Add a window for what is left over at the end.
        count_include_pad: Count those zeros too.
        divisor_override: What the sums are divided by instead.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AvgPool2d(2)(gb.ones(2, 4, 6)).shape
    (2, 2, 3)
    """

    _pool = staticmethod(functional.avg_pool2d)


class MaxPool3d(_MaxPool):
    """Take the largest element of each window: [..., channels, depth, height, width].

    Args:
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: How far they begin outside, at most half their size.
        dilation: How far apart their elements are.
        return_indices: Return also where each element is.
        ceil_mode: Add a window for what is left over at the end.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.MaxPool3d(2)(gb.ones(2, 4, 6, 8)).shape
    (2, 2, 3, 4)
    """

    _pool = staticmethod(functional.max_pool3d)


class AvgPool3d(_DividedAvgPool):
    """Compute the mean of each window: [..., channels, depth, height, width].

    Args:
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: Zeros on each side, at most half the window's size.
        ceil_mode: Add a window for what is left over at the end.
        count_include_pad: Count those zeros too.
        divisor_override: What the sums are divided by instead.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AvgPool3d(2)(gb.ones(2, 4, 6, 8)).shape
    (2, 2, 3, 4)
    """

    _pool = staticmethod(functional.avg_pool3d)
