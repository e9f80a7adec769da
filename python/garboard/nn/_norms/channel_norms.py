"""Layers that bring channels to mean 0 and variance 1, and keep running statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import ShapeError, Tensor, int64, ones, zeros
from garboard.nn import functional, init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
]


class _ChannelNorm(Module):
    """What both kinds share: parameters, running statistics, settings."""

    # How many dims an input has, and how messages write that.
    _dims: ClassVar[tuple[int, ...]] = ()
    _sizes: ClassVar[str] = ""

    _version = 2

    # None unless affine, and unless running statistics are tracked
    weight: Parameter | Any
    bias: Parameter | Any
    running_mean: Tensor | Any
    running_var: Tensor | Any
    num_batches_tracked: Tensor | Any

    def __init__(
        self,
        num_features: int | None,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        bias: bool = True,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        is_unused = num_features is None and not affine and not track_running_stats
        count = 0 if is_unused else check.size(name, "num_features", num_features)
        self.num_features: int | Any = None if is_unused else count
        self.eps: float = check.rate(name, "eps", eps)
        if momentum is not None:
            check.real(name, "momentum", momentum)
        self.momentum: float | None = momentum
        self.affine: bool = check.flag(name, "affine", affine)
        self.track_running_stats: bool = check.flag(
            name, "track_running_stats", track_running_stats
        )
        has_bias = check.has(name, "bias", bias) and self.affine
        for one, made, is_there in (("weight", ones, self.affine), ("bias", zeros, has_bias)):
            given = Parameter(made(count, dtype=dtype, device=device)) if is_there else None
            self.register_parameter(one, given)
        is_tracked = self.track_running_stats
        for one, made in (("running_mean", zeros), ("running_var", ones)):
            self.register_buffer(
                one, made(count, dtype=dtype, device=device) if is_tracked else None
            )
        batches = zeros((), dtype=int64, device=device) if is_tracked else None
        self.register_buffer("num_batches_tracked", batches)

    def reset_running_stats(self) -> None:
        """Forget what batches have been seen.

        >>> layer = gb.nn.BatchNorm1d(2)
        >>> _ = layer(gb.ones(3, 2))
        >>> layer.reset_running_stats()
        >>> layer.running_mean
        tensor([0., 0.])
        """
        if self.running_mean is not None and self.running_var is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Forget what has been learned and seen.

        >>> layer = gb.nn.BatchNorm1d(2)
        >>> layer.reset_parameters()
        >>> layer.weight.tolist(), layer.bias.tolist()
        ([1.0, 1.0], [0.0, 0.0])
        """
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        name = type(self).__name__
        if not self._dims:
            raise NotImplementedError(
                f"{name}: _check_input_dim() is missing; a subclass that is called defines it"
            )
        if check.tensor(name, "input", input).ndim not in self._dims:
            raise ShapeError(
                f"{name}: an input of sizes {list(input.shape)}; {self._sizes} is needed"
            )

    def _complete_state(self, state: dict[str, Any], prefix: str, notes: dict[str, Any]) -> None:
        version = notes.get("version")
        is_counted = isinstance(version, int) and version >= 2
        if self.num_batches_tracked is not None and not is_counted:
            state.setdefault(f"{prefix}num_batches_tracked", self.num_batches_tracked)

    def extra_repr(self) -> str:
        return f"{self.num_features}, " + settings(
            eps=self.eps,
            momentum=self.momentum,
            affine=self.affine,
            bias=self.bias is not None,
            track_running_stats=self.track_running_stats,
        )


