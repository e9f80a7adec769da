"""Layers that pool into a given number of places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard import _check as check
from garboard._engine import Tensor
from garboard._texts import settings
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


def _sizes(name: str, given: Any) -> Any:
    """A number, one a dim, or None for as many as there are."""
    if isinstance(given, (list, tuple)):
        return tuple(None if one is None else check.size(name, "output_size", one) for one in given)
    return None if given is None else check.size(name, "output_size", given)


class AdaptiveAvgPool1d(Module):
    """Compute the mean of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveAvgPool1d(1)(gb.ones(2, 4)).shape
    (2, 1)
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = _sizes("AdaptiveAvgPool1d", output_size)

    def forward(self, input: Tensor) -> Tensor:
        return functional.adaptive_avg_pool1d(input, self.output_size)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)


class AdaptiveMaxPool1d(Module):
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

    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None:
        super().__init__()
        self.output_size: Any = _sizes("AdaptiveMaxPool1d", output_size)
        self.return_indices: bool = check.flag(
            "AdaptiveMaxPool1d", "return_indices", return_indices
        )

    def forward(self, input: Tensor) -> Any:
        return functional.adaptive_max_pool1d(input, self.output_size, self.return_indices)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Any: ...

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)


class AdaptiveAvgPool2d(Module):
    """Compute the mean of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveAvgPool2d(1)(gb.ones(2, 4, 6)).shape
    (2, 1, 1)
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = _sizes("AdaptiveAvgPool2d", output_size)

    def forward(self, input: Tensor) -> Tensor:
        return functional.adaptive_avg_pool2d(input, self.output_size)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)


class AdaptiveMaxPool2d(Module):
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

    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None:
        super().__init__()
        self.output_size: Any = _sizes("AdaptiveMaxPool2d", output_size)
        self.return_indices: bool = check.flag(
            "AdaptiveMaxPool2d", "return_indices", return_indices
        )

    def forward(self, input: Tensor) -> Any:
        return functional.adaptive_max_pool2d(input, self.output_size, self.return_indices)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Any: ...

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)


class AdaptiveAvgPool3d(Module):
    """Compute the mean of each of so many even shares.

    Args:
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Raises:
        ShapeError: A negative number; when called, sizes that do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.AdaptiveAvgPool3d(1)(gb.ones(2, 4, 6, 8)).shape
    (2, 1, 1, 1)
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = _sizes("AdaptiveAvgPool3d", output_size)

    def forward(self, input: Tensor) -> Tensor:
        return functional.adaptive_avg_pool3d(input, self.output_size)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)


class AdaptiveMaxPool3d(Module):
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

    def __init__(
        self, output_size: int | Sequence[int | None] | None, return_indices: bool = False
    ) -> None:
        super().__init__()
        self.output_size: Any = _sizes("AdaptiveMaxPool3d", output_size)
        self.return_indices: bool = check.flag(
            "AdaptiveMaxPool3d", "return_indices", return_indices
        )

    def forward(self, input: Tensor) -> Any:
        return functional.adaptive_max_pool3d(input, self.output_size, self.return_indices)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Any: ...

    def extra_repr(self) -> str:
        return settings(output_size=self.output_size)
