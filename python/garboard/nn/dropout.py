"""Dropout."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from garboard._arguments import check
from garboard._arguments.texts import settings
from garboard._engine import Tensor
from garboard.nn import functional
from garboard.nn.module import Module

__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]


class _Dropout(Module):
    """How much is dropped, and the function that does."""

    _drop: ClassVar[Callable[..., Tensor]]

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        name = type(self).__name__
        self.p: float = check.share(name, "p", p)
        self.inplace: bool = check.flag(name, "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return self._drop(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(p=self.p, inplace=self.inplace)


class Dropout(_Dropout):
    """Zero elements with probability `p` and scale the rest by 1 / (1 - p), while training.

    After `eval()` it returns an alias of its input. Backward keeps the mask (Srivastava et al.,
    "Dropout", JMLR 15, 2014).

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, which is returned.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        DTypeError: When called, the input is not floating.

    >>> gb.nn.Dropout(1.0)(gb.ones(2)), gb.nn.Dropout().eval()(gb.ones(2))
    (tensor([0., 0.]), tensor([1., 1.]))
    """

    _drop = staticmethod(functional.dropout)


class Dropout1d(_Dropout):
    """Zero whole channels of [rows, channels, length], while training.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, which is returned.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.Dropout1d(1.0)(gb.ones(1, 2, 3)).sum().item()
    0.0
    """

    _drop = staticmethod(functional.dropout1d)


class Dropout2d(_Dropout):
    """Zero whole channels of [rows, channels, height, width], while training.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, which is returned.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.Dropout2d(1.0)(gb.ones(1, 2, 3, 3)).sum().item()
    0.0
    """

    _drop = staticmethod(functional.dropout2d)


class Dropout3d(_Dropout):
    """Zero whole channels of [rows, channels, depth, height, width], while training.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, which is returned.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.Dropout3d(1.0)(gb.ones(1, 2, 3, 3, 3)).sum().item()
    0.0
    """

    _drop = staticmethod(functional.dropout3d)


class AlphaDropout(_Dropout):
    """Drop elements so that mean and variance stay, after `SELU` (arXiv:1706.02515).

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, which is returned.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.AlphaDropout(0.0)(gb.ones(2)).sum().item()
    2.0
    """

    _drop = staticmethod(functional.alpha_dropout)


class FeatureAlphaDropout(_Dropout):
    """Drop whole channels so that mean and variance stay, after `SELU`.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, which is returned.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.FeatureAlphaDropout(0.0)(gb.ones(1, 2, 2)).sum().item()
    4.0
    """

    _drop = staticmethod(functional.feature_alpha_dropout)
