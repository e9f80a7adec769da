"""The normal distribution, of numbers and of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi, sqrt
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._engine import ShapeError, Tensor
from garboard._ops.functions import broadcast_shapes
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._lower_factor import OfLowerFactor
from garboard.distributions._parameters import expanded, floating, together
from garboard.distributions.constraints import Constraint
from garboard.linalg import solve_triangular

__all__ = ["MultivariateNormal", "Normal", "mahalanobis"]


class Normal(Distribution):
    """Numbers around `loc` with deviation `scale`.

    Args:
        loc: The means: a tensor, or a number.
        scale: The deviations, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> normal = gb.distributions.Normal(gb.zeros(2), 1.0)
    >>> normal.log_prob(gb.tensor([0.0, 1.0]))
    tensor([-0.9189, -1.4189])
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0}
    loc: Tensor
    scale: Tensor

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = together("Normal", loc=loc, scale=scale)
        super().__init__(self.loc.shape, (), validate_args)

    support: Constraint = constraints.real

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.scale.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        drawn = _engine.randn(sizes, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + self.scale * drawn

    def log_prob(self, value: Tensor) -> Tensor:
        apart = (self._checked(value) - self.loc) / self.scale
        return -0.5 * apart.square() - self.scale.log() - 0.5 * log(2 * pi)

    def cdf(self, value: Tensor) -> Tensor:
        apart = (self._checked(value) - self.loc) / (self.scale * sqrt(2))
        return 0.5 * (1 + apart.erf())

    def icdf(self, value: Tensor) -> Tensor:
        share = check.tensor("Normal", "value", value)
        return self.loc + self.scale * (2 * share - 1).erfinv() * sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * log(2 * pi) + self.scale.log()


class MultivariateNormal(OfLowerFactor):
    """Vectors around `loc` whose parts depend on each other.

    Args:
        loc: The means, [..., n].
        covariance_matrix: [..., n, n], symmetric and positive definite.
        precision_matrix: Its inverse, instead.
        scale_tril: The lower triangular matrix L of covariance = L L^T, instead: the fastest.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: Not one of the three matrices, or one that is out of its range.
        ShapeError: Sizes that do not fit.

    >>> pair = gb.distributions.MultivariateNormal(gb.zeros(2), gb.eye(2))
    >>> pair.log_prob(gb.zeros(2))
    tensor(-1.8379)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    _held: ClassVar[dict[str, int]] = {"loc": 1, "_unbroadcasted_scale_tril": 2}
    loc: Tensor

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        op = "MultivariateNormal"
        checks = self._validate_args if validate_args is None else validate_args
        lower = self._lower_factor(covariance_matrix, precision_matrix, scale_tril, checks)
        mean = floating(op, "loc", check.tensor(op, "loc", loc))
        size = lower.shape[-1]
        if mean.shape[-1:] != (size,):
            raise ShapeError(
                f"{op}: loc and a matrix of sizes {list(mean.shape)} and {list(lower.shape)}; "
                "[..., n] and [..., n, n] are needed"
            )
        try:
            sizes = broadcast_shapes(mean.shape[:-1], lower.shape[:-2])
        except ShapeError as error:
            raise ShapeError(
                f"{op}: batches {list(mean.shape[:-1])} of loc and {list(lower.shape[:-2])} of the "
                "matrix; batches that broadcast are needed"
            ) from error
        self.loc = expanded(mean, (*sizes, size))
        self._unbroadcasted_scale_tril = lower
        super().__init__(sizes, (size,), validate_args)

    support: Constraint = constraints.real_vector

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self.scale_tril.square().sum(-1)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        drawn = _engine.randn(sizes, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + (self.scale_tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        distance = mahalanobis(self.scale_tril, self._checked(value) - self.loc)
        return -0.5 * (self._event_shape[0] * log(2 * pi) + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        return 0.5 * self._event_shape[0] * (1.0 + log(2 * pi)) + self._half_log_det()


def mahalanobis(lower: Tensor, apart: Tensor) -> Tensor:
    """|L^-1 x|^2 of vectors [..., n], whatever their batch."""
    size = apart.shape[-1]
    rows = apart.expand((*broadcast_shapes(lower.shape[:-2], apart.shape[:-1]), size))
    factor = lower.expand((*rows.shape[:-1], size, size))
    return solve_triangular(factor, rows.unsqueeze(-1), upper=False).squeeze(-1).square().sum(-1)
