"""What takes pools back, and pools by a norm, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isinf, prod
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import ShapeError, Tensor
from garboard.nn._convolutions._windows import each_dim

__all__ = [
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
]

_Numbers = int | tuple[int, ...] | list[int]


def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put what a max pool took back to where it was, and zeros elsewhere.

    Args:
        input: Tensor [n, channels, length] or [channels, length], float32 or float64.
        indices: What the pool returned, of `input`'s sizes, int64.
        kernel_size: The size of the pool's window.
        stride: How far apart windows were; None for their size.
        padding: How far they began outside.
        output_size: The sizes of the pool's input, or those of space; None for the smallest.

    Returns:
        A new tensor. Until backward the graph keeps the indices.

    Raises:
        ShapeError: The sizes do not fit.
        IndexOutOfRangeError: An index lies outside.
        DTypeError: `input` is neither, or the indices are not int64.
        DisposedError: A tensor is disposed.

    >>> x = gb.arange(8).float().reshape(2, 4)
    >>> values, indices = gb.nn.functional.max_pool1d(x, 2, return_indices=True)
    >>> gb.nn.functional.max_unpool1d(values, indices, 2).shape
    (2, 4)
    """
    sizes = _unpooled("max_unpool1d", input, 1, (kernel_size, stride, padding), output_size)
    return _engine._max_unpool(input, indices, 1, sizes)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute the norm of each window: (sum of x^p)^(1 / p).

    Of p = inf it is the largest size, of -inf the smallest.

    Args:
        input: Tensor [n, channels, length] or [channels, length], float32 or float64.
        norm_type: The power p, not 0; may be infinite.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        ceil_mode: Add a window for what is left over at the end.

    Returns:
        A new tensor. Until backward the graph keeps some tensors of the input's size.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` is neither.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.lp_pool1d(gb.ones(2, 4), 1, 2).amax().item()
    2.0
    """
    return _normed("lp_pool1d", input, 1, norm_type, kernel_size, stride, ceil_mode)


def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put what a max pool took back to where it was, and zeros elsewhere.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], float32 or float64.
        indices: What the pool returned, of `input`'s sizes, int64.
        kernel_size: The size of the pool's window.
        stride: How far apart windows were; None for their size.
        padding: How far they began outside.
        output_size: The sizes of the pool's input, or those of space; None for the smallest.

    Returns:
        A new tensor. Until backward the graph keeps the indices.

    Raises:
        ShapeError: The sizes do not fit.
        IndexOutOfRangeError: An index lies outside.
        DTypeError: `input` is neither, or the indices are not int64.
        DisposedError: A tensor is disposed.

    >>> x = gb.arange(48).float().reshape(2, 4, 6)
    >>> values, indices = gb.nn.functional.max_pool2d(x, 2, return_indices=True)
    >>> gb.nn.functional.max_unpool2d(values, indices, 2).shape
    (2, 4, 6)
    """
    sizes = _unpooled("max_unpool2d", input, 2, (kernel_size, stride, padding), output_size)
    return _engine._max_unpool(input, indices, 2, sizes)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute the norm of each window: (sum of x^p)^(1 / p).

    Of p = inf it is the largest size, of -inf the smallest.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], float32 or float64.
        norm_type: The power p, not 0; may be infinite.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        ceil_mode: Add a window for what is left over at the end.

    Returns:
        A new tensor. Until backward the graph keeps some tensors of the input's size.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` is neither.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.lp_pool2d(gb.ones(2, 4, 6), 1, 2).amax().item()
    4.0
    """
    return _normed("lp_pool2d", input, 2, norm_type, kernel_size, stride, ceil_mode)


def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    output_size: Sequence[int] | None = None,
) -> Tensor:
    """Put what a max pool took back to where it was, and zeros elsewhere.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, float32 or float64.
        indices: What the pool returned, of `input`'s sizes, int64.
        kernel_size: The size of the pool's window.
        stride: How far apart windows were; None for their size.
        padding: How far they began outside.
        output_size: The sizes of the pool's input, or those of space; None for the smallest.

    Returns:
        A new tensor. Until backward the graph keeps the indices.

    Raises:
        ShapeError: The sizes do not fit.
        IndexOutOfRangeError: An index lies outside.
        DTypeError: `input` is neither, or the indices are not int64.
        DisposedError: A tensor is disposed.

    >>> x = gb.arange(384).float().reshape(2, 4, 6, 8)
    >>> values, indices = gb.nn.functional.max_pool3d(x, 2, return_indices=True)
    >>> gb.nn.functional.max_unpool3d(values, indices, 2).shape
    (2, 4, 6, 8)
    """
    sizes = _unpooled("max_unpool3d", input, 3, (kernel_size, stride, padding), output_size)
    return _engine._max_unpool(input, indices, 3, sizes)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Compute the norm of each window: (sum of x^p)^(1 / p).

    Of p = inf it is the largest size, of -inf the smallest.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, float32 or float64.
        norm_type: The power p, not 0; may be infinite.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        ceil_mode: Add a window for what is left over at the end.

    Returns:
        A new tensor. Until backward the graph keeps some tensors of the input's size.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` is neither.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.lp_pool3d(gb.ones(2, 4, 6, 8), 1, 2).amax().item()
    8.0
    """
    return _normed("lp_pool3d", input, 3, norm_type, kernel_size, stride, ceil_mode)


def _unpooled(
    op: str, input: Tensor, dims: int, numbers: tuple[Any, Any, Any], output_size: Any
) -> tuple[int, ...]:
    """The sizes of space that were pooled."""
    kernel, stride, padding = numbers
    taps = each_dim(op, "kernel_size", kernel, dims, least=1)
    steps = taps if stride is None else each_dim(op, "stride", stride, dims, least=1)
    around = each_dim(op, "padding", padding, dims)
    shape = check.tensor(op, "input", input).shape[-dims:]
    least = [
        (size - 1) * step + tap - 2 * cut
        for size, step, tap, cut in zip(shape, steps, taps, around, strict=True)
    ]
    if output_size is None:
        return tuple(least)
    wanted = check.sizes(op, "output_size", output_size)[-dims:]
    apart = zip(wanted, least, steps, strict=False)
    if len(wanted) != dims or any(not abs(size - start) < step for size, start, step in apart):
        raise ShapeError(
            f"{op}: output_size {wanted}; sizes around {tuple(least)} are needed, less than the "
            f"stride {steps} away"
        )
    return wanted


def _normed(
    op: str, input: Tensor, dims: int, power: Any, kernel: Any, stride: Any, rounds_up: bool
) -> Tensor:
    power = check.real(op, "norm_type", power)
    if power == 0:
        raise ArgumentError(f"{op}: norm_type {shown(power)}; another number is needed")
    taps = each_dim(op, "kernel_size", kernel, dims, least=1)
    if isinf(power):  # the largest, or the smallest
        sizes = check.tensor(op, "input", input).abs()
        sign = 1 if power > 0 else -1
        picked = _engine._max_pool(sizes * sign, dims, taps, stride, 0, 1, rounds_up, False)
        return picked.values * sign
    powers = check.tensor(op, "input", input) ** power
    mean = _engine._avg_pool(powers, dims, taps, stride, 0, rounds_up)
    positive = _engine.relu(mean.abs()) * mean.sign()
    made: Tensor = (positive * prod(taps)) ** (1 / power)
    return made


all_overridable(globals())
