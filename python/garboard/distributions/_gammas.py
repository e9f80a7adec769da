"""Distributions made of gamma numbers: gamma, beta, Dirichlet, chi-squared, Student's."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, nan, pi
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._engine import ShapeError, Tensor, where
from garboard._ops.dtypes import finfo
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._gamma_draws import log_gamma_rsample
from garboard.distributions._parameters import floating, together
from garboard.distributions.constraints import Constraint

__all__ = ["Beta", "Chi2", "Dirichlet", "Gamma", "StudentT"]


class Gamma(Distribution):
    """Positive numbers of the density rate^c x^(c - 1) e^(-rate x) / Gamma(c), c = concentration.

    Drawn exactly (Marsaglia and Tsang, "A simple method for generating gamma variables", 2000),
    with implicit gradients (Figurnov, Mohamed, Mnih, arXiv:1805.08498).

    Args:
        concentration: Above 0: a tensor, or a number.
        rate: Above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Gamma(3.0, 2.0).mean
    tensor(1.5000)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0}
    concentration: Tensor
    rate: Tensor

    def __init__(
        self,
        concentration: Tensor | float,
        rate: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration, self.rate = together(
            type(self).__name__, concentration=concentration, rate=rate
        )
        super().__init__(self.rate.shape, (), validate_args)

    support: Constraint = constraints.nonnegative

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        return self.concentration / self.rate.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self.concentration.expand(self._extended_shape(sample_shape))
        drawn = log_gamma_rsample(shape).exp().to(shape.dtype) / self.rate
        return drawn.clamp(min=finfo(shape.dtype).tiny)

    def log_prob(self, value: Tensor | float) -> Tensor:
        c = self.concentration
        if isinstance(value, (int, float)):
            value = c.new_full((), value)
        given = self._checked(value)
        return (
            _engine.xlogy(c, self.rate)
            + _engine.xlogy(c - 1, given)
            - self.rate * given
            - c.lgamma()
        )

    def cdf(self, value: Tensor) -> Tensor:
        return _engine.igamma(self.concentration, self.rate * self._checked(value))

    def entropy(self) -> Tensor:
        c = self.concentration
        return c - self.rate.log() + c.lgamma() + (1.0 - c) * c.digamma()


class Chi2(Gamma):
    """Sums of the squares of `df` standard normal numbers.

    Args:
        df: How many, above 0; it need not be whole.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A number that is not above 0.

    >>> gb.distributions.Chi2(3.0).mean
    tensor(3.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        freedom = floating("Chi2", "df", df)
        super().__init__(0.5 * freedom, 0.5, validate_args)
        if self._validate_args:
            self._refuse_unless(constraints.positive, "df", freedom)

    @property
    def df(self) -> Tensor:
        """How many numbers are squared."""
        return self.concentration * 2


class Dirichlet(Distribution):
    """Rows of positive numbers that add up to 1: shares of gamma numbers.

    Args:
        concentration: [..., n], above 0.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A concentration that is not above 0.
        ShapeError: No dims.

    >>> gb.distributions.Dirichlet(gb.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    _held: ClassVar[dict[str, int]] = {"concentration": 1}

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        op = "Dirichlet"
        given = check.tensor(op, "concentration", concentration)
        self.concentration: Tensor = floating(op, "concentration", given)
        if given.ndim < 1:
            raise ShapeError(f"{op}: concentration is a tensor without dims; [..., n] is needed")
        super().__init__(given.shape[:-1], given.shape[-1:], validate_args)

    support: Constraint = constraints.simplex

    @property
    def mean(self) -> Tensor:
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def mode(self) -> Tensor:
        above = (self.concentration - 1).clamp(min=0)
        shares = above / above.sum(-1, keepdim=True)
        is_edge = (self.concentration < 1).all(-1, keepdim=True)
        size = self.event_shape[0]
        largest = self.concentration.argmax(-1, keepdim=True)
        edges = _engine.arange(size, device=largest.device) == largest
        return where(is_edge, edges.to(shares.dtype), shares)

    @property
    def variance(self) -> Tensor:
        total = self.concentration.sum(-1, keepdim=True)
        c = self.concentration
        return c * (total - c) / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        shape = self.concentration.expand(self._extended_shape(sample_shape))
        return _inside(_engine.softmax(log_gamma_rsample(shape), -1).to(shape.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        c = self.concentration
        weighed = _engine.xlogy(c - 1, self._checked(value)).sum(-1)
        return weighed + c.sum(-1).lgamma() - c.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        c, total, size = self.concentration, self.concentration.sum(-1), self.event_shape[0]
        ways = c.lgamma().sum(-1) - total.lgamma()
        return ways - (size - total) * total.digamma() - ((c - 1.0) * c.digamma()).sum(-1)


class Beta(Distribution):
    """Numbers of [0, 1], of the density x^(a - 1) (1 - x)^(b - 1) / B(a, b).

    Args:
        concentration1: a, above 0: a tensor, or a number.
        concentration0: b, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A concentration that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Beta(1.0, 3.0).mean
    tensor(0.2500)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"concentration1": 0, "concentration0": 0}
    concentration1: Tensor
    concentration0: Tensor

    def __init__(
        self,
        concentration1: Tensor | float,
        concentration0: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration1, self.concentration0 = together(
            "Beta", concentration1=concentration1, concentration0=concentration0
        )
        super().__init__(self.concentration1.shape, (), validate_args)

    support: Constraint = constraints.unit_interval

    @property
    def mean(self) -> Tensor:
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        inner = (a - 1) / (a + b - 2)
        edge = where(a == b, nan, (a > b).to(a.dtype))
        return where((a < 1) & (b < 1), edge, inner.clamp(0, 1))

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.square() * (total + 1))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        one = log_gamma_rsample(self.concentration1.expand(sizes))
        other = log_gamma_rsample(self.concentration0.expand(sizes))
        return _inside((one - other).sigmoid().to(self.concentration1.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        given, a, b = self._checked(value), self.concentration1, self.concentration0
        weighed = _engine.xlogy(a - 1, given) + _engine.xlogy(b - 1, 1 - given)
        return weighed + (a + b).lgamma() - a.lgamma() - b.lgamma()

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        total = a + b
        ways = a.lgamma() + b.lgamma() - total.lgamma()
        slopes = (a - 1) * a.digamma() + (b - 1) * b.digamma() - (total - 2) * total.digamma()
        return ways - slopes


class StudentT(Distribution):
    """A normal number over the root of a mean of squares: with tails that fall as a power.

    Args:
        df: Degrees of freedom, above 0: a tensor, or a number.
        loc: The medians.
        scale: Above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter out of its range.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.StudentT(1.0).log_prob(gb.tensor(0.0))
    tensor(-1.1447)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"df": 0, "loc": 0, "scale": 0}
    df: Tensor
    loc: Tensor
    scale: Tensor

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = together("StudentT", df=df, loc=loc, scale=scale)
        super().__init__(self.df.shape, (), validate_args)

    support: Constraint = constraints.real

    @property
    def mean(self) -> Tensor:
        return where(self.df > 1, self.loc, nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        finite = self.scale.square() * self.df / (self.df - 2)
        return where(self.df > 2, finite, where(self.df > 1, inf, nan))

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        normal = _engine.randn(sizes, dtype=self.df.dtype, device=self.df.device)
        half = (0.5 * self.df).expand(sizes)
        shrunk = (0.5 * (half.log() - log_gamma_rsample(half))).exp().to(normal.dtype)
        return self.loc + self.scale * (normal * shrunk)

    def log_prob(self, value: Tensor) -> Tensor:
        apart, df = (self._checked(value) - self.loc) / self.scale, self.df
        scaled = self.scale.log() + 0.5 * df.log() + 0.5 * log(pi)
        ways = (0.5 * df).lgamma() - (0.5 * (df + 1.0)).lgamma()
        return -0.5 * (df + 1.0) * (apart.square() / df).log1p() - scaled - ways

    def entropy(self) -> Tensor:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = half.lgamma() + 0.5 * log(pi) - more.lgamma()
        slopes = more * (more.digamma() - half.digamma())
        return self.scale.log() + slopes + 0.5 * self.df.log() + log_beta


def _inside(shares: Tensor) -> Tensor:
    """The same without an exact 0 or 1, where the density of small concentrations has no end."""
    limits = finfo(shares.dtype)
    return shares.clamp(limits.tiny, 1 - limits.eps / 2)
