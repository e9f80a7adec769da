"""Invertible functions of draws, which know how much they stretch."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._engine import Tensor
from garboard._ops.dtypes import finfo
from garboard._ops.functions import broadcast_shapes
from garboard.distributions import constraints
from garboard.distributions._joined_transforms import (
    CatTransform,
    CumulativeDistributionTransform,
    StackTransform,
)
from garboard.distributions._matrix_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    StickBreakingTransform,
)
from garboard.distributions._parameters import event_sum
from garboard.distributions._transform import Transform
from garboard.distributions._transform import _InverseTransform as _InverseTransform
from garboard.distributions._transforms_made import (
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
)
from garboard.distributions._transforms_made import (
    identity_transform as identity_transform,
)
from garboard.distributions.constraints import Constraint

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
]


class ExpTransform(Transform):
    """e^x.

    >>> gb.distributions.transforms.ExpTransform().inv(gb.tensor(1.0))
    tensor(0.)
    """

    _compared = ()
    codomain: Constraint = constraints.positive
    bijective: bool = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return check.tensor("ExpTransform", "x", x)


def _clipped_sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + e^-x), so far from 0 and 1 that the logarithm of it and of the rest are finite."""
    known = finfo(check.tensor("_clipped_sigmoid", "x", x).dtype)
    return x.sigmoid().clamp(known.tiny, 1 - known.eps)


class SigmoidTransform(Transform):
    """1 / (1 + e^-x).

    >>> gb.distributions.transforms.SigmoidTransform()(gb.tensor(0.0))
    tensor(0.5000)
    """

    _compared = ()
    codomain: Constraint = constraints.unit_interval
    bijective: bool = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return _clipped_sigmoid(x)

    def _inverse(self, y: Tensor) -> Tensor:
        known = finfo(y.dtype)
        inside = y.clamp(known.tiny, 1 - known.eps)
        return inside.log() - (-inside).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("SigmoidTransform", "x", x)
        return -_engine._softplus(-x) - _engine._softplus(x)


class TanhTransform(Transform):
    """tanh(x). With `cache_size=1` the inverse of a draw is exact where tanh is 1 already.

    >>> gb.distributions.transforms.TanhTransform()(gb.tensor(0.0))
    tensor(0.)
    """

    _compared = ()
    codomain: Constraint = constraints.interval(-1.0, 1.0)
    bijective: bool = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("TanhTransform", "x", x)
        return 2.0 * (log(2.0) - x - _engine._softplus(-2.0 * x))


class SoftplusTransform(Transform):
    """ln(1 + e^x).

    >>> gb.distributions.transforms.SoftplusTransform()(gb.tensor(0.0))
    tensor(0.6931)
    """

    _compared = ()
    codomain: Constraint = constraints.positive
    bijective: bool = True
    sign = 1

    def _call(self, x: Tensor) -> Tensor:
        return _engine._softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-(-y).expm1()).log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("SoftplusTransform", "x", x)
        return -_engine._softplus(-x)


class AbsTransform(Transform):
    """|x|, whose inverse gives the positive one.

    >>> gb.distributions.transforms.AbsTransform()(gb.tensor(-1.0))
    tensor(1.)
    """

    _compared = ()
    codomain: Constraint = constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.alias()


class PowerTransform(Transform):
    """x^exponent of positive numbers.

    Args:
        exponent: A tensor, or a number, other than 0.
        cache_size: 1 keeps the last pair of input and result.

    >>> gb.distributions.transforms.PowerTransform(2.0)(gb.tensor(3.0))
    tensor(9.)
    """

    _compared = ("exponent",)
    domain: Constraint = constraints.positive
    codomain: Constraint = constraints.positive
    bijective: bool = True

    def __init__(self, exponent: Tensor | float, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.exponent: Tensor | float = _number("PowerTransform", "exponent", exponent)

    @property
    def sign(self) -> Tensor | int:
        return _sign_of(self.exponent)

    def _call(self, x: Tensor) -> Tensor:
        return x**self.exponent

    def _inverse(self, y: Tensor) -> Tensor:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("PowerTransform", "x", x)
        check.tensor("PowerTransform", "y", y)
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _broadcast("PowerTransform", shape, self.exponent)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _broadcast("PowerTransform", shape, self.exponent)


class AffineTransform(Transform):
    """loc + scale x.

    Args:
        loc: A tensor, or a number.
        scale: Likewise, other than 0.
        event_dim: How many of the last dims make one event.
        cache_size: 1 keeps the last pair of input and result.

    Raises:
        ValueError: A negative number of dims.

    >>> gb.distributions.transforms.AffineTransform(1.0, 2.0)(gb.tensor(3.0))
    tensor(7.)
    """

    _compared = ("loc", "scale", "event_dim")
    bijective: bool = True

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        event_dim: int = 0,
        cache_size: int = 0,
    ) -> None:
        super().__init__(cache_size)
        self.loc: Tensor | float = _number("AffineTransform", "loc", loc)
        self.scale: Tensor | float = _number("AffineTransform", "scale", scale)
        dims = check.count("AffineTransform", "event_dim", event_dim)
        if dims:
            self.domain: Constraint = constraints.independent(constraints.real, dims)
            self.codomain: Constraint = self.domain

    @property
    def sign(self) -> Tensor | int:
        return _sign_of(self.scale)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        check.tensor("AffineTransform", "x", x)
        scale = self.scale
        if not is_really(scale, Tensor):
            scale = _engine.full_like(x, scale)
        stretched = scale.abs().log().expand(_broadcast("AffineTransform", x.shape, scale))
        return event_sum(stretched, self.event_dim)

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _broadcast("AffineTransform", shape, self.loc, self.scale)

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return _broadcast("AffineTransform", shape, self.loc, self.scale)


class SoftmaxTransform(Transform):
    """Softmax along the last dim. Its inverse, the logarithm, is one of many.

    >>> gb.distributions.transforms.SoftmaxTransform()(gb.zeros(2))
    tensor([0.5000, 0.5000])
    """

    _compared = ()
    domain: Constraint = constraints.real_vector
    codomain: Constraint = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return _engine.softmax(x, -1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


def _number(op: str, name: str, given: Tensor | float) -> Tensor | float:
    return given if is_really(given, Tensor) else check.worth(op, name, given)


def _sign_of(scale: Tensor | float) -> Tensor | int:
    return scale.sign() if is_really(scale, Tensor) else (scale > 0) - (scale < 0)


def _broadcast(op: str, shape: Sequence[int], *others: Any) -> tuple[int, ...]:
    given = check.sizes(op, "shape", shape)
    return broadcast_shapes(given, *(it.shape for it in others if is_really(it, Tensor)))
