"""Layers that pool into a given number of places."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn.module import Module

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
]

_Sizes = int | Sequence[int | None] | None


def _sizes(name: str, given: Any) -> Any:
    """A number, one a dim, or None for as many as there are."""
    if isinstance(given, (list, tuple)):
        return tuple(None if one is None else check.size(name, "output_size", one) for one in given)
    return None if given is None else check.size(name, "output_size", given)


class _AdaptivePool(Module):
    """How many shares there are, and the function that makes a number of each."""

    _pool: ClassVar[Callable[..., Any]]
    output_size: Any

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)


class _AdaptiveAvgPool(_AdaptivePool):
    def __init__(self, output_size: _Sizes) -> None:
        super().__init__()
        self.output_size: Any = _sizes(type(self).__name__, output_size)

    def forward(self, input: Tensor) -> Tensor:
        pooled: Tensor = self._pool(input, self.output_size)
        return pooled

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class _AdaptiveMaxPool(_AdaptivePool):
    def __init__(self, output_size: _Sizes, return_indices: bool = False) -> None:
        super().__init__()
        name = type(self).__name__
        self.output_size: Any = _sizes(name, output_size)
        self.return_indices: bool = check.flag(name, "return_indices", return_indices)

    def forward(self, input: Tensor) -> Any:
        return self._pool(input, self.output_size, self.return_indices)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Any: ...


class AdaptiveAvgPool1d(_AdaptiveAvgPool):
    """Compute the mean of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveAvgPool1d(1)(gb.ones(2, 4)).shape
    (2, 1)
    """

    _pool = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Take the largest element of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.
        return_indices: Return also where each element is.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveMaxPool1d(1)(gb.ones(2, 4)).shape
    (2, 1)
    """

    _pool = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPool):
    """Compute the mean of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveAvgPool2d(1)(gb.ones(2, 4, 6)).shape
    (2, 1, 1)
    """

    _pool = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Take the largest element of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.
        return_indices: Return also where each element is.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveMaxPool2d(1)(gb.ones(2, 4, 6)).shape
    (2, 1, 1)
    """

    _pool = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPool):
    """Compute the mean of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveAvgPool3d(1)(gb.ones(2, 4, 6, 8)).shape
    (2, 1, 1, 1)
    """

    _pool = staticmethod(functional.adaptive_avg_pool3d)


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Take the largest element of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.
        return_indices: Return also where each element is.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveMaxPool3d(1)(gb.ones(2, 4, 6, 8)).shape
    (2, 1, 1, 1)
    """

    _pool = staticmethod(functional.adaptive_max_pool3d)
