"""Windows of images side by side, and images put together from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._engine import ShapeError, Tensor
from garboard.nn._convolutions._windows import each_dim

__all__ = ["fold", "unfold"]

_Numbers = int | Sequence[int]


class _Windows:
    """Where windows lie in images of some sizes."""

    def __init__(
        self, op: str, sizes: Sequence[int], kernel: Any, dilation: Any, padding: Any, stride: Any
    ) -> None:
        self.kernel = each_dim(op, "kernel_size", kernel, 2, least=1)
        self.padding = each_dim(op, "padding", padding, 2)
        self.dilation = each_dim(op, "dilation", dilation, 2, least=1)
        self.stride = each_dim(op, "stride", stride, 2, least=1)
        self.padded = [size + 2 * more for size, more in zip(sizes, self.padding, strict=True)]
        reach = [
            step * (taps - 1) + 1 for step, taps in zip(self.dilation, self.kernel, strict=True)
        ]
        self.places = [
            (size - width) // step + 1
            for size, width, step in zip(self.padded, reach, self.stride, strict=True)
        ]
        if min(self.places) < 1:
            raise ShapeError(
                f"{op}: images of sizes {list(sizes)} with padding {self.padding}; at least "
                f"{reach} are needed for one window"
            )

    def numbers(self, d: int, like: Tensor) -> Tensor:
        """Where the elements of a dim come from: of each tap in turn, one for each window."""
        steps = _engine.arange(self.places[d], device=like.device) * self.stride[d]
        taps = _engine.arange(self.kernel[d], device=like.device) * self.dilation[d]
        return (taps.unsqueeze(1) + steps).flatten()


def _images(op: str, input: Tensor, dims: int, needed: str) -> Tensor:
    """The input with rows, which it may lack."""
    if check.tensor(op, "input", input).ndim not in (dims - 1, dims):
        raise ShapeError(f"{op}: an input of sizes {list(input.shape)}; {needed} is needed")
    return input if input.ndim == dims else input.unsqueeze(0)


def unfold(
    input: Tensor,
    kernel_size: _Numbers,
    dilation: _Numbers = 1,
    padding: _Numbers = 0,
    stride: _Numbers = 1,
) -> Tensor:
    """Take images apart into windows, the columns of the result.

    Args:
        input: Tensor [n, channels, height, width], or without n, of a dtype that `index_select`
            takes.
        kernel_size: The windows' sizes: a number, or one a dim.
        dilation: How far apart their elements are.
        padding: How many zeros stand around the image on each side.
        stride: How far apart the windows are.

    Returns:
        A new tensor [n, channels * elements of a window, windows], or without n. The graph keeps
        where the elements came from.

    Raises:
        ShapeError: The sizes do not fit.
        TypeError: A number that is no integer.

    >>> gb.nn.functional.unfold(gb.arange(9.0).reshape(1, 1, 3, 3), 2)[0, :, 0]
    tensor([0., 1., 3., 4.])
    """
    op = "unfold"
    images = _images(op, input, 4, "[n, channels, height, width], or without n,")
    n, channels = images.shape[:2]
    windows = _Windows(op, images.shape[2:], kernel_size, dilation, padding, stride)
    down, across = windows.padding
    if down or across:
        images = _engine.pad(images, (across, across, down, down))
    for d in (0, 1):
        images = images.index_select(2 + d, windows.numbers(d, images))
    (tall, wide), (rows, columns) = windows.kernel, windows.places
    apart = images.reshape(n, channels, tall, rows, wide, columns).permute(0, 1, 2, 4, 3, 5)
    made = apart.reshape(n, channels * tall * wide, rows * columns)
    return made if input.ndim == 4 else made.squeeze(0)


def fold(
    input: Tensor,
    output_size: _Numbers,
    kernel_size: _Numbers,
    dilation: _Numbers = 1,
    padding: _Numbers = 0,
    stride: _Numbers = 1,
) -> Tensor:
    """Put windows together to images; elements that lie on each other are added.

    Args:
        input: Tensor [n, channels * elements of a window, windows], or without n, as `unfold`
            returns it.
        output_size: The images' sizes: a number, or one a dim.
        kernel_size: The windows' sizes, likewise.
        dilation: How far apart their elements are.
        padding: How much around the images is cut off on each side.
        stride: How far apart the windows are.

    Returns:
        A new tensor [n, channels, *output_size], or without n. The graph keeps where the elements
        went to.

    Raises:
        ShapeError: The sizes do not fit, or there are more or fewer windows.
        TypeError: A number that is no integer.

    >>> gb.nn.functional.fold(gb.ones(1, 4, 4), 3, 2).tolist()
    [[[[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]]]
    """
    op = "fold"
    columns = _images(op, input, 3, "[n, channels * elements of a window, windows], or without n,")
    sizes = each_dim(op, "output_size", output_size, 2, least=1)
    windows = _Windows(op, sizes, kernel_size, dilation, padding, stride)
    (tall, wide), (down, across) = windows.kernel, windows.places
    n, height, width = columns.shape
    if height % (tall * wide) or width != down * across:
        raise ShapeError(
            f"{op}: an input of sizes {list(input.shape)}; windows of {tall * wide} elements for "
            f"each channel, {down * across} of them, are needed"
        )
    channels = height // (tall * wide)
    apart = columns.reshape(n, channels, tall, wide, down, across).permute(0, 1, 2, 4, 3, 5)
    made = apart.reshape(n, channels, tall * down, wide * across)
    for d in (0, 1):
        added = list(made.shape)
        added[2 + d] = windows.padded[d]
        nothing = _engine.zeros(added, dtype=made.dtype, device=made.device)
        made = nothing.index_add(2 + d, windows.numbers(d, made), made)
    for d in (0, 1):
        if windows.padding[d]:
            made = made.narrow(2 + d, windows.padding[d], sizes[d])
    return made if input.ndim == 3 else made.squeeze(0)


all_overridable(globals())
