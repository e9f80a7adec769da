"""The normal distribution, of numbers and of vectors, and half of it."""

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
from garboard.distributions._parameters import expanded, floating, together
from garboard.distributions.constraints import Constraint
from garboard.linalg import cholesky, solve_triangular

__all__ = ["HalfNormal", "MultivariateNormal", "Normal", "lower_factor", "mahalanobis"]


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

    @property
    def support(self) -> Constraint:
        return constraints.real

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


class HalfNormal(Distribution):
    """Magnitudes of normal numbers around 0.

    Args:
        scale: The deviations of those numbers, above 0.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.

    >>> gb.distributions.HalfNormal(1.0).mean
    tensor(0.7979)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"scale": constraints.positive}
    _held: ClassVar[dict[str, int]] = {"scale": 0}

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self.scale: Tensor = floating("HalfNormal", "scale", scale)
        super().__init__(self.scale.shape, (), validate_args)

    @property
    def support(self) -> Constraint:
        return constraints.nonnegative

    @property
    def mean(self) -> Tensor:
        return self.scale * sqrt(2 / pi)

    @property
    def mode(self) -> Tensor:
        return _engine.zeros_like(self.scale)

    @property
    def variance(self) -> Tensor:
        return self.scale.square() * (1 - 2 / pi)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        drawn = _engine.randn(sizes, dtype=self.scale.dtype, device=self.scale.device)
        return self.scale * drawn.abs()

    def log_prob(self, value: Tensor) -> Tensor:
        apart = self._checked(value) / self.scale
        inside = -0.5 * apart.square() - self.scale.log() + 0.5 * log(2 / pi)
        return _engine.where(value >= 0, inside, -float("inf"))

    def cdf(self, value: Tensor) -> Tensor:
        return (self._checked(value) / (self.scale * sqrt(2))).erf()

    def icdf(self, value: Tensor) -> Tensor:
        return check.tensor("HalfNormal", "value", value).erfinv() * (self.scale * sqrt(2))

    def entropy(self) -> Tensor:
        return self.scale.log() + 0.5 * log(pi / 2) + 0.5


class MultivariateNormal(Distribution):
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
        "scale_tril": constraints.lower_cholesky,
    }
    _held: ClassVar[dict[str, int]] = {"loc": 1, "scale_tril": 2}
    loc: Tensor
    scale_tril: Tensor

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
        lower = lower_factor(self, covariance_matrix, precision_matrix, scale_tril, checks)
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
        self.scale_tril = expanded(lower, (*sizes, size, size))
        super().__init__(sizes, (size,), validate_args)

    @property
    def support(self) -> Constraint:
        return constraints.real_vector

    @property
    def covariance_matrix(self) -> Tensor:
        """L L^T."""
        return self.scale_tril @ self.scale_tril.mT

    @property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        eye = _engine.eye(
            self.event_shape[0], dtype=self.scale_tril.dtype, device=self.scale_tril.device
        )
        inverse = solve_triangular(self.scale_tril, eye.expand_as(self.scale_tril), upper=False)
        return inverse.mT @ inverse

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

    def _half_log_det(self) -> Tensor:
        return self.scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        distance = mahalanobis(self.scale_tril, self._checked(value) - self.loc)
        return -0.5 * (self.event_shape[0] * log(2 * pi) + distance) - self._half_log_det()

    def entropy(self) -> Tensor:
        return 0.5 * self.event_shape[0] * (1.0 + log(2 * pi)) + self._half_log_det()


def lower_factor(
    of: Distribution,
    covariance: Tensor | None,
    precision: Tensor | None,
    lower: Tensor | None,
    checks: bool,
) -> Tensor:
    """The L of L L^T = covariance, from the one of three matrices that is given.

    Raises ValueError where that is not one, or is out of its range, and ShapeError unless it is
    square.
    """
    op = of._name
    named = {
        "covariance_matrix": covariance,
        "precision_matrix": precision,
        "scale_tril": lower,
    }
    found = [(name, it) for name, it in named.items() if it is not None]
    if len(found) != 1:
        raise ValueError(f"{op}: {len(found)} of {', '.join(named)}; one of them is needed")
    ((name, given),) = found
    matrix = floating(op, name, check.tensor(op, name, given))
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise ShapeError(f"{op}: {name} of sizes {list(matrix.shape)}; [..., n, n] is needed")
    if checks and name != "scale_tril":
        of._refuse_unless(constraints.positive_definite, name, matrix)
    if name == "covariance_matrix":
        return cholesky(matrix)
    return _lower_of_precision(matrix) if name == "precision_matrix" else matrix


def _lower_of_precision(precision: Tensor) -> Tensor:
    """The L of (L L^T)^-1 = precision, from the factor of the precision upside down."""
    upper = cholesky(precision.flip((-2, -1))).flip((-2, -1)).mT
    eye = _engine.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_triangular(upper, eye.expand_as(upper), upper=False)


def mahalanobis(lower: Tensor, apart: Tensor) -> Tensor:
    """|L^-1 x|^2 of vectors [..., n], whatever their batch."""
    size = apart.shape[-1]
    rows = apart.expand((*broadcast_shapes(lower.shape[:-2], apart.shape[:-1]), size))
    factor = lower.expand((*rows.shape[:-1], size, size))
    return solve_triangular(factor, rows.unsqueeze(-1), upper=False).squeeze(-1).square().sum(-1)
