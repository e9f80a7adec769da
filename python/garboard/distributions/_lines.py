"""Distributions of numbers on a line, each drawn by its inverse."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, nan, pi
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, where
from garboard._ops.dtypes import finfo
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._parameters import floating, together
from garboard.distributions.constraints import Constraint

__all__ = ["Cauchy", "Exponential", "Gumbel", "Laplace", "Uniform"]

_EULER = 0.57721566490153286


def waiting_times(like: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Draws of the density e^-x, of which none is 0."""
    with no_grad():
        drawn = _engine.empty(sizes, dtype=like.dtype, device=like.device).exponential_()
        return drawn.clamp(min=finfo(like.dtype).tiny)


class Uniform(Distribution):
    """Numbers in [low, high), all alike.

    Args:
        low: The least: a tensor, or a number.
        high: What they stay below; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A `low` that is not below `high`.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Uniform(0.0, 2.0).log_prob(gb.tensor(1.0))
    tensor(-0.6931)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "low": constraints.dependent,
        "high": constraints.dependent,
    }
    _held: ClassVar[dict[str, int]] = {"low": 0, "high": 0}
    low: Tensor
    high: Tensor

    def __init__(
        self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = together("Uniform", low=low, high=high)
        super().__init__(self.low.shape, (), validate_args)
        if self._validate_args:
            self._refuse_unless(constraints.less_than(self.high.detach()), "low", self.low)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        return constraints.interval(self.low.detach(), self.high.detach())

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return self.high * nan

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).square() / 12

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        drawn = _engine.rand(sizes, dtype=self.low.dtype, device=self.low.device)
        return self.low + drawn * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        given = self._checked(value)
        is_inside = (given >= self.low.detach()) & (given < self.high.detach())
        width = self.high - self.low
        return where(is_inside, 0.0, -inf).to(width.dtype) - width.log()

    def cdf(self, value: Tensor) -> Tensor:
        return ((self._checked(value) - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        return check.tensor("Uniform", "value", value) * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return (self.high - self.low).log()


class Exponential(Distribution):
    """Waiting times of what happens `rate` times a unit of time, on average.

    Args:
        rate: Above 0: a tensor, or a number.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A rate that is not above 0.

    >>> gb.distributions.Exponential(2.0).log_prob(gb.tensor(1.0))
    tensor(-1.3069)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {"rate": constraints.positive}
    _held: ClassVar[dict[str, int]] = {"rate": 0}

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        self.rate: Tensor = floating("Exponential", "rate", rate)
        super().__init__(self.rate.shape, (), validate_args)

    support: Constraint = constraints.nonnegative

    @property
    def mean(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        return _engine.zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        return self.rate.square().reciprocal()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        return waiting_times(self.rate, self._extended_shape(sample_shape)) / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        return self.rate.log() - self.rate * self._checked(value)

    def cdf(self, value: Tensor) -> Tensor:
        return -(-self.rate * self._checked(value)).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        return -(-check.tensor("Exponential", "value", value)).log1p() / self.rate

    def entropy(self) -> Tensor:
        return 1 - self.rate.log()


class _LocScale(Distribution):
    """A density of (x - loc) / scale, of all numbers."""

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
        self.loc, self.scale = together(type(self).__name__, loc=loc, scale=scale)
        super().__init__(self.loc.shape, (), validate_args)

    support: Constraint = constraints.real

    @property
    def mode(self) -> Tensor:
        return self.loc

    def _apart(self, value: Tensor) -> Tensor:
        return (self._checked(value) - self.loc) / self.scale


class Laplace(_LocScale):
    """Numbers of the density e^(-|x - loc| / scale) / (2 scale).

    Args:
        loc: The means: a tensor, or a number.
        scale: Above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Laplace(0.0, 1.0).log_prob(gb.tensor(1.0))
    tensor(-1.6931)
    """

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.square()

    @property
    def stddev(self) -> Tensor:
        return self.scale * 2**0.5

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        sign = 2 * _engine.randint(0, 2, sizes, device=self.loc.device).to(self.loc.dtype) - 1
        return self.loc + self.scale * (sign * waiting_times(self.loc, sizes))

    def log_prob(self, value: Tensor) -> Tensor:
        return -self._apart(value).abs() - (2 * self.scale).log()

    def cdf(self, value: Tensor) -> Tensor:
        apart = self._apart(value)
        return 0.5 - 0.5 * apart.sign() * (-apart.abs()).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        apart = check.tensor("Laplace", "value", value) - 0.5
        return self.loc - self.scale * apart.sign() * (-2 * apart.abs()).log1p()

    def entropy(self) -> Tensor:
        return 1 + (2 * self.scale).log()


class Cauchy(_LocScale):
    """Numbers of the density 1 / (pi scale (1 + ((x - loc) / scale)^2)), which have no mean.

    Args:
        loc: The medians: a tensor, or a number.
        scale: Above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Cauchy(0.0, 1.0).log_prob(gb.tensor(0.0))
    tensor(-1.1447)
    """

    @property
    def mean(self) -> Tensor:
        return _engine.full_like(self.loc, nan)

    @property
    def variance(self) -> Tensor:
        return _engine.full_like(self.loc, inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        with no_grad():
            drawn = _engine.empty(sizes, dtype=self.loc.dtype, device=self.loc.device).cauchy_()
        return self.loc + self.scale * drawn

    def log_prob(self, value: Tensor) -> Tensor:
        return -log(pi) - self.scale.log() - self._apart(value).square().log1p()

    def cdf(self, value: Tensor) -> Tensor:
        return self._apart(value).atan() / pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        angle = pi * (check.tensor("Cauchy", "value", value) - 0.5)
        return self.loc + self.scale * angle.tan()

    def entropy(self) -> Tensor:
        return log(4 * pi) + self.scale.log()


class Gumbel(_LocScale):
    """The largest of many numbers: of the distribution e^(-e^(-(x - loc) / scale)).

    Args:
        loc: The modes: a tensor, or a number.
        scale: Above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.Gumbel(0.0, 1.0).log_prob(gb.tensor(0.0))
    tensor(-1.)
    """

    @property
    def base_dist(self) -> Uniform:
        """What e^(-e^(-(x - loc) / scale)) is."""
        kind = finfo(self.scale.dtype)
        low = self.loc.new_full(self.loc.shape, kind.tiny)
        return Uniform(low, low.new_full(low.shape, 1 - kind.eps), validate_args=False)

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * _EULER

    @property
    def stddev(self) -> Tensor:
        return self.scale * (pi / 6**0.5)

    @property
    def variance(self) -> Tensor:
        return self.stddev.square()

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        waited = waiting_times(self.loc, self._extended_shape(sample_shape))
        return self.loc - self.scale * waited.log()

    def log_prob(self, value: Tensor) -> Tensor:
        apart = self._apart(value)
        return -apart - (-apart).exp() - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        return (-(-self._apart(value)).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        share = check.tensor("Gumbel", "value", value)
        return self.loc - self.scale * (-share.log()).log()

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + _EULER)
