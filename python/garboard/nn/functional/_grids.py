"""Planes sampled wherever a grid says, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.callers import level_of_caller
from garboard._arguments.overridable import all_overridable
from garboard._engine import DTypeError, ShapeError, Tensor

__all__ = ["affine_grid", "grid_sample"]

_Elements = Literal["nearest", "linear", "cubic"]
_MODES: dict[str, _Elements] = {"bilinear": "linear", "nearest": "nearest", "bicubic": "cubic"}


def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: Literal["zeros", "border", "reflection"] = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Sample planes wherever a grid says.

    The grid's numbers go from -1 to 1 along each dim of space, the last one first. Each place is
    the nearest element, a mix of the two around it along each dim, or of the four by cubic
    convolution with a = -0.75. For warped images (Jaderberg et al., "Spatial transformer networks",
    arXiv:1506.02025) and for deformations.

    Args:
        input: Tensor [n, channels, height, width], or with a depth before the height, floating.
        grid: [n, rows, columns, 2], or [n, sheets, rows, columns, 3], of its dtype.
        mode: "bilinear", which is trilinear where there is a depth, "nearest", or "bicubic".
        padding_mode: What lies beyond the edges: zeros, the element at the border, or the plane's
            reflection.
        align_corners: -1 and 1 are the middles of the outermost elements, not their outer edges.
            Left out, it is False, with a warning: it was True in PyTorch once.

    Returns:
        A new tensor [n, channels, *places]. Until backward the graph keeps the grid, and `input`
        where the grid learns.

    Raises:
        ShapeError: The sizes do not fit, or the mode is for fewer dims.
        DTypeError: `input` is not floating, or the dtypes differ.
        ValueError: There is no such mode.
        GradientError: A gradient is differentiated again.
        DisposedError: A tensor is disposed.

    >>> x = gb.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> middle = gb.zeros(1, 1, 1, 2)
    >>> gb.nn.functional.grid_sample(x, middle, align_corners=False)
    tensor([[[[2.5000]]]])
    """
    op = "grid_sample"
    elements = _MODES[check.choice(op, "mode", mode, *_MODES)]
    beyond = check.choice(op, "padding_mode", padding_mode, "zeros", "border", "reflection")
    aligns = _aligns(op, align_corners)
    return _engine._grid_sample(input, grid, elements, beyond, aligns)


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Make the grid of an affine map: what `grid_sample` takes.

    Args:
        theta: [n, 2, 3] or [n, 3, 4], floating: of each sample a matrix and, as its last column,
            where the middle goes.
        size: What is sampled then: [n, channels, height, width], or with a depth.
        align_corners: As for `grid_sample`.

    Returns:
        A new tensor [n, height, width, 2], or [n, depth, height, width, 3]. Until backward the
        graph keeps three or four numbers a place.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: `theta` is not floating.
        TypeError: A size is no integer.
        DisposedError: `theta` is disposed.

    >>> stays = gb.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> gb.nn.functional.affine_grid(stays, (1, 1, 1, 2), align_corners=True)
    tensor([[[[-1.,  0.],
              [ 1.,  0.]]]])
    """
    op = "affine_grid"
    if not check.tensor(op, "theta", theta).is_floating_point():
        raise DTypeError(f"{op}: theta of dtype {theta.dtype}; a floating one is needed")
    sizes = check.sizes(op, "size", size)
    aligns = _aligns(op, align_corners)
    dims = len(sizes) - 2
    if dims not in (2, 3) or theta.shape != (sizes[0], dims, dims + 1) or min(sizes) < 1:
        raise ShapeError(
            f"{op}: theta of sizes {theta.shape}, size {sizes}; [n, 2, 3] and [n, channels, "
            "height, width], or [n, 3, 4] and one with a depth, are needed"
        )
    space = sizes[2:]
    columns = []
    for d in reversed(range(dims)):  # of the last size first
        line = _line(space[d], aligns, theta)
        columns.append(line.view([-1 if i == d else 1 for i in range(dims)]).expand(space))
    ones = _engine.ones(space, dtype=theta.dtype, device=theta.device)
    places = _engine.stack([*columns, ones], -1).view(-1, dims + 1)
    return (places @ theta.transpose(1, 2)).view(sizes[0], *space, dims)


def _aligns(op: str, align_corners: bool | None) -> bool:
    if align_corners is None:
        warn(
            f"{op}: align_corners is left out, and so is False, which PyTorch before 1.3 took for "
            "True; say which is meant",
            stacklevel=level_of_caller(),
        )
        return False
    return check.flag(op, "align_corners", align_corners)


def _line(places: int, aligns: bool, like: Tensor) -> Tensor:
    """So many places between -1 and 1: the middles of as many elements, or both ends too."""
    if places == 1:
        return _engine.zeros(1, dtype=like.dtype, device=like.device)
    line = _engine.linspace(-1, 1, places, dtype=like.dtype, device=like.device)
    return line if aligns else line * (places - 1) / places  # rounded as PyTorch rounds


all_overridable(globals())
