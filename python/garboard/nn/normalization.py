"""Layers that bring slices to mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from garboard import _check as check
from garboard._engine import Tensor, empty, layer_norm
from garboard._texts import settings, told
from garboard.nn import init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["LayerNorm"]


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

    weight: Parameter | None
    bias: Parameter | None

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
        has_bias = check.flag("LayerNorm", "bias", bias) and self.elementwise_affine
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
        rest = settings(eps=self.eps, elementwise_affine=self.elementwise_affine)
        return f"{told(self.normalized_shape)}, {rest}"
