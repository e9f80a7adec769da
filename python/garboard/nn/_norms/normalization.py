"""Layers that bring slices to mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.texts import settings, told
from garboard._engine import ShapeError, Tensor, empty, layer_norm, ones, zeros
from garboard.nn import functional, init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class LayerNorm(Module):
    """Bring the last dims to mean 0 and variance 1, then scale and shift each element.

    (input - mean) / sqrt(variance + eps) * weight + bias, where the variance is divided by the
    count (Ba, Kiros and Hinton, "Layer normalization", arXiv:1607.06450). Backward keeps the
    storages of the input and the weight, and two numbers a slice.

    Args:
        normalized_shape: The sizes of the last dims, or the size of the last one.
        eps: What is added to the variance.
        elementwise_affine: Learn `weight`, ones at first, and `bias`; else both are None.
        bias: Learn `bias`, zeros at first; else it is None.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, an input whose last sizes are others.
        TypeError: A size that is no integer, an `eps` that is no number.
        ValueError: A negative `eps`.

    >>> gb.nn.LayerNorm(2)(gb.tensor([[1.0, 3.0], [10.0, 30.0]])).round().tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """

    weight: Parameter | Any  # or None
    bias: Parameter | Any  # or None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape: tuple[int, ...] = check.sizes(
            "LayerNorm", "normalized_shape", normalized_shape
        )
        self.eps: float = check.rate("LayerNorm", "eps", eps)
        self.elementwise_affine: bool = check.flag(
            "LayerNorm", "elementwise_affine", elementwise_affine
        )
        has_bias = check.has("LayerNorm", "bias", bias) and self.elementwise_affine
        for name, is_there in (("weight", self.elementwise_affine), ("bias", has_bias)):
            made = empty(*self.normalized_shape, dtype=dtype, device=device) if is_there else None
            self.register_parameter(name, None if made is None else Parameter(made))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros.

        >>> layer = gb.nn.LayerNorm(2)
        >>> layer.reset_parameters()
        >>> layer(gb.tensor([1.0, 3.0])).round().tolist()
        [-1.0, 1.0]
        """
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        has_bias = self.bias is not None
        rest = settings(eps=self.eps, elementwise_affine=self.elementwise_affine, bias=has_bias)
        return f"{told(self.normalized_shape)}, {rest}"


