"""The affine layer, and the one that does nothing."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor, empty, linear
from garboard.nn import init
from garboard.nn.module import Module
from garboard.nn.parameter import Parameter

if TYPE_CHECKING:
    from garboard.types import Device, DType

__all__ = ["Identity", "Linear", "NonDynamicallyQuantizableLinear"]


class Linear(Module):
    """Compute input @ weight.T + bias: [..., in_features] becomes [..., out_features].

    Both parameters start uniformly within 1 / sqrt(in_features) of zero, as PyTorch's do. Backward
    keeps the storages of the input and the weight.

    Args:
        in_features: Size of the input's last dim.
        out_features: Size of the output's last dim.
        bias: Add a learned bias; `layer.bias` is None without.
        device: Where the parameters lie, the CPU by default.
        dtype: Their dtype, float32 by default.

    Raises:
        ShapeError: A negative size; when called, a last dim that is not `in_features`.
        TypeError: A size that is no integer.

    >>> gb.nn.Linear(3, 2)(gb.ones(4, 3)).shape
    (4, 2)
    """

    bias: Parameter | Any  # or None: Any, as nobody wants to ask where a bias is known to be

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Device | None = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.in_features: int = check.size("Linear", "in_features", in_features)
        self.out_features: int = check.size("Linear", "out_features", out_features)
        has_bias = check.has("Linear", "bias", bias)
        sizes = self.out_features, self.in_features
        self.weight: Parameter = Parameter(empty(*sizes, dtype=dtype, device=device))
        self.register_parameter(
            "bias", Parameter(empty(*sizes[:1], dtype=dtype, device=device)) if has_bias else None
        )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw both parameters anew.

        >>> layer = gb.nn.Linear(4, 2)
        >>> layer.reset_parameters()
        >>> layer.weight.abs().amax().item() <= 0.5
        True
        """
        init.kaiming_uniform_(self.weight, a=sqrt(5))  # within 1 / sqrt(in_features)
        if self.bias is not None and self.in_features > 0:
            bound = 1 / sqrt(self.in_features)
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return linear(input, self.weight, self.bias)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(
            in_features=self.in_features,
            out_features=self.out_features,
            bias=self.bias is not None,
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` under the name that the last projection of attention has in PyTorch.

    >>> gb.nn.MultiheadAttention(4, 2).out_proj
    NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
    """


class Identity(Module):
    """Return the input itself; takes and ignores any arguments, to stand in for any layer.

    Args:
        *args: Ignored.
        **kwargs: Ignored.

    >>> x = gb.ones(2)
    >>> gb.nn.Identity(64, bias=False)(x) is x
    True
    """

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...
