"""Layers that multiply by a share, or squash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn.module import Module

__all__ = ["Hardsigmoid", "Hardswish", "LogSigmoid", "Mish", "SiLU", "Softsign"]


class SiLU(Module):
    """Multiply each element by its sigmoid.

    x / (1 + e^-x) (Elfwing et al., arXiv:1702.03118).

    Args:
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.SiLU()(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: bool = check.flag("SiLU", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.silu(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(inplace=True) if self.inplace else ""


class Mish(Module):
    """Multiply each element by the tanh of its softplus.

    x * tanh(ln(1 + e^x)) (Misra, arXiv:1908.08681).

    Args:
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Mish()(gb.tensor([0.0, 2.0]))
    tensor([0.0000, 1.9440])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: bool = check.flag("Mish", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.mish(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(inplace=True) if self.inplace else ""


class Hardsigmoid(Module):
    """Approximate the sigmoid by a line.

    min(max(x + 3, 0), 6) / 6.

    Args:
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Hardsigmoid()(gb.tensor([-9.0, 0.0, 9.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: bool = check.flag("Hardsigmoid", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardsigmoid(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Hardswish(Module):
    """Multiply each element by its hard sigmoid.

    x * min(max(x + 3, 0), 6) / 6 (Howard et al., arXiv:1905.02244).

    Args:
        inplace: Write into the input, which is returned.

    Raises:
        TypeError: An argument of another type.

    >>> gb.nn.Hardswish()(gb.tensor([-9.0, 0.0, 9.0]))
    tensor([-0.,  0.,  9.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace: bool = check.flag("Hardswish", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.hardswish(input, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class LogSigmoid(Module):
    """Compute the logarithm of the sigmoid, without overflow.

    -ln(1 + e^-x).

    >>> gb.nn.LogSigmoid()(gb.tensor([0.0, -99.0]))
    tensor([ -0.6931, -99.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.logsigmoid(input)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Softsign(Module):
    """Divide each element by 1 plus its absolute value.

    x / (1 + |x|).

    >>> gb.nn.Softsign()(gb.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.softsign(input)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...
