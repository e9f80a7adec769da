"""Products of two inputs with learned weights."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import ShapeError, Tensor, empty
from garboard.nn import functional, init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Bilinear"]


class Bilinear(Module):
    """Compute x1^T A_k x2 + b_k for each output k.

    Both parameters start uniformly within 1 / sqrt(in1_features) of zero, as PyTorch's do.

    Args:
        in1_features: Size of the first input's last dim.
        in2_features: Size of the second input's last dim.
        out_features: Size of the output's last dim.
        bias: Add a learned bias; `layer.bias` is None without.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size, or none of the first input's; when called, sizes that do not
            fit.
        TypeError: A setting of a wrong type.

    >>> gb.nn.Bilinear(3, 4, 2)(gb.ones(5, 3), gb.ones(5, 4)).shape
    (5, 2)
    """

    bias: Parameter | Any

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        name = "Bilinear"
        self.in1_features: int = check.size(name, "in1_features", in1_features)
        self.in2_features: int = check.size(name, "in2_features", in2_features)
        self.out_features: int = check.size(name, "out_features", out_features)
        if self.in1_features < 1:
            raise ShapeError(f"{name}: in1_features 0; 1 or more is needed")
        has_bias = check.has(name, "bias", bias)
        sizes = self.out_features, self.in1_features, self.in2_features
        self.weight: Parameter = Parameter(empty(*sizes, dtype=dtype, device=device))
        self.register_parameter(
            "bias",
            Parameter(empty(self.out_features, dtype=dtype, device=device)) if has_bias else None,
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw both parameters anew.

        >>> layer = gb.nn.Bilinear(4, 2, 1)
        >>> layer.reset_parameters()
        >>> layer.weight.abs().amax().item() <= 0.5
        True
        """
        bound = 1 / sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return functional.bilinear(input1, input2, self.weight, self.bias)

    if TYPE_CHECKING:

        def __call__(self, input1: Tensor, input2: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(
            in1_features=self.in1_features,
            in2_features=self.in2_features,
            out_features=self.out_features,
            bias=self.bias is not None,
        )
