"""Norms of channels that learn how many there are from the first input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._engine import ones, zeros
from garboard.nn._lazy_layers._unmade import Lazy
from garboard.nn._norms.channel_norms import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = [
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _LazyChannelNorm(Lazy):
    _waiting = ("weight", "bias", "running_mean", "running_var")

    if TYPE_CHECKING:
        num_features: int

    def _begin(self, size: int) -> None:
        self.num_features = size
        self._make("weight", size, fill=ones)
        self._make("bias", size, fill=zeros)
        self._make("running_mean", size, fill=zeros)
        self._make("running_var", size, fill=ones)


class LazyBatchNorm1d(_LazyChannelNorm, BatchNorm1d):
    """`BatchNorm1d`, which finds out `num_features` when it is called first, and is one then.

    Args:
        eps: What is added to the variance.
        momentum: How much of each batch goes into the running statistics; None counts all alike.
        affine: Learn a weight and a bias.
        track_running_stats: Keep running statistics.
        device: Where parameters and buffers will lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: False leaves the bias out.

    Raises:
        ValueError: A negative `eps`.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.

    >>> layer = gb.nn.LazyBatchNorm1d()
    >>> layer(gb.ones(2, 3, 5)).shape
    (2, 3, 5)
    >>> layer.num_features
    3
    """

    _becomes = BatchNorm1d
    _dim = 1

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()


class LazyBatchNorm2d(_LazyChannelNorm, BatchNorm2d):
    """`BatchNorm2d`, which finds out `num_features` when it is called first, and is one then.

    Args:
        eps: What is added to the variance.
        momentum: How much of each batch goes into the running statistics; None counts all alike.
        affine: Learn a weight and a bias.
        track_running_stats: Keep running statistics.
        device: Where parameters and buffers will lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: False leaves the bias out.

    Raises:
        ValueError: A negative `eps`.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.

    >>> layer = gb.nn.LazyBatchNorm2d()
    >>> layer(gb.ones(2, 3, 5, 5)).shape
    (2, 3, 5, 5)
    >>> layer.num_features
    3
    """

    _becomes = BatchNorm2d
    _dim = 1

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()


class LazyBatchNorm3d(_LazyChannelNorm, BatchNorm3d):
    """`BatchNorm3d`, which finds out `num_features` when it is called first, and is one then.

    Args:
        eps: What is added to the variance.
        momentum: How much of each batch goes into the running statistics; None counts all alike.
        affine: Learn a weight and a bias.
        track_running_stats: Keep running statistics.
        device: Where parameters and buffers will lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: False leaves the bias out.

    Raises:
        ValueError: A negative `eps`.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.

    >>> layer = gb.nn.LazyBatchNorm3d()
    >>> layer(gb.ones(2, 3, 5, 5, 5)).shape
    (2, 3, 5, 5, 5)
    >>> layer.num_features
    3
    """

    _becomes = BatchNorm3d
    _dim = 1

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()


class LazyInstanceNorm1d(_LazyChannelNorm, InstanceNorm1d):
    """`InstanceNorm1d`, which finds out `num_features` when it is called first, and is one then.

    Args:
        eps: What is added to the variance.
        momentum: How much of each batch goes into the running statistics.
        affine: Learn a weight and a bias.
        track_running_stats: Keep running statistics.
        device: Where parameters and buffers will lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: False leaves the bias out.

    Raises:
        ValueError: A negative `eps`.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.

    >>> layer = gb.nn.LazyInstanceNorm1d()
    >>> layer(gb.ones(2, 3, 5)).shape
    (2, 3, 5)
    >>> layer.num_features
    3
    """

    _becomes = InstanceNorm1d
    _dim = -2

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()


class LazyInstanceNorm2d(_LazyChannelNorm, InstanceNorm2d):
    """`InstanceNorm2d`, which finds out `num_features` when it is called first, and is one then.

    Args:
        eps: What is added to the variance.
        momentum: How much of each batch goes into the running statistics.
        affine: Learn a weight and a bias.
        track_running_stats: Keep running statistics.
        device: Where parameters and buffers will lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: False leaves the bias out.

    Raises:
        ValueError: A negative `eps`.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.

    >>> layer = gb.nn.LazyInstanceNorm2d()
    >>> layer(gb.ones(2, 3, 5, 5)).shape
    (2, 3, 5, 5)
    >>> layer.num_features
    3
    """

    _becomes = InstanceNorm2d
    _dim = -3

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()


class LazyInstanceNorm3d(_LazyChannelNorm, InstanceNorm3d):
    """`InstanceNorm3d`, which finds out `num_features` when it is called first, and is one then.

    Args:
        eps: What is added to the variance.
        momentum: How much of each batch goes into the running statistics.
        affine: Learn a weight and a bias.
        track_running_stats: Keep running statistics.
        device: Where parameters and buffers will lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: False leaves the bias out.

    Raises:
        ValueError: A negative `eps`.
        TypeError: A setting of a wrong type.
        ShapeError: When called, sizes that do not fit.

    >>> layer = gb.nn.LazyInstanceNorm3d()
    >>> layer(gb.ones(2, 3, 5, 5, 5)).shape
    (2, 3, 5, 5, 5)
    >>> layer.num_features
    3
    """

    _becomes = InstanceNorm3d
    _dim = -4

    def __init__(
        self,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self._wait()
