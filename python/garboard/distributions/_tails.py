"""Distributions of positive numbers with a formula for their tails: drawn by it, or as ratios."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor, igammac, ones_like, where
from garboard._ops.dtypes import finfo
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._gamma_draws import log_gamma_rsample
from garboard.distributions._lines import Exponential, waiting_times
from garboard.distributions._parameters import together
from garboard.distributions.constraints import Constraint

__all__ = ["FisherSnedecor", "InverseGamma", "Kumaraswamy", "Pareto", "Weibull"]

_EULER = 0.57721566490153286


class _OfTwo(Distribution):
    """Two positive parameters, whose sizes broadcast."""

    has_rsample = True

    def _start(self, validate_args: bool | None, **given: Tensor | float) -> None:
        found = together(self._name, **given)
        vars(self).update(zip(given, found, strict=True))
        super().__init__(found[0].shape, (), validate_args)


class Pareto(_OfTwo):
    """Numbers above `scale` of the density alpha scale^alpha / x^(alpha + 1).

    Args:
        scale: The least number, above 0: a tensor, or a number.
        alpha: How fast the tail falls, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Pareto(1.0, 3.0).mean
    tensor(1.5000)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "alpha": constraints.positive,
        "scale": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"scale": 0, "alpha": 0}
    scale: Tensor
    alpha: Tensor

    def __init__(
        self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self._start(validate_args, scale=scale, alpha=alpha)

    @property
    def base_dist(self) -> Exponential:
        """The logarithms of these numbers over `scale`."""
        return Exponential(self.alpha, validate_args=False)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        """Return the numbers from `scale` on."""
        return constraints.greater_than_eq(self.scale.detach())

    @property
    def mean(self) -> Tensor:
        is_there, a = _above(self.alpha, 1)
        return where(is_there, self.scale * a / (a - 1), inf)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        is_there, a = _above(self.alpha, 2)
        return where(is_there, self.scale.square() * a / ((a - 1).square() * (a - 2)), inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        waited = waiting_times(self.scale, self._extended_shape(sample_shape))
        return self.scale * (waited / self.alpha).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        given, a = self._checked(value), self.alpha
        return a.log() + a * self.scale.log() - (a + 1) * given.log()

    def cdf(self, value: Tensor) -> Tensor:
        return 1 - (self.scale / self._checked(value)) ** self.alpha

    def icdf(self, value: Tensor) -> Tensor:
        share = check.tensor("Pareto", "value", value)
        return self.scale * (-(-share).log1p() / self.alpha).exp()

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(_OfTwo):
    """Positive numbers whose tail is e^-(x / scale)^concentration.

    Args:
        scale: Above 0: a tensor, or a number.
        concentration: The power, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "scale": constraints.positive,
        "concentration": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"scale": 0, "concentration": 0}
    scale: Tensor
    concentration: Tensor

    support: Constraint = constraints.positive

    def __init__(
        self,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self._start(validate_args, scale=scale, concentration=concentration)

    @property
    def base_dist(self) -> Exponential:
        """What (x / scale)^concentration is."""
        return Exponential(ones_like(self.scale), validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.scale * self._moment(1).exp()

    def _moment(self, power: int) -> Tensor:
        """The logarithm of the mean of (x / scale)^power."""
        return (1 + power / self.concentration).lgamma()

    @property
    def mode(self) -> Tensor:
        is_there, c = _above(self.concentration, 1)
        return where(is_there, self.scale * ((c - 1) / c) ** (1 / c), 0.0)

    @property
    def variance(self) -> Tensor:
        return self.scale.square() * (self._moment(2).exp() - (2 * self._moment(1)).exp())

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        waited = waiting_times(self.scale, self._extended_shape(sample_shape))
        return self.scale * waited ** (1 / self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        share, c = self._checked(value) / self.scale, self.concentration
        return (c / self.scale).log() + (c - 1) * share.log() - share**c

    def cdf(self, value: Tensor) -> Tensor:
        return -(-((self._checked(value) / self.scale) ** self.concentration)).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        share = check.tensor("Weibull", "value", value)
        return self.scale * (-(-share).log1p()) ** (1 / self.concentration)

    def entropy(self) -> Tensor:
        c = self.concentration
        return _EULER * (1 - 1 / c) + (self.scale / c).log() + 1


class Kumaraswamy(_OfTwo):
    """Numbers in (0, 1) of which 1 - (1 - x^a)^b lie below x; a and b are the concentrations.

    Args:
        concentration1: a, above 0: a tensor, or a number.
        concentration0: b, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A concentration that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Kumaraswamy(1.0, 1.0).mean
    tensor(0.5000)
    """

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
        self._start(validate_args, concentration1=concentration1, concentration0=concentration0)

    support: Constraint = constraints.unit_interval

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    def _moment(self, power: int) -> Tensor:
        a, b = self.concentration1, self.concentration0
        high = 1 + power / a
        return (b.log() + high.lgamma() + b.lgamma() - (high + b).lgamma()).exp()

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        is_there = (a >= 1) & (b >= 1) & ((a > 1) | (b > 1))
        share = where(is_there, (a - 1) / (a * b - 1), 1.0)
        return where(is_there, share ** (1 / a), nan)

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self._moment(1).square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        waited = waiting_times(self.concentration1, self._extended_shape(sample_shape))
        drawn = (-(-waited / self.concentration0).expm1()) ** (1 / self.concentration1)
        limits = finfo(drawn.dtype)
        return drawn.clamp(min=limits.tiny, max=1 - limits.eps)

    def log_prob(self, value: Tensor) -> Tensor:
        given, a, b = self._checked(value), self.concentration1, self.concentration0
        return a.log() + b.log() + _engine.xlogy(a - 1, given) + (b - 1) * (-(given**a)).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        given = self._checked(value)
        return -(self.concentration0 * (-(given**self.concentration1)).log1p()).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        share = check.tensor("Kumaraswamy", "value", value)
        beyond = ((-share).log1p() / self.concentration0).expm1()
        return (-beyond) ** (1 / self.concentration1)

    def entropy(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        harmonic = (b + 1).digamma() + _EULER
        return (1 - 1 / b) + (1 - 1 / a) * harmonic - a.log() - b.log()


class InverseGamma(_OfTwo):
    """Reciprocals of gamma numbers.

    Args:
        concentration: Of the gamma numbers, above 0: a tensor, or a number.
        rate: Theirs, above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.InverseGamma(3.0, 2.0).mean
    tensor(1.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "concentration": constraints.positive,
        "rate": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"concentration": 0, "rate": 0}
    concentration: Tensor
    rate: Tensor

    support: Constraint = constraints.positive

    def __init__(
        self,
        concentration: Tensor | float,
        rate: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self._start(validate_args, concentration=concentration, rate=rate)

    @property
    def mean(self) -> Tensor:
        is_there, c = _above(self.concentration, 1)
        return where(is_there, self.rate / (c - 1), inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        is_there, c = _above(self.concentration, 2)
        return where(is_there, self.rate.square() / ((c - 1).square() * (c - 2)), inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        c = self.concentration.expand(self._extended_shape(sample_shape))
        return self.rate * (-log_gamma_rsample(c)).exp().to(c.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        given, c = self._checked(value), self.concentration
        return c * self.rate.log() - c.lgamma() - (c + 1) * given.log() - self.rate / given

    def cdf(self, value: Tensor) -> Tensor:
        return igammac(self.concentration, self.rate / self._checked(value))

    def entropy(self) -> Tensor:
        c = self.concentration
        return c + self.rate.log() + c.lgamma() - (1 + c) * c.digamma()


class FisherSnedecor(_OfTwo):
    """Ratios of two chi-squared numbers, each over its degrees of freedom.

    Args:
        df1: Those above, more than 0: a tensor, or a number.
        df2: Those below, likewise; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.FisherSnedecor(2.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "df1": constraints.positive,
        "df2": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"df1": 0, "df2": 0}
    df1: Tensor
    df2: Tensor

    support: Constraint = constraints.positive

    def __init__(
        self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self._start(validate_args, df1=df1, df2=df2)

    @property
    def mean(self) -> Tensor:
        is_there, below = _above(self.df2, 2)
        return where(is_there, below / (below - 2), nan)

    @property
    def mode(self) -> Tensor:
        is_there, above = _above(self.df1, 2)
        return where(is_there, (above - 2) / above * (self.df2 / (self.df2 + 2)), nan)

    @property
    def variance(self) -> Tensor:
        is_there, below = _above(self.df2, 4)
        above = self.df1
        spread = (below - 2).square() * (below - 4) * above
        return where(is_there, 2 * below.square() * (above + below - 2) / spread, nan)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        halves = [(it / 2).expand(sizes) for it in (self.df1, self.df2)]
        above, below = (log_gamma_rsample(it) for it in halves)
        drawn = (above - below).exp().to(self.df1.dtype) * (self.df2 / self.df1)
        return drawn.clamp(min=finfo(drawn.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        given = self._checked(value)
        a, b, ratio = self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        ways = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return ways + a * ratio.log() + (a - 1) * given.log() - (a + b) * (ratio * given).log1p()


def _above(given: Tensor, least: int) -> tuple[Tensor, Tensor]:
    """Where it is above a number; and it, with a larger one elsewhere, of which formulas are."""
    is_above = given > least
    return is_above, where(is_above, given, least + 1.0)
