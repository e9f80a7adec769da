"""Layers that take the norm of what windows meet, or put back what a pool has picked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn._convolutions._windows import as_given, each_dim
from garboard.nn.module import Module

__all__ = ["LPPool1d", "LPPool2d", "LPPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"]

_Numbers = int | tuple[int, ...] | list[int]


class _LPPool(Module):
    _pool: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        norm_type: float,
        kernel_size: _Numbers,
        stride: _Numbers | None = None,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.norm_type: float = check.real(name, "norm_type", norm_type)
        self.kernel_size: Any = as_given(name, "kernel_size", kernel_size, 1)
        self.stride: Any = None if stride is None else as_given(name, "stride", stride, 1)
        self.ceil_mode: bool = check.flag(name, "ceil_mode", ceil_mode)

    def forward(self, input: Tensor) -> Tensor:
        return self._pool(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(
            norm_type=self.norm_type,
            kernel_size=self.kernel_size,
            stride=self.stride,
            ceil_mode=self.ceil_mode,
        )


class LPPool1d(_LPPool):
    """Compute the norm of each window of [n, channels, length]: (sum of x^p)^(1 / p).

    Args:
        norm_type: The power p, not 0; may be infinite.
        kernel_size: The window's size.
        stride: How far apart windows are; None for their size.
        ceil_mode: Add a window for what is left over at the end.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A setting of a wrong type.
        ValueError: When called, a power of 0.

    >>> gb.nn.LPPool1d(1, 2)(gb.tensor([[[1.0, 2.0, 3.0, 4.0]]]))
    tensor([[[3., 7.]]])
    """

    _pool = staticmethod(functional.lp_pool1d)


class LPPool2d(_LPPool):
    """Compute the norm of each window of [n, channels, height, width]: (sum of x^p)^(1 / p).

    Args:
        norm_type: The power p, not 0; may be infinite.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        ceil_mode: Add a window for what is left over at the end.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A setting of a wrong type.
        ValueError: When called, a power of 0.

    >>> gb.nn.LPPool2d(2, 2)(gb.ones(1, 1, 4, 4)).amax().item()
    2.0
    """

    _pool = staticmethod(functional.lp_pool2d)


class LPPool3d(_LPPool):
    """Compute the norm of each window of [n, channels, depth, height, width].

    Args:
        norm_type: The power p, not 0; may be infinite.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        ceil_mode: Add a window for what is left over at the end.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        TypeError: A setting of a wrong type.
        ValueError: When called, a power of 0.

    >>> gb.nn.LPPool3d(1, 2)(gb.ones(1, 1, 2, 4, 4)).amax().item()
    8.0
    """

    _pool = staticmethod(functional.lp_pool3d)


class _MaxUnpool(Module):
    _unpool: ClassVar[Callable[..., Tensor]]
    _dims: ClassVar[int]

    def __init__(
        self, kernel_size: _Numbers, stride: _Numbers | None = None, padding: _Numbers = 0
    ) -> None:
        super().__init__()
        name, dims = type(self).__name__, self._dims
        self.kernel_size: tuple[int, ...] = each_dim(name, "kernel_size", kernel_size, dims, 1)
        self.stride: tuple[int, ...] = (
            self.kernel_size if stride is None else each_dim(name, "stride", stride, dims, 1)
        )
        self.padding: tuple[int, ...] = each_dim(name, "padding", padding, dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return self._unpool(
            input, indices, self.kernel_size, self.stride, self.padding, output_size
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(kernel_size=self.kernel_size, stride=self.stride, padding=self.padding)


class MaxUnpool1d(_MaxUnpool):
    """Put back what `MaxPool1d` has picked, with zeros between.

    It is called with the pool's values and indices, and perhaps with the size that there was.

    Args:
        kernel_size: The pool's.
        stride: Likewise; None for the window's size.
        padding: Likewise.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        IndexOutOfRangeError: When called, an index lies outside.
        TypeError: A setting of a wrong type.

    >>> x = gb.tensor([[[1.0, 3.0, 2.0, 5.0]]])
    >>> values, indices = gb.nn.MaxPool1d(2, return_indices=True)(x)
    >>> gb.nn.MaxUnpool1d(2)(values, indices)
    tensor([[[0., 3., 0., 5.]]])
    """

    _unpool = staticmethod(functional.max_unpool1d)
    _dims = 1


class MaxUnpool2d(_MaxUnpool):
    """Put back what `MaxPool2d` has picked, with zeros between.

    It is called with the pool's values and indices, and perhaps with the sizes that there were.

    Args:
        kernel_size: The pool's: a number, or one a dim.
        stride: Likewise; None for the window's size.
        padding: Likewise.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        IndexOutOfRangeError: When called, an index lies outside.
        TypeError: A setting of a wrong type.

    >>> x = gb.arange(16).float().view(1, 1, 4, 4)
    >>> values, indices = gb.nn.MaxPool2d(2, return_indices=True)(x)
    >>> gb.nn.MaxUnpool2d(2)(values, indices).sum().item() == values.sum().item()
    True
    """

    _unpool = staticmethod(functional.max_unpool2d)
    _dims = 2


class MaxUnpool3d(_MaxUnpool):
    """Put back what `MaxPool3d` has picked, with zeros between.

    It is called with the pool's values and indices, and perhaps with the sizes that there were.

    Args:
        kernel_size: The pool's: a number, or one a dim.
        stride: Likewise; None for the window's size.
        padding: Likewise.

    Raises:
        ShapeError: A number that cannot be; when called, sizes that do not fit.
        IndexOutOfRangeError: When called, an index lies outside.
        TypeError: A setting of a wrong type.

    >>> x = gb.arange(64).float().view(1, 1, 4, 4, 4)
    >>> values, indices = gb.nn.MaxPool3d(2, return_indices=True)(x)
    >>> gb.nn.MaxUnpool3d(2)(values, indices).shape
    (1, 1, 4, 4, 4)
    """

    _unpool = staticmethod(functional.max_unpool3d)
    _dims = 3
