"""Dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _check as check
from garboard._engine import Tensor
from garboard._texts import settings
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


class Dropout(Module):
    """Zero elements with probability `p` and scale the rest by 1 / (1 - p), while training.

    After `eval()` it returns an alias of its input. Backward keeps the mask (Srivastava et al.,
    "Dropout", JMLR 15, 2014).

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, where no gradient is recorded.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        DTypeError: When called, the input is not floating.

    >>> gb.nn.Dropout(1.0)(gb.ones(2)), gb.nn.Dropout().eval()(gb.ones(2))
    (tensor([0., 0.]), tensor([1., 1.]))
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p: float = check.share("Dropout", "p", p)
        self.inplace: bool = check.flag("Dropout", "inplace", inplace)

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...

    def extra_repr(self) -> str:
        return settings(p=self.p, inplace=self.inplace)


class Dropout1d(Dropout):
    """Zero whole channels of [rows, channels, length], while training.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, where no gradient is recorded.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.Dropout1d(1.0)(gb.ones(1, 2, 3)).sum().item()
    0.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout1d(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Dropout2d(Dropout):
    """Zero whole channels of [rows, channels, height, width], while training.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, where no gradient is recorded.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.Dropout2d(1.0)(gb.ones(1, 2, 3, 3)).sum().item()
    0.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout2d(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class Dropout3d(Dropout):
    """Zero whole channels of [rows, channels, depth, height, width], while training.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, where no gradient is recorded.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.Dropout3d(1.0)(gb.ones(1, 2, 3, 3, 3)).sum().item()
    0.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.dropout3d(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class AlphaDropout(Dropout):
    """Drop elements so that mean and variance stay, after `SELU` (arXiv:1706.02515).

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, where no gradient is recorded.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.AlphaDropout(0.0)(gb.ones(2)).sum().item()
    2.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.alpha_dropout(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...


class FeatureAlphaDropout(Dropout):
    """Drop whole channels so that mean and variance stay, after `SELU`.

    Args:
        p: The probability, in [0, 1].
        inplace: Write into the input, where no gradient is recorded.

    Raises:
        ValueError: `p` is out of range.
        TypeError: `p` is no number.
        ShapeError: When called, an input of other dims.

    >>> gb.nn.FeatureAlphaDropout(0.0)(gb.ones(1, 2, 2)).sum().item()
    4.0
    """

    def forward(self, input: Tensor) -> Tensor:
        return functional.feature_alpha_dropout(input, self.p, self.training, self.inplace)

    if TYPE_CHECKING:

        def __call__(self, input: Tensor) -> Tensor: ...
