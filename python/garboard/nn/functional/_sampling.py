"""Planes at other sizes, as functions: sampled, shuffled, taken apart into windows."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite
from typing import Any, Literal

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import ShapeError, Tensor
from garboard.nn._windows import each_dim

__all__ = [
    "channel_shuffle",
    "interpolate",
    "pixel_shuffle",
    "pixel_unshuffle",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
]

_Elements = Literal["nearest", "nearest-exact", "linear", "cubic"]
# How many elements a place is made of, and of how many dims of space.
_MODES: dict[str, tuple[_Elements, tuple[int, ...]]] = {
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
    processing", 1981); 'area' is the mean of its share.

    Args:
        input: Tensor [n, channels, *sizes] of one to three dims of space, float32 or float64.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many, likewise, rounded down.
        mode: 'nearest', 'nearest-exact', 'area'; 'linear' of one dim, 'bilinear' or 'bicubic' of
            two, 'trilinear' of three.
        align_corners: Keep the outermost elements where they are, instead of the edges; for the
            modes that mix elements.
        recompute_scale_factor: Work out the step from both sizes, not from `scale_factor`.
        antialias: False alone.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is neither.
        ValueError: There is no such mode, or settings that contradict each other.
        TypeError: A setting of a wrong type.
        DisposedError: `input` is disposed.

    >>> gb.nn.functional.interpolate(gb.tensor([[[1.0, 3.0]]]), scale_factor=2, mode="linear")
    tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    op = "interpolate"
    mode = check.choice(op, "mode", mode, *_MODES)
    elements, possible = _MODES[mode]
    dims = check.tensor(op, "input", input).ndim - 2
    if dims not in possible:
        needed = " or ".join(str(one) for one in possible)
        raise ShapeError(
            f"{op}: mode {shown(mode)}, input of sizes {input.shape}; [n, channels, *sizes] with "
            f"{needed} dims of space is needed"
        )
    mixes = elements in ("linear", "cubic")
    if align_corners is not None and not mixes:
        raise ValueError(f"{op}: align_corners with mode {shown(mode)}; leave it out")
    if antialias:
        raise ValueError(f"{op}: antialias; sample without, or use mode 'area' to shrink")
    sizes, factors = _sizes(op, input.shape[2:], size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError(f"{op}: recompute_scale_factor with size; leave it out")
    if mode == "area":
        return _engine._adaptive_avg_pool(input, dims, sizes)
    aligns = bool(align_corners)
    dtype, is_half = input.dtype, input.dtype in (_engine.float16, _engine.bfloat16)
    made = input.float() if is_half else input  # rounded once, not dim by dim
    for d in range(dims):
        old, new = input.shape[d + 2], sizes[d]
        if elements == "linear" and old == new > 0:
            continue  # as it is, for 0 * NaN of the next element is NaN
        if aligns and mixes:
            step = (old - 1) / (new - 1) if new > 1 else 0.0
        elif factors is not None and not recompute_scale_factor:
            step = 1 / factors[d]
        else:
            step = old / new if new else 1.0
        made = _engine._resample(made, d + 2, new, elements, aligns, step)
    if is_half:
        return made.to(dtype)
    return made.clone() if made is input else made


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Sample the dims of space at other sizes: an older name of `interpolate`.

    Args:
        input: Tensor [n, channels, *sizes] of one to three dims of space, float32 or float64.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.
        mode: As for `interpolate`.
        align_corners: Likewise.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is neither.
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
        input: Tensor [n, channels, *sizes] of one to three dims of space, float32 or float64.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is neither.
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
        input: Tensor [n, channels, height, width], float32 or float64.
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.

    Returns:
        A new tensor. The graph keeps no tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `input` is neither.
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
        raise ValueError(f"{op}: one of size and scale_factor is needed")
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