class _BatchNorm(_ChannelNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        step = 0.0 if self.momentum is None else self.momentum
        is_untracked = self.training and not self.track_running_stats
        if self.training and self.num_batches_tracked is not None and not is_untracked:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                step = 1 / self.num_batches_tracked.item()
        return functional.batch_norm(
            input,
            None if is_untracked else self.running_mean,
            None if is_untracked else self.running_var,
            self.weight,
            self.bias,
            self.training or self.running_mean is None,
            step,
            self.eps,
        )

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class _InstanceNorm(_ChannelNorm):
    def _get_no_batch_dim(self) -> int:
        """How many dims an input without rows has; 0 where there is none."""
        return self._dims[0] if self._dims else 0

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        is_alone = input.ndim == self._get_no_batch_dim()
        normal = functional.instance_norm(
            input.unsqueeze(0) if is_alone else input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return normal.squeeze(0) if is_alone else normal

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class BatchNorm1d(_BatchNorm):
    """Bring each feature to mean 0 and variance 1.

    (x - mean) / sqrt(var + eps) * weight + bias, mean and variance over all rows and places
    (Ioffe and Szegedy, arXiv:1502.03167). Training moves `running_mean` and `running_var` towards
    those of the batch, by `momentum`; after `eval()` they are used.

    Args:
        num_features: How many channels there are.
        eps: What is added to the variance.
        momentum: How far the running ones move; None lets them be the mean of all batches.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: False keeps none, and always uses those of the batch.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, an input other than
            [rows, features] or [rows, features, length].
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.BatchNorm1d(1)(gb.tensor([[1.0], [3.0]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    _dims = (
        2,
        3,
    )
    _sizes = "[rows, features] or [rows, features, length]"


class BatchNorm2d(_BatchNorm):
    """Bring each channel of images to mean 0 and variance 1.

    (x - mean) / sqrt(var + eps) * weight + bias, mean and variance over all rows and places
    (Ioffe and Szegedy, arXiv:1502.03167). Training moves `running_mean` and `running_var` towards
    those of the batch, by `momentum`; after `eval()` they are used.

    Args:
        num_features: How many channels there are.
        eps: What is added to the variance.
        momentum: How far the running ones move; None lets them be the mean of all batches.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: False keeps none, and always uses those of the batch.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, an input other than
            [rows, channels, height, width].
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.BatchNorm2d(1)(gb.tensor([[[[1.0, 3.0]]]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    _dims = (4,)
    _sizes = "[rows, channels, height, width]"


class BatchNorm3d(_BatchNorm):
    """Bring each channel of volumes to mean 0 and variance 1.

    (x - mean) / sqrt(var + eps) * weight + bias, mean and variance over all rows and places
    (Ioffe and Szegedy, arXiv:1502.03167). Training moves `running_mean` and `running_var` towards
    those of the batch, by `momentum`; after `eval()` they are used.

    Args:
        num_features: How many channels there are.
        eps: What is added to the variance.
        momentum: How far the running ones move; None lets them be the mean of all batches.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: False keeps none, and always uses those of the batch.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, an input other than
            [rows, channels, depth, height, width].
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.BatchNorm3d(1)(gb.tensor([[[[[1.0, 3.0]]]]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    _dims = (5,)
    _sizes = "[rows, channels, depth, height, width]"


class InstanceNorm1d(_InstanceNorm):
    """Bring each channel of each row to mean 0 and variance 1, over its length.

    (x - mean) / sqrt(var + eps) * weight + bias (Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022).

    Args:
        num_features: How many channels there are; None will do where nothing is learned or kept.
        eps: What is added to the variance.
        momentum: How far the running statistics move.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: Keep running statistics, which are used after `eval()`.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, an input other than
            [rows, features, length], or without rows.
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.InstanceNorm1d(1)(gb.tensor([[[1.0, 3.0]]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    _dims = (
        2,
        3,
    )
    _sizes = "[rows, features, length], or without rows,"


class InstanceNorm2d(_InstanceNorm):
    """Bring each channel of each row to mean 0 and variance 1, over its places.

    (x - mean) / sqrt(var + eps) * weight + bias (Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022).

    Args:
        num_features: How many channels there are; None will do where nothing is learned or kept.
        eps: What is added to the variance.
        momentum: How far the running statistics move.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: Keep running statistics, which are used after `eval()`.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, an input other than
            [rows, channels, height, width], or without rows.
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.InstanceNorm2d(1)(gb.tensor([[[[1.0, 3.0]]]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    _dims = (
        3,
        4,
    )
    _sizes = "[rows, channels, height, width], or without rows,"


class InstanceNorm3d(_InstanceNorm):
    """Bring each channel of each row to mean 0 and variance 1, over its places.

    (x - mean) / sqrt(var + eps) * weight + bias (Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022).

    Args:
        num_features: How many channels there are; None will do where nothing is learned or kept.
        eps: What is added to the variance.
        momentum: How far the running statistics move.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        track_running_stats: Keep running statistics, which are used after `eval()`.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, an input other than
            [rows, channels, depth, height, width], or without rows.
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.InstanceNorm3d(1)(gb.tensor([[[[[1.0, 3.0]]]]])).flatten().round().tolist()
    [-1.0, 1.0]
    """

    _dims = (
        4,
        5,
    )
    _sizes = "[rows, channels, depth, height, width], or without rows,"
