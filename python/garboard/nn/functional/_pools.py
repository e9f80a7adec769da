"""Pools, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import ShapeError, Tensor

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
]

_Numbers = int | tuple[int, ...] | list[int]


def max_pool1d(
    input: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Take the largest element of each window.

    Args:
        input: Tensor [n, channels, length] or [channels, length], of numbers.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: How far they begin outside, at most half their size; nothing there counts.
        dilation: How far apart their elements are.
        ceil_mode: Add a window for what is left over at the end.
        return_indices: Return also where each element is, a number in its plane, int64; -1 where
            the taps of a dilated window meet nothing, whose largest is -inf.

    Returns:
        A new tensor of its dtype, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` holds bools.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.max_pool1d(gb.ones(2, 4), 2).shape
    (2, 2)
    """
    form = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": ceil_mode,
    }
    return _max_pool(input, 1, form, return_indices)


def adaptive_max_pool1d(
    input: Tensor,
    output_size: int | Sequence[int | None] | None,
    return_indices: bool = False,
) -> Any:
    """Take the largest element of each of so many even shares.

    Args:
        input: Tensor [n, channels, length] or [channels, length], floating.
        output_size: How many: a number, or one a dim; None for as many as the input has.
        return_indices: Return also where each element is, a number in its plane, int64.

    Returns:
        A new tensor, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.adaptive_max_pool1d(gb.ones(2, 4), 1).shape
    (2, 1)
    """
    sizes = _places("adaptive_max_pool1d", input, output_size, 1)
    found = _engine._adaptive_max_pool(input, 1, sizes, return_indices)
    return tuple(found) if return_indices else found[0]


def adaptive_avg_pool1d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Compute the mean of each of so many even shares.

    Args:
        input: Tensor [n, channels, length] or [channels, length], floating.
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.adaptive_avg_pool1d(gb.ones(2, 4), 1).shape
    (2, 1)
    """
    sizes = _places("adaptive_avg_pool1d", input, output_size, 1)
    return _engine._adaptive_avg_pool(input, 1, sizes)


def avg_pool1d(
    input: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """Compute the mean of each window.

    Args:
        input: Tensor [n, channels, length] or [channels, length], floating or int64.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: Zeros on each side, at most half the window's size.
        ceil_mode: Add a window for what is left over at the end.
        count_include_pad: Count those zeros too.

    Returns:
        A new tensor of its dtype, integers cut off towards 0. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.avg_pool1d(gb.ones(2, 4), 2).shape
    (2, 2)
    """
    return _engine._avg_pool(input, 1, kernel_size, stride, padding, ceil_mode, count_include_pad)


def max_pool2d(
    input: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Take the largest element of each window.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], of numbers.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: How far they begin outside, at most half their size; nothing there counts.
        dilation: How far apart their elements are.
        ceil_mode: Add a window for what is left over at the end.
        return_indices: Return also where each element is, a number in its plane, int64; -1 where
            the taps of a dilated window meet nothing, whose largest is -inf.

    Returns:
        A new tensor of its dtype, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` holds bools.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.max_pool2d(gb.ones(2, 4, 6), 2).shape
    (2, 2, 3)
    """
    form = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": ceil_mode,
    }
    return _max_pool(input, 2, form, return_indices)


def adaptive_max_pool2d(
    input: Tensor,
    output_size: int | Sequence[int | None] | None,
    return_indices: bool = False,
) -> Any:
    """Take the largest element of each of so many even shares.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], floating.
        output_size: How many: a number, or one a dim; None for as many as the input has.
        return_indices: Return also where each element is, a number in its plane, int64.

    Returns:
        A new tensor, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.adaptive_max_pool2d(gb.ones(2, 4, 6), 1).shape
    (2, 1, 1)
    """
    sizes = _places("adaptive_max_pool2d", input, output_size, 2)
    found = _engine._adaptive_max_pool(input, 2, sizes, return_indices)
    return tuple(found) if return_indices else found[0]