class GroupNorm(Module):
    """Bring each group of channels of each row to mean 0 and variance 1.

    (x - mean) / sqrt(var + eps) * weight + bias (Wu and He, arXiv:1803.08494).

    Args:
        num_groups: How many groups the channels make.
        num_channels: How many channels there are; `num_groups` divides it.
        eps: What is added to the variance.
        affine: Learn `weight`, ones at first, and `bias`, zeros; else both are None.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.
        bias: Learn `bias` where `affine`; else it is None.

    Raises:
        ShapeError: A negative size; when called, another number of channels.
        ValueError: Groups that do not divide the channels, or a negative `eps`.
        TypeError: An argument of another type.

    >>> gb.nn.GroupNorm(2, 4)(gb.tensor([[1.0, 3.0, 10.0, 30.0]])).round().tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """

    weight: Parameter | Any  # or None
    bias: Parameter | Any  # or None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_groups: int = check.count("GroupNorm", "num_groups", num_groups, 1)
        self.num_channels: int = check.size("GroupNorm", "num_channels", num_channels)
        if self.num_channels % self.num_groups:
            raise ValueError(
                f"GroupNorm: {self.num_channels} channels in {self.num_groups} groups; a number "
                "that divides them is needed"
            )
        self.eps: float = check.rate("GroupNorm", "eps", eps)
        self.affine: bool = check.flag("GroupNorm", "affine", affine)
        has_bias = check.has("GroupNorm", "bias", bias) and self.affine
        for name, made, is_there in (("weight", ones, self.affine), ("bias", zeros, has_bias)):
            given = made(self.num_channels, dtype=dtype, device=device) if is_there else None
            self.register_parameter(name, None if given is None else Parameter(given))

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros.

        >>> layer = gb.nn.GroupNorm(1, 2)
        >>> layer.reset_parameters()
        >>> layer.weight.tolist()
        [1.0, 1.0]
        """
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        sizes = check.tensor("GroupNorm", "input", input).shape
        if len(sizes) < 2 or sizes[1] != self.num_channels:
            raise ShapeError(
                f"GroupNorm: an input of sizes {list(sizes)}; [rows, {self.num_channels}, "
                "...] is needed"
            )
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        rest = settings(eps=self.eps, affine=self.affine, bias=self.bias is not None)
        return f"{self.num_groups}, {self.num_channels}, {rest}"


class RMSNorm(Module):
    """Bring the last dims to mean square 1, then scale each element.

    x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich, arXiv:1910.07467).

    Args:
        normalized_shape: The sizes of the last dims, or the size of the last one.
        eps: What is added to the mean; the dtype's own epsilon by default.
        elementwise_affine: Learn `weight`, ones at first; else it is None.
        device: Where the parameter lies, the CPU by default.
        dtype: Its dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, an input whose last sizes are others.
        TypeError: An argument of another type.
        ValueError: A negative `eps`.

    >>> gb.nn.RMSNorm(2)(gb.tensor([3.0, 3.0])).round().tolist()
    [1.0, 1.0]
    """

    weight: Parameter | Any  # or None

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape: tuple[int, ...] = check.sizes(
            "RMSNorm", "normalized_shape", normalized_shape
        )
        self.eps: float | None = None if eps is None else check.rate("RMSNorm", "eps", eps)
        self.elementwise_affine: bool = check.flag(
            "RMSNorm", "elementwise_affine", elementwise_affine
        )
        made = None
        if elementwise_affine:
            made = Parameter(ones(*self.normalized_shape, dtype=dtype, device=device))
        self.register_parameter("weight", made)

    def reset_parameters(self) -> None:
        """Set the weight to ones.

        >>> layer = gb.nn.RMSNorm(2)
        >>> layer.reset_parameters()
        >>> layer.weight.tolist()
        [1.0, 1.0]
        """
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return functional.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    if TYPE_CHECKING:

        def __call__(self, x: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        rest = settings(eps=self.eps, elementwise_affine=self.elementwise_affine)
        return f"{told(self.normalized_shape)}, {rest}"


class LocalResponseNorm(Module):
    """Divide each element by a power of the mean square of the channels around it.

    x / (k + alpha * mean)^beta (Krizhevsky et al., 2012).

    Args:
        size: How many channels are looked at.
        alpha: How much the mean counts.
        beta: The power.
        k: What is added.

    Raises:
        ValueError: A size below 1.
        TypeError: An argument of another type.
        ShapeError: When called, fewer than three dims.

    >>> gb.nn.LocalResponseNorm(1, alpha=3.0, beta=0.5)(gb.ones(1, 1, 1)).item()
    0.5
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        name = type(self).__name__
        self.size: int = check.count(name, "size", size, 1)
        self.alpha: float = check.real(name, "alpha", alpha)
        self.beta: float = check.real(name, "beta", beta)
        self.k: float = check.real(name, "k", k)

    def forward(self, input: Tensor) -> Tensor:
        return functional.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return f"{self.size}, " + settings(alpha=self.alpha, beta=self.beta, k=self.k)


class CrossMapLRN2d(LocalResponseNorm):
    """Divide each element of images by a power of the mean square of the channels around it.

    `LocalResponseNorm` under an older name, as files of old networks have it.

    Args:
        size: How many channels are looked at.
        alpha: How much the mean counts.
        beta: The power.
        k: What is added.

    Raises:
        ValueError: A size below 1.
        TypeError: An argument of another type.
        ShapeError: When called, fewer than three dims.

    >>> layer = gb.nn.CrossMapLRN2d(1, alpha=3.0, beta=0.5)
    >>> layer(gb.ones(1, 1, 1, 1)).item()
    0.5
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)
