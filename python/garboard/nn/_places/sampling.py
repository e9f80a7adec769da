"""Layers that sample planes at other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor
from garboard.nn.functional._sampling import (
    channel_shuffle,
    interpolate,
    pixel_shuffle,
    pixel_unshuffle,
)
from garboard.nn.module import Module

__all__ = [
    "ChannelShuffle",
    "PixelShuffle",
    "PixelUnshuffle",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
]


class Upsample(Module):
    """Sample the dims of space at other sizes: `functional.interpolate` as a layer.

    Args:
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.
        mode: 'nearest', 'linear', 'bilinear', 'bicubic' or 'trilinear', by the dims of space.
        align_corners: Keep the outermost elements where they are, for modes that mix elements.
        recompute_scale_factor: Work out the step from both sizes.

    Raises:
        ShapeError: When called, sizes that do not fit.
        ValueError: When called, settings that contradict each other.

    >>> gb.nn.Upsample(scale_factor=2, mode="bilinear")(gb.ones(1, 2, 3, 4)).shape
    (1, 2, 6, 8)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size: Any = None if size is None else check.sizes("Upsample", "size", size)
        if self.size is not None and not isinstance(size, (list, tuple)):
            self.size = self.size[0]
        factor = scale_factor
        if isinstance(factor, (list, tuple)):
            factor = tuple(float(check.worth("Upsample", "scale_factor", it)) for it in factor)
        elif factor is not None:
            factor = check.worth("Upsample", "scale_factor", factor)
        self.scale_factor: Any = factor
        self.mode: str = check.text("Upsample", "mode", mode)
        self.align_corners: bool | None = align_corners
        self.recompute_scale_factor: bool | None = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        return interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        if self.scale_factor is not None:
            return settings(scale_factor=self.scale_factor, mode=self.mode)
        return settings(size=self.size, mode=self.mode)


class UpsamplingNearest2d(Upsample):
    """Repeat elements of planes: `Upsample` in the mode 'nearest'.

    Args:
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.

    Raises:
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.UpsamplingNearest2d(scale_factor=2)(gb.ones(1, 2, 3, 4)).shape
    (1, 2, 6, 8)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Mix neighbours in planes, whose corners stay: `Upsample` in the mode 'bilinear'.

    Args:
        size: How many places: a number, or one a dim.
        scale_factor: Or how many times as many.

    Raises:
        ShapeError: When called, sizes that do not fit.

    >>> gb.nn.UpsamplingBilinear2d(scale_factor=2)(gb.ones(1, 2, 3, 4)).shape
    (1, 2, 6, 8)
    """

    def __init__(
        self,
        size: int | Sequence[int] | None = None,
        scale_factor: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)


class ChannelShuffle(Module):
    """Deal channels out: those of one group go to places as far apart as there are groups.

    Args:
        groups: How many groups of channels that follow each other there are.

    Raises:
        ShapeError: When called, channels that `groups` does not divide.
        ValueError: A number below 1.

    >>> gb.nn.ChannelShuffle(2)(gb.arange(4).view(1, 4, 1)).flatten().tolist()
    [0, 2, 1, 3]
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups: int = check.count("ChannelShuffle", "groups", groups, 1)

    def forward(self, input: Tensor) -> Tensor:
        return channel_shuffle(input, self.groups)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(groups=self.groups)


class PixelShuffle(Module):
    """Spread channels over finer pixels: [..., c r^2, h, w] becomes [..., c, h r, w r].

    Args:
        upscale_factor: r, at least 1.

    Raises:
        ShapeError: When called, channels that r^2 does not divide.
        ValueError: A number below 1.

    >>> gb.nn.PixelShuffle(2)(gb.ones(8, 2, 3)).shape
    (2, 4, 6)
    """

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor: int = check.count("PixelShuffle", "upscale_factor", upscale_factor, 1)

    def forward(self, input: Tensor) -> Tensor:
        return pixel_shuffle(input, self.upscale_factor)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(upscale_factor=self.upscale_factor)


class PixelUnshuffle(Module):
    """Gather pixels into channels: [..., c, h r, w r] becomes [..., c r^2, h, w].

    Args:
        downscale_factor: r, at least 1.

    Raises:
        ShapeError: When called, sizes that r does not divide.
        ValueError: A number below 1.

    >>> gb.nn.PixelUnshuffle(2)(gb.ones(2, 4, 6)).shape
    (8, 2, 3)
    """

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        name = "PixelUnshuffle"
        self.downscale_factor: int = check.count(name, "downscale_factor", downscale_factor, 1)

    def forward(self, input: Tensor) -> Tensor:
        return pixel_unshuffle(input, self.downscale_factor)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(downscale_factor=self.downscale_factor)