def adaptive_avg_pool2d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Compute the mean of each of so many even shares.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], floating.
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.adaptive_avg_pool2d(gb.ones(2, 4, 6), 1).shape
    (2, 1, 1)
    """
    sizes = _places("adaptive_avg_pool2d", input, output_size, 2)
    return _engine._adaptive_avg_pool(input, 2, sizes)


def avg_pool2d(
    input: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the mean of each window.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], floating or int64.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: Zeros on each side, at most half the window's size.
        ceil_mode: Add a window for what is left over at the end.
        count_include_pad: Count those zeros too.
        divisor_override: What the sums are divided by instead.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of its dtype, integers cut off towards 0. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` is of another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.avg_pool2d(gb.ones(2, 4, 6), 2).shape
    (2, 2, 3)
    """
    return written(
        "avg_pool2d",
        _engine._avg_pool(
            input, 2, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        out,
    )


def max_pool3d(
    input: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    dilation: _Numbers = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Take the largest element of each window.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, of numbers.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: How far they begin outside, at most half their size; nothing there counts.
        dilation: How far apart their elements are.
        ceil_mode: Add a window for what is left over at the end.
        return_indices: Return also where each element is, a number in its plane, int64; -1 where
            the taps of a dilated window meet nothing, whose largest is -inf.

    Returns:
        A new tensor of its dtype, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` holds bools.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.max_pool3d(gb.ones(2, 4, 6, 8), 2).shape
    (2, 2, 3, 4)
    """
    if count_of_blocks():
        (input,) = as_listed("max_pool3d", input)
    form = {
        "kernel_size": kernel_size,
        "stride": stride,
        "padding": padding,
        "dilation": dilation,
        "ceil_mode": ceil_mode,
    }
    return _max_pool(input, 3, form, return_indices)


def adaptive_max_pool3d(
    input: Tensor,
    output_size: int | Sequence[int | None] | None,
    return_indices: bool = False,
) -> Any:
    """Take the largest element of each of so many even shares.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, floating.
        output_size: How many: a number, or one a dim; None for as many as the input has.
        return_indices: Return also where each element is, a number in its plane, int64.

    Returns:
        A new tensor, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.adaptive_max_pool3d(gb.ones(2, 4, 6, 8), 1).shape
    (2, 1, 1, 1)
    """
    if count_of_blocks():
        (input,) = as_listed("adaptive_max_pool3d", input)
    sizes = _places("adaptive_max_pool3d", input, output_size, 3)
    found = _engine._adaptive_max_pool(input, 3, sizes, return_indices)
    return tuple(found) if return_indices else found[0]


def adaptive_avg_pool3d(input: Tensor, output_size: int | Sequence[int | None] | None) -> Tensor:
    """Compute the mean of each of so many even shares.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, floating.
        output_size: How many: a number, or one a dim; None for as many as the input has.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.adaptive_avg_pool3d(gb.ones(2, 4, 6, 8), 1).shape
    (2, 1, 1, 1)
    """
    if count_of_blocks():
        (input,) = as_listed("adaptive_avg_pool3d", input)
    sizes = _places("adaptive_avg_pool3d", input, output_size, 3)
    return _engine._adaptive_avg_pool(input, 3, sizes)


def avg_pool3d(
    input: Tensor,
    kernel_size: _Numbers,
    stride: _Numbers | None = None,
    padding: _Numbers = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the mean of each window.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, floating or int64.
        kernel_size: The window's size: a number, or one a dim.
        stride: How far apart windows are; None for their size.
        padding: Zeros on each side, at most half the window's size.
        ceil_mode: Add a window for what is left over at the end.
        count_include_pad: Count those zeros too.
        divisor_override: What the sums are divided by instead.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of its dtype, integers cut off towards 0. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit, or a number lies outside.
        DTypeError: `input` is of another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.avg_pool3d(gb.ones(2, 4, 6, 8), 2).shape
    (2, 2, 3, 4)
    """
    if count_of_blocks():
        (input,) = as_listed("avg_pool3d", input)
    return written(
        "avg_pool3d",
        _engine._avg_pool(
            input, 3, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
        ),
        out,
    )


def _max_pool(input: Tensor, dims: int, form: dict[str, Any], return_indices: bool) -> Any:
    found = _engine._max_pool(input, dims, **form, return_indices=return_indices)
    return tuple(found) if return_indices else found[0]


def _places(op: str, input: Tensor, given: Any, dims: int) -> tuple[int, ...]:
    """The number of places along each dim of space, where None stands for the input's."""
    shape = check.tensor(op, "input", input).shape
    numbers = items_of(given) if isinstance(given, (list, tuple)) else [given] * dims
    if len(numbers) != dims or len(shape) < dims:
        raise ShapeError(
            f"{op}: output_size of {len(numbers)} numbers, input of sizes {shape}; "
            f"{shown(dims)} dims of space are needed of both"
        )
    pairs = zip(numbers, shape[-dims:], strict=True)
    return tuple(size if one is None else check.size(op, "output_size", one) for one, size in pairs)


all_overridable(globals())
