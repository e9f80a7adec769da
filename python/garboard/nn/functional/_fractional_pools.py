"""Max pools whose windows are drawn, as functions (Graham, arXiv:1412.6071)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.given import items_of
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import DeviceError, DTypeError, ShapeError, Tensor
from garboard.nn._convolutions._windows import each_dim

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]

_Numbers = int | tuple[int, ...] | list[int]


def fractional_max_pool2d(
    input: Tensor,
    kernel_size: _Numbers,
    output_size: _Numbers | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Take the largest element of each of so many windows, whose places are drawn.

    Place i of m along a dim of n begins at floor((i + u) a) - floor(u a), a = (n - kernel_size) /
    (m - 1), and the last one at the end; u is drawn for each sample, channel and dim.

    Args:
        input: Tensor [n, channels, height, width] or [channels, height, width], floating.
        kernel_size: The window's size: a number, or one a dim.
        output_size: How many windows: a number, or one a dim.
        output_ratio: Instead of them: their number as a share of the size, in (0, 1).
        return_indices: Return also where each element is, a number in its plane, int64.
        _random_samples: Instead of what is drawn: a tensor [n, channels, 2] of numbers in [0, 1),
            along the width first.

    Returns:
        A new tensor, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit.
        ValueError: Neither `output_size` nor `output_ratio`, or both, or a ratio out of range.
        DTypeError: `input` is not floating, or the samples are of another dtype.
        DeviceError: The samples are on another device.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.fractional_max_pool2d(gb.ones(1, 8, 8), 2, output_ratio=0.7).shape
    (1, 5, 5)
    """
    return _fractional(
        2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


def fractional_max_pool3d(
    input: Tensor,
    kernel_size: _Numbers,
    output_size: _Numbers | None = None,
    output_ratio: float | Sequence[float] | None = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Take the largest element of each of so many windows, whose places are drawn.

    They are drawn as those of `fractional_max_pool2d`.

    Args:
        input: Tensor [n, channels, depth, height, width] or without n, floating.
        kernel_size: The window's size: a number, or one a dim.
        output_size: How many windows: a number, or one a dim.
        output_ratio: Instead of them: their number as a share of the size, in (0, 1).
        return_indices: Return also where each element is, a number in its plane, int64.
        _random_samples: Instead of what is drawn: a tensor [n, channels, 3] of numbers in [0, 1),
            along the depth first.

    Returns:
        A new tensor, or two. Until backward the graph keeps a number an element.

    Raises:
        ShapeError: The sizes do not fit.
        ValueError: Neither `output_size` nor `output_ratio`, or both, or a ratio out of range.
        DTypeError: `input` is not floating, or the samples are of another dtype.
        DeviceError: The samples are on another device.
        DisposedError: A tensor is disposed.

    >>> gb.nn.functional.fractional_max_pool3d(gb.ones(1, 8, 8, 8), 2, output_size=(4, 3, 2)).shape
    (1, 4, 3, 2)
    """
    return _fractional(
        3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
    )


def _fractional(
    dims: int,
    input: Tensor,
    kernel_size: Any,
    output_size: Any,
    output_ratio: Any,
    return_indices: bool,
    samples: Tensor | None,
) -> Any:
    op = f"fractional_max_pool{dims}d"
    if count_of_blocks():
        input, samples = as_listed(op, input, samples)
    shape = check.tensor(op, "input", input).shape
    if len(shape) not in (dims + 1, dims + 2) or 0 in shape[-dims - 1 :]:
        raise ShapeError(
            f"{op}: an input of sizes {list(shape)}; {dims + 1} or {dims + 2} dims are needed, of "
            "which only the first of all may be 0"
        )
    if not input.dtype.is_floating_point:
        raise DTypeError(f"{op}: input of dtype {input.dtype}; a floating one is needed")
    space = shape[-dims:]
    taps = each_dim(op, "kernel_size", kernel_size, dims, 1)
    places = _places(op, space, output_size, output_ratio)
    for size, tap, place in zip(space, taps, places, strict=True):
        if tap + place - 1 > size:
            raise ShapeError(
                f"{op}: {shown(place)} windows of {shown(tap)} along a size of {size}; "
                "no two begin at one element, so fewer are needed"
            )
    rows = (shape[0] if len(shape) == dims + 2 else 1, shape[-dims - 1])
    wants_indices = check.flag(op, "return_indices", return_indices)
    with _engine.DisposeScope(op) as scope:
        drawn = _drawn(op, input, (*rows, dims), samples)
        if dims == 2:
            drawn = drawn.flip(-1)  # of the height first from here on
        plane = input.reshape(*rows, prod(space))
        numbers = _numbers_met(drawn, space, taps, places)
        met = plane.detach().gather(-1, numbers.reshape(*rows, prod(places) * prod(taps)))
        largest = met.reshape(numbers.shape).argmax(-1, keepdim=True)
        picked = numbers.gather(-1, largest).reshape(*rows, prod(places))
        sizes = (*shape[:-dims], *places)
        values = plane.gather(-1, picked).reshape(sizes)
        if wants_indices:
            return scope.move_to_outer(values, picked.reshape(sizes))
        return scope.move_to_outer(values)


def _places(op: str, space: Sequence[int], sizes: Any, ratios: Any) -> tuple[int, ...]:
    """How many windows there are along each dim of space."""
    if (sizes is None) == (ratios is None):
        given = "neither output_size nor" if sizes is None else "both output_size and"
        raise ArgumentError(f"{op}: {given} output_ratio; one of them is needed")
    if ratios is None:
        return each_dim(op, "output_size", sizes, len(space), 1)
    shares = items_of(ratios) if isinstance(ratios, (list, tuple)) else [ratios] * len(space)
    if len(shares) != len(space):
        raise ShapeError(
            f"{op}: output_ratio of {len(shares)} numbers; one, or {len(space)} are needed"
        )
    wanted = []
    for size, given in zip(space, shares, strict=True):
        share = check.worth(op, "output_ratio", given)
        if not 0 < share < 1:
            raise ArgumentError(f"{op}: output_ratio {share}; a number between 0 and 1 is needed")
        wanted.append(int(size * share))
    return each_dim(op, "output_size", tuple(wanted), len(space), 1)


def _drawn(op: str, input: Tensor, sizes: tuple[int, ...], samples: Tensor | None) -> Tensor:
    if samples is None:
        return _engine.rand(*sizes, dtype=_engine.float64, device=input.device).to(input.dtype)
    given = check.tensor(op, "_random_samples", samples)
    if given.ndim == len(sizes) and len(given) > sizes[0]:  # a layer's, which is called with fewer
        given = given[: sizes[0]]
    if given.shape != sizes:
        raise ShapeError(
            f"{op}: _random_samples of sizes {list(given.shape)}; {list(sizes)} are needed"
        )
    if given.dtype != input.dtype:
        raise DTypeError(
            f"{op}: _random_samples of dtype {given.dtype}; that of input, {input.dtype}, is needed"
        )
    if given.device != input.device:
        raise DeviceError(
            f"{op}: _random_samples on {given.device}, input on {input.device}; "
            "they must be on one device, use to()"
        )
    return given.detach()


def _numbers_met(
    drawn: Tensor, space: Sequence[int], taps: tuple[int, ...], places: tuple[int, ...]
) -> Tensor:
    """[n, channels, *places, elements]: the numbers in the plane of what each window meets."""
    dims = len(space)
    numbers = _engine.zeros((), dtype=_engine.int64, device=drawn.device)
    for d in range(dims):
        first = _firsts(drawn[..., d], space[d], taps[d], places[d])
        at = first.unsqueeze(-1) + _engine.arange(taps[d], device=drawn.device)
        form = [1] * (2 * dims)
        form[d], form[dims + d] = places[d], taps[d]
        numbers = numbers + at.reshape(*drawn.shape[:2], *form) * prod(space[d + 1 :])
    return numbers.reshape(*drawn.shape[:2], *places, prod(taps))


def _firsts(drawn: Tensor, size: int, taps: int, places: int) -> Tensor:
    """[n, channels, places]: where each window begins."""
    begin = _engine.arange(places, dtype=drawn.dtype, device=drawn.device)
    share = drawn.unsqueeze(-1)
    slope = (size - taps) / (places - 1) if places > 1 else 0.0
    first = ((begin + share) * slope).long() - (share * slope).long()
    first[..., -1] = size - taps
    return first


all_overridable(globals())
