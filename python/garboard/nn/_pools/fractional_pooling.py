"""Layers that take the largest of what windows meet whose places are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from garboard._arguments import check
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._convolutions._windows import as_given
from garboard.nn.module import Module

__all__ = ["FractionalMaxPool2d", "FractionalMaxPool3d"]

_Numbers = int | tuple[int, ...] | list[int]


class _FractionalMaxPool(Module):
    _pool: ClassVar[Callable[..., Any]]
    _random_samples: Tensor | None

    def __init__(
        self,
        kernel_size: _Numbers,
        output_size: _Numbers | None = None,
        output_ratio: float | Sequence[float] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size: Any = as_given(name, "kernel_size", kernel_size, 1)
        if (output_size is None) == (output_ratio is None):
            given = "neither output_size nor" if output_size is None else "both output_size and"
            raise ValueError(f"{name}: {given} output_ratio; one of them is needed")
        self.output_size: Any = (
            None if output_size is None else as_given(name, "output_size", output_size, 1)
        )
        self.output_ratio: Any = None if output_ratio is None else _ratio(name, output_ratio)
        self.return_indices: bool = check.flag(name, "return_indices", return_indices)
        self.register_buffer("_random_samples", _random_samples)

    def forward(self, input: Tensor) -> Any:
        return self._pool(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            self._random_samples,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Any: ...


def _ratio(name: str, given: Any) -> Any:
    for share in given if isinstance(given, (list, tuple)) else (given,):
        if not 0 < check.worth(name, "output_ratio", share) < 1:
            raise ValueError(f"{name}: output_ratio {share}; a number between 0 and 1 is needed")
    return tuple(given) if isinstance(given, list) else given


class FractionalMaxPool2d(_FractionalMaxPool):
    """Take the largest of drawn windows of [n, channels, height, width], or without n.

    The places are drawn anew at each call, by `fractional_max_pool2d`.

    Args:
        kernel_size: The window's size: a number, or one a dim.
        output_size: How many windows: a number, or one a dim.
        output_ratio: Instead of them: their number as a share of the size, in (0, 1).
        return_indices: Return also where each element is, a number in its plane, int64.
        _random_samples: Instead of what is drawn: a buffer, [n, channels, 2] numbers in [0, 1).

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        ValueError: Neither `output_size` nor `output_ratio`, or both, or a ratio out of range.
        TypeError: A setting of a wrong type.

    >>> gb.nn.FractionalMaxPool2d(2, output_size=3)(gb.ones(1, 1, 8, 8)).shape
    (1, 1, 3, 3)
    """

    _pool = staticmethod(functional.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPool):
    """Take the largest of drawn windows of [n, channels, depth, height, width], or without n.

    The places are drawn anew at each call, by `fractional_max_pool3d`.

    Args:
        kernel_size: The window's size: a number, or one a dim.
        output_size: How many windows: a number, or one a dim.
        output_ratio: Instead of them: their number as a share of the size, in (0, 1).
        return_indices: Return also where each element is, a number in its plane, int64.
        _random_samples: Instead of what is drawn: a buffer, [n, channels, 3] numbers in [0, 1).

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        ValueError: Neither `output_size` nor `output_ratio`, or both, or a ratio out of range.
        TypeError: A setting of a wrong type.

    >>> gb.nn.FractionalMaxPool3d(2, output_ratio=0.5)(gb.ones(1, 8, 8, 8)).shape
    (1, 4, 4, 4)
    """

    _pool = staticmethod(functional.fractional_max_pool3d)
