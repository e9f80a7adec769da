"""Dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _check as check
from garboard._engine import Tensor, dropout
from garboard._texts import settings
from garboard.nn.module import Module

__all__ = ["Dropout"]


class Dropout(Module):
    """Zero elements with probability `p` and scale the rest by 1 / (1 - p), while training.

    After `eval()` it returns an alias of its input. Backward keeps the mask (Srivastava et al.,
    "Dropout", JMLR 15, 2014).

    Args:
        p: The probability, in [0, 1].

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        DTypeError: When called, the input is not floating.

    >>> gb.nn.Dropout(1.0)(gb.ones(2)), gb.nn.Dropout().eval()(gb.ones(2))
    (tensor([0., 0.]), tensor([1., 1.]))
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p: float = check.share("Dropout", "p", p)

    def forward(self, input: Tensor) -> Tensor:
        return dropout(input, self.p, self.training)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(p=self.p)
