"""Layers that bend or cut what is negative, or small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._arguments.texts import settings, told
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn.module import Module

__all__ = [
    "CELU",
    "ELU",
    "SELU",
    "Hardshrink",
    "Hardtanh",
    "LeakyReLU",
    "ReLU6",
    "Softplus",
    "Softshrink",
    "Tanhshrink",
    "Threshold",
]


def _told(layer: LeakyReLU | ReLU6 | Hardtanh | Threshold | ELU | CELU | SELU) -> dict[str, bool]:
    """What its repr says of writing into the input: nothing where it does not."""
    return {"inplace": True} if layer.inplace else {}


class LeakyReLU(Module):
    """Multiply what is negative by a slope.

    max(x, 0) + negative_slope * min(x, 0).

    Args:
        negative_slope: The slope.
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.LeakyReLU()(gb.tensor([-1.0, 2.0]))
    tensor([-0.0100,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope: float = check.real("LeakyReLU", "negative_slope", negative_slope)
        self.inplace: bool = check.flag("LeakyReLU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(negative_slope=self.negative_slope, **_told(self))


class Hardtanh(Module):
    """Bring elements into [min_val, max_val].

    min(max(x, min_val), max_val).

    Args:
        min_val: The least.
        max_val: The greatest.
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Hardtanh()(gb.tensor([-3.0, 0.5, 9.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val: float = check.real("Hardtanh", "min_val", min_val)
        self.max_val: float = check.real("Hardtanh", "max_val", max_val)
        self.inplace: bool = check.flag("Hardtanh", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(min_val=self.min_val, max_val=self.max_val, **_told(self))


class ReLU6(Hardtanh):
    """Bring elements into [0, 6].

    min(max(x, 0), 6).

    Args:
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.ReLU6()(gb.tensor([-1.0, 2.0, 9.0]))
    tensor([0., 2., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, check.flag("ReLU6", "inplace", inplace))

    def forward(self, input: Tensor) -> Tensor:
        return functional.relu6(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(**_told(self))


class Threshold(Module):
    """Replace what is not above a threshold.

    x where x > threshold, else value.

    Args:
        threshold: What must be exceeded.
        value: What stands in.
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Threshold(0.5, 9.0)(gb.tensor([-1.0, 2.0]))
    tensor([9., 2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold: float = check.real("Threshold", "threshold", threshold)
        self.value: float = check.real("Threshold", "value", value)
        self.inplace: bool = check.flag("Threshold", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.threshold(input, self.threshold, self.value, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(threshold=self.threshold, value=self.value, **_told(self))


class ELU(Module):
    """Bend what is negative towards -alpha.

    x where x > 0, else alpha * (e^x - 1) (Clevert et al., arXiv:1511.07289).

    Args:
        alpha: Where it ends.
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.ELU()(gb.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha: float = check.real("ELU", "alpha", alpha)
        self.inplace: bool = check.flag("ELU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.elu(input, self.alpha, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(alpha=self.alpha, **_told(self))


class CELU(Module):
    """Bend what is negative towards -alpha, with a slope of 1 at 0.

    max(x, 0) + min(0, alpha * (e^(x / alpha) - 1)) (Barron, arXiv:1704.07483).

    Args:
        alpha: Where it ends.
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.CELU()(gb.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha: float = check.real("CELU", "alpha", alpha)
        self.inplace: bool = check.flag("CELU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.celu(input, self.alpha, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(alpha=self.alpha, **_told(self))


class SELU(Module):
    """Bend what is negative, scaled so that mean 0 and variance 1 keep.

    scale * elu(x, alpha), alpha = 1.6733, scale = 1.0507 (Klambauer et al., arXiv:1706.02515).

    Args:
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.SELU()(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 2.1014])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: bool = check.flag("SELU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.selu(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(**_told(self))


class Softplus(Module):
    """Round the corner of relu.

    ln(1 + e^(beta * x)) / beta; x itself where beta * x > threshold.

    Args:
        beta: How sharp the corner is.
        threshold: From where the line is taken.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Softplus()(gb.tensor([0.0, 99.0]))
    tensor([ 0.6931, 99.0000])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta: float = check.real("Softplus", "beta", beta)
        self.threshold: float = check.real("Softplus", "threshold", threshold)

    def forward(self, input: Tensor) -> Tensor:
        return functional.softplus(input, self.beta, self.threshold)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(beta=self.beta, threshold=self.threshold)


class Tanhshrink(Module):
    """Take its tanh off each element.

    x - tanh(x).

    >>> gb.nn.Tanhshrink()(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.tanhshrink(input)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Softshrink(Module):
    """Bring each element nearer to 0, by `lambd`.

    x - lambd above lambd, x + lambd below -lambd, else 0.

    Args:
        lambd: By how much; not negative.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Softshrink()(gb.tensor([-2.0, 0.25]))
    tensor([-1.5000,  0.0000])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd: float = check.real("Softshrink", "lambd", lambd)

    def forward(self, input: Tensor) -> Tensor:
        return functional.softshrink(input, self.lambd)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return told(self.lambd)


class Hardshrink(Module):
    """Replace what is near 0 by 0.

    x where |x| > lambd, else 0.

    Args:
        lambd: What counts as near.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Hardshrink()(gb.tensor([-2.0, 0.25]))
    tensor([-2.,  0.])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd: float = check.real("Hardshrink", "lambd", lambd)

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardshrink(input, self.lambd)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return told(self.lambd)
