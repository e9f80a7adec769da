"""Planes at other sizes, as functions: sampled, shuffled, taken apart into windows."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, RankError
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._contexts.autocasting import as_listed, count_of_blocks
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard.nn._convolutions._windows import each_dim
from garboard.nn.functional._resampling import (
    Elements,
    bands,
    nearest_elements,
    of_bytes,
    smoothed,
)

__all__ = [
    "channel_shuffle",
    "interpolate",
    "pixel_shuffle",
    "pixel_unshuffle",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

# How many elements a place is made of, and of how many dims of space.
_MODES: dict[str, tuple[Elements, tuple[int, ...]]] = {
    "nearest": ("nearest", (1, 2, 3)),
    "nearest-exact": ("nearest-exact", (1, 2, 3)),
    "linear": ("linear", (1,)),
    "bilinear": ("linear", (2,)),
    "trilinear": ("linear", (3,)),
    "bicubic": ("cubic", (2,)),
    "area": ("nearest", (1, 2, 3)),
}


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Sample the dims of space at other sizes.

    Each place is the nearest element, a mix of the two around it along each dim, or of the four by
    cubic convolution with a = -0.75 (Keys, "Cubic convolution interpolation for digital image
    processing", 1981); 'area' is the mean of its share. Integers are taken in the nearest modes,
    and uint8 in the modes of two dims too, whose results are rounded dim by dim.

    Args:
        input: Tensor [n, channels, *sizes] of one to three dims of space.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many, likewise, rounded down.
        mode: 'nearest', 'nearest-exact', 'area'; 'linear' of one dim, 'bilinear' or 'bicubic' of
            two, 'trilinear' of three.
        align_corners: Keep the outermost elements where they are, instead of the edges; for the
            modes that mix elements.
        recompute_scale_factor: Work out the step from both sizes, not from `scale_factor`.
        antialias: Where it shrinks, let each place mix all elements of its share, weighed by a
            triangle, or by the cubic with a = -0.5; of 'bilinear' and 'bicubic'.

    Returns:
        A new tensor. The graph keeps no tensor but the weights of `antialias`.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The mode does not take this dtype.
        ValueError: There is no such mode, or settings that contradict each other.
        TypeError: A setting of a wrong type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.interpolate(gb.tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear")
    tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    if count_of_blocks():
        (input,) = as_listed("interpolate", input)
    op = "interpolate"
    mode = check.choice(op, "mode", mode, *_MODES)
    elements, possible = _MODES[mode]
    dims = check.tensor(op, "input", input).ndim - 2
    if dims not in possible:
        needed = " or ".join(str(one) for one in possible)
        raise RankError(
            f"{op}: mode {shown(mode)}, input of sizes {input.shape}; [n, channels, *sizes] with "
            f"{needed} dims of space is needed"
        )
    mixes = elements in ("linear", "cubic")
    if align_corners is not None and not mixes:
        raise ArgumentError(f"{op}: align_corners with mode {shown(mode)}; leave it out")
    is_wide = check.flag(op, "antialias", antialias)
    if is_wide and mode not in ("bilinear", "bicubic"):
        raise ArgumentError(
            f"{op}: antialias with mode {shown(mode)}; 'bilinear' or 'bicubic' is needed"
        )
    sizes, factors = _sizes(op, input.shape[2:], size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ArgumentError(f"{op}: recompute_scale_factor with size; leave it out")
    if mode == "area":
        return _engine._adaptive_avg_pool(input, dims, sizes)
    aligns = bool(align_corners)
    given: list[float | None] = [None] * dims
    if factors and not recompute_scale_factor:
        given = [*factors]
    if mode == "nearest" and dims == 2:  # of these sizes PyTorch's kernels take no other step
        old = input.shape[2:]
        given = [None if sizes[d] in (old[d], 2 * old[d]) else given[d] for d in range(2)]
    steps = [
        _step(old, sizes[d], aligns and mixes, given[d]) for d, old in enumerate(input.shape[2:])
    ]
    if not input.dtype.is_floating_point or is_wide:
        return _by_weights(op, input, sizes, steps, elements, aligns, is_wide)
    dtype, is_half = input.dtype, input.dtype in (_engine.float16, _engine.bfloat16)
    made = input.float() if is_half else input  # rounded once, not dim by dim
    for d, step in enumerate(steps):
        if elements == "linear" and input.shape[d + 2] == sizes[d] > 0:
            continue  # as it is, for 0 * NaN of the next element is NaN
        made = _engine._resample(made, d + 2, sizes[d], elements, aligns, step)
    if is_half:
        return made.to(dtype)
    return made.clone() if made is input else made


def _step(old: int, new: int, keeps_corners: bool, factor: float | None) -> float:
    """How many elements a place lies behind the one before."""
    if keeps_corners:
        return (old - 1) / (new - 1) if new > 1 else 0.0
    if factor:
        return 1 / factor
    return old / new if new else 1.0


def _by_weights(
    op: str,
    input: Tensor,
    sizes: tuple[int, ...],
    steps: list[float],
    elements: Elements,
    aligns: bool,
    is_wide: bool,
) -> Tensor:
    """Of integers, and of wide filters; the last dim first, which bytes are rounded after."""
    is_exact = elements.startswith("nearest")
    is_bytes = input.dtype == _engine.uint8 and len(sizes) == 2
    if not is_exact and not is_bytes and not input.dtype.is_floating_point:
        raise DTypeError(
            f"{op}: input of dtype {input.dtype}; a floating one is needed, or uint8 in a mode of "
            "two dims"
        )
    if min(sizes) < 1 or 0 in input.shape[1:]:
        raise ShapeError(
            f"{op}: sizes {[*input.shape]} to be sampled at {[*sizes]} places; at least 1 of all "
            "but n is needed"
        )
    with _engine.DisposeScope(op) as scope:
        wide = _engine.float64 if is_bytes and not is_exact else input.dtype
        made = input.float() if input.dtype.itemsize == 2 and not is_exact else input.to(wide)
        for d in reversed(range(len(sizes))):
            if is_exact:
                made = nearest_elements(made, d + 2, sizes[d], elements, steps[d])
                continue
            if input.shape[d + 2] == sizes[d]:
                continue
            given = bands(made, d + 2, sizes[d], elements, aligns, steps[d], is_wide)
            made = (of_bytes if is_bytes else smoothed)(made, d + 2, given)
        made = made.to(input.dtype)
        return scope.move_to_outer(made.clone() if made.data_ptr() == input.data_ptr() else made)


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Sample the dims of space at other sizes: an older name of `interpolate`.

    Args:
        input: Tensor [n, channels, *sizes] of one to three dims of space.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.
        mode: As for `interpolate`.
        align_corners: Likewise.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The mode does not take this dtype.
        ValueError: There is no such mode, or settings that contradict each other.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.upsample(gb.ones(1, 2, 4), scale_factor=2).shape
    (1, 2, 8)
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """Repeat elements along the dims of space: `interpolate` in the mode 'nearest'.

    Args:
        input: Tensor [n, channels, *sizes] of one to three dims of space.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The mode does not take this dtype.
        ValueError: Both of them, or none.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.upsample_nearest(gb.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
) -> Tensor:
    """Mix neighbours in planes, whose corners stay: `interpolate` in the mode 'bilinear'.

    Args:
        input: Tensor [n, channels, height, width], floating or uint8.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The mode does not take this dtype.
        ValueError: Both of them, or none.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.upsample_bilinear(gb.tensor([[[[1.0, 3.0]]]]), size=(1, 3))
    tensor([[[[1., 2., 3.]]]])
    """
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Deal channels out: those of one group go to places that are as far apart as there are groups.

    Zhang et al., "ShuffleNet", arXiv:1707.01083.

    Args:
        input: Tensor [n, channels, *sizes] of three dims or more, of any dtype.
        groups: How many groups of channels that follow each other there are.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: There are too few dims, or `groups` does not divide the channels.
        ValueError: `groups` is below 1.
        DisposedError: `input` is disposed.

    >>> x = gb.arange(4).view(1, 4, 1)
    >>> gb.nn.functional.channel_shuffle(x, 2).flatten().tolist()
    [0, 2, 1, 3]
    """
    op, count = "channel_shuffle", check.count("channel_shuffle", "groups", groups, 1)
    n, channels, *space = _planes(op, input)
    if channels % count:
        raise ShapeError(
            f"{op}: input of sizes {input.shape}, groups {count}; they must divide the {channels} "
            "channels"
        )
    apart = input.reshape(n, count, channels // count, *space)
    return apart.transpose(1, 2).reshape(n, channels, *space)


def _sizes(
    op: str, shape: tuple[int, ...], size: Any, scale_factor: Any
) -> tuple[tuple[int, ...], list[float] | None]:
    dims = len(shape)
    if (size is None) == (scale_factor is None):
        raise ArgumentError(f"{op}: one of size and scale_factor is needed")
    if size is not None:
        return each_dim(op, "size", size, dims), None
    given = list(scale_factor) if isinstance(scale_factor, (list, tuple)) else [scale_factor]
    factors = [check.worth(op, "scale_factor", one) for one in given]
    if len(factors) == 1:
        factors *= dims
    if len(factors) != dims or any(not (isfinite(one) and one > 0) for one in factors):
        told = ", ".join(shown(one) for one in factors)
        raise ShapeError(f"{op}: scale_factor {told}; one positive number, or {dims}, are needed")
    return tuple(floor(old * one) for old, one in zip(shape, factors, strict=True)), factors


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Spread channels over finer pixels: [..., c r^2, h, w] becomes [..., c, h r, w r].

    Shi et al., "Real-time single image and video super-resolution", arXiv:1609.05158.

    Args:
        input: Tensor of three dims or more, of any dtype.
        upscale_factor: r, at least 1.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: There are too few dims, or r^2 does not divide the channels.
        ValueError: `upscale_factor` is below 1.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.pixel_shuffle(gb.ones(8, 2, 3), 2).shape
    (2, 4, 6)
    """
    op, factor = "pixel_shuffle", check.count("pixel_shuffle", "upscale_factor", upscale_factor, 1)
    shape = _planes(op, input)
    *before, channels, high, wide = shape
    if channels % factor**2:
        raise ShapeError(
            f"{op}: input of sizes {shape}, upscale_factor {factor}; the {channels} channels must "
            f"be a multiple of {factor**2}"
        )
    n, kept = len(before), channels // factor**2
    apart = input.reshape(*before, kept, factor, factor, high, wide)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return apart.permute(*order).reshape(*before, kept, high * factor, wide * factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Gather pixels into channels: [..., c, h r, w r] becomes [..., c r^2, h, w].

    Args:
        input: Tensor of three dims or more, of any dtype.
        downscale_factor: r, at least 1.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: There are too few dims, or r does not divide the last two sizes.
        ValueError: `downscale_factor` is below 1.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.pixel_unshuffle(gb.ones(2, 4, 6), 2).shape
    (8, 2, 3)
    """
    op = "pixel_unshuffle"
    factor = check.count(op, "downscale_factor", downscale_factor, 1)
    shape = _planes(op, input)
    *before, channels, high, wide = shape
    if high % factor or wide % factor:
        raise ShapeError(
            f"{op}: input of sizes {shape}, downscale_factor {factor}; it must divide the last two "
            "sizes"
        )
    n, lower, narrower = len(before), high // factor, wide // factor
    apart = input.reshape(*before, channels, lower, factor, narrower, factor)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return apart.permute(*order).reshape(*before, channels * factor**2, lower, narrower)


def _planes(op: str, input: Tensor) -> tuple[int, ...]:
    shape = check.tensor(op, "input", input).shape
    if len(shape) < 3:
        raise ShapeError(f"{op}: input of sizes {shape}; [..., channels, height, width] is needed")
    return shape


all_overridable(globals())
