"""Magnitudes of numbers around 0: half a normal and half a Cauchy distribution."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, pi, sqrt
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, where
from garboard.distributions import constraints
from garboard.distributions._lines import Cauchy
from garboard.distributions._made import TransformedDistribution
from garboard.distributions._normal import Normal
from garboard.distributions._parameters import floating
from garboard.distributions.constraints import Constraint
from garboard.distributions.transforms import AbsTransform

__all__ = ["HalfCauchy", "HalfNormal"]


class _Magnitudes(TransformedDistribution):
    arg_constraints: ClassVar[dict[str, Constraint]] = {"scale": constraints.positive}
    base_dist: Normal | Cauchy

    support: Constraint = constraints.nonnegative

    def _start(
        self, base: type[Normal | Cauchy], scale: Tensor | float, validate_args: bool | None
    ) -> None:
        given = floating(self._name, "scale", scale)
        if self._validate_args if validate_args is None else validate_args:
            self._refuse_unless(constraints.positive, "scale", given)
        super().__init__(base(0.0, given, validate_args=False), AbsTransform(), validate_args)

    @property
    def scale(self) -> Tensor:
        """That of the numbers whose magnitudes these are."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return _engine.zeros_like(self.scale)


class HalfNormal(_Magnitudes):
    """Magnitudes of normal numbers around 0.

    Args:
        scale: The deviations of those numbers, above 0.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.

    >>> gb.distributions.HalfNormal(1.0).mean
    tensor(0.7979)
    """

    base_dist: Normal

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self._start(Normal, scale, validate_args)

    @property
    def mean(self) -> Tensor:
        return self.scale * sqrt(2 / pi)

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
        return _engine.where(apart >= 0, inside, -float("inf"))

    def cdf(self, value: Tensor) -> Tensor:
        return (self._checked(value) / (self.scale * sqrt(2))).erf()

    def icdf(self, value: Tensor) -> Tensor:
        return check.tensor("HalfNormal", "value", value).erfinv() * (self.scale * sqrt(2))

    def entropy(self) -> Tensor:
        return self.scale.log() + 0.5 * log(pi / 2) + 0.5


class HalfCauchy(_Magnitudes):
    """Sizes of Cauchy numbers around 0.

    Args:
        scale: Where half of them lie below, above 0: a tensor, or a number.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.

    >>> gb.distributions.HalfCauchy(2.0).cdf(gb.tensor(2.0))
    tensor(0.5000)
    """

    base_dist: Cauchy

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        self._start(Cauchy, scale, validate_args)

    @property
    def mean(self) -> Tensor:
        return _engine.full_like(self.scale, inf)

    @property
    def variance(self) -> Tensor:
        return _engine.full_like(self.scale, inf)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes, like = self._extended_shape(sample_shape), self.scale
        with no_grad():
            drawn = _engine.empty(sizes, dtype=like.dtype, device=like.device).cauchy_().abs_()
        return like * drawn

    def log_prob(self, value: Tensor) -> Tensor:
        share = self._checked(value) / self.scale
        found = log(2 / pi) - self.scale.log() - share.square().log1p()
        return where(share >= 0, found, -inf)

    def cdf(self, value: Tensor) -> Tensor:
        return (self._checked(value) / self.scale).atan() * (2 / pi)

    def icdf(self, value: Tensor) -> Tensor:
        return self.scale * (check.tensor("HalfCauchy", "value", value) * (pi / 2)).tan()

    def entropy(self) -> Tensor:
        return (2 * pi * self.scale).log()
