"""Distributions on a circle, in the unit interval, and beyond a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, pi
from typing import ClassVar

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._contexts.grad_mode import no_grad
from garboard._engine import Tensor, where
from garboard._ops.dtypes import finfo
from garboard.distributions import constraints
from garboard.distributions._distribution import Distribution
from garboard.distributions._parameters import clamped, floating, log_of_odds, one_of, together
from garboard.distributions.constraints import Constraint

__all__ = ["ContinuousBernoulli", "GeneralizedPareto", "VonMises"]

_INF, _NAN = float("inf"), float("nan")
# From here on the density around a circle is a normal one but for one part in this many, and the
# angles of proposals, which are taken of cosines, have no digits left.
_NARROW = 1e12


class VonMises(Distribution):
    """Angles of the density e^(k cos(x - loc)) / (2 pi I0(k)), k = concentration.

    Drawn exactly, by rejection (Best and Fisher, "Efficient simulation of the von Mises
    distribution", 1979).

    Args:
        loc: The mean angles, in radians: a tensor, or a number.
        concentration: Above 0; the sizes broadcast.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A concentration that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.VonMises(0.0, 1.0).log_prob(gb.tensor(0.0))
    tensor(-1.0738)
    """

    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    _held: ClassVar[dict[str, int]] = {"loc": 0, "concentration": 0}
    loc: Tensor
    concentration: Tensor

    def __init__(
        self,
        loc: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.concentration = together("VonMises", loc=loc, concentration=concentration)
        super().__init__(self.loc.shape, (), validate_args)

    support: Constraint = constraints.real

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """1 less the length of the mean direction."""
        return 1 - _engine.i1e(self.concentration) / _engine.i0e(self.concentration)

    def log_prob(self, value: Tensor) -> Tensor:
        k = self.concentration
        turned = (self._checked(value) - self.loc).cos()
        return k * (turned - 1) - log(2 * pi) - _engine.i0e(k).log()

    def sample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        with no_grad():
            k = self.concentration.to(_engine.float64).expand(sizes)
            turned = von_mises_draws(k) + self.loc
            return ((turned + pi).remainder(2 * pi) - pi).to(self.loc.dtype)


def von_mises_draws(concentration: Tensor) -> Tensor:
    """An angle around 0 of each concentration, in float64; NaN of what is none."""
    k = concentration.reshape(-1)
    found = _engine.full_like(k, _NAN)
    is_narrow = k > _NARROW
    if bool(is_narrow.any()):
        sharp = k[is_narrow]
        drawn = _engine.randn(*sharp.shape, dtype=k.dtype, device=k.device)
        found[is_narrow] = drawn * sharp.rsqrt()
    left = ((k > 0) & ~is_narrow).argwhere().squeeze(-1)
    while left.numel():
        angle, is_taken = _proposed(k[left])
        found[left[is_taken]] = angle[is_taken]
        left = left[~is_taken]
    return found.view(concentration.shape)


def _proposed(k: Tensor) -> tuple[Tensor, Tensor]:
    """Angles of a wrapped Cauchy distribution around the density, and which of them are taken."""
    root = 1 + (1 + 4 * k.square()).sqrt()
    rho = (root - (2 * root).sqrt()) / (2 * k)
    # Of a small k the difference has no digits left, and r is 1 / k + k.
    r = where(k < 1e-4, 1 / k + k, (1 + rho.square()) / (2 * rho))
    first, second, third = _engine.rand(3, *k.shape, dtype=k.dtype, device=k.device)
    z = (pi * first).cos()
    f = ((1 + r * z) / (r + z)).clamp(-1.0, 1.0)
    c = k * (r - f)
    is_taken = (c * (2 - c) > second) | ((c / second).log() + 1 - c >= 0)
    return (third - 0.5).sign() * f.acos(), is_taken


class ContinuousBernoulli(Distribution):
    """Numbers in [0, 1] of a density in proportion to p^x (1 - p)^(1 - x).

    Loaiza-Ganem and Cunningham, "The continuous Bernoulli: fixing a pervasive error in variational
    autoencoders", arXiv:1907.06845.

    Args:
        probs: p, in (0, 1): a tensor, or a number.
        logits: ln(p / (1 - p)), instead.
        lims: Between these p is taken to be near 1/2, where formulas are series.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A parameter out of its range, or not one of `probs` and `logits`.

    >>> gb.distributions.ContinuousBernoulli(0.5).log_prob(gb.tensor(0.3))
    tensor(0.)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    _held: ClassVar[dict[str, int]] = {"_probs": 0, "_logits": 0}

    def __init__(
        self,
        probs: Tensor | float | None = None,
        logits: Tensor | float | None = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        op = "ContinuousBernoulli"
        one_of(op, probs, logits)
        self._lims = tuple(check.worth(op, "lims", it) for it in lims)
        self._probs: Tensor | None = None if probs is None else floating(op, "probs", probs)
        self._logits: Tensor | None = None if logits is None else floating(op, "logits", logits)
        checks = self._validate_args if validate_args is None else validate_args
        if checks and self._probs is not None:
            self._refuse_unless(constraints.unit_interval, "probs", self._probs)
        if checks and self._logits is not None:
            self._refuse_unless(constraints.real, "logits", self._logits)
        super().__init__(self._given.shape, (), validate_args)

    @property
    def _told_names(self) -> tuple[str, ...]:
        return ("probs",) if self._logits is None else ("logits",)

    @property
    def _given(self) -> Tensor:
        found = self._logits if self._probs is None else self._probs
        assert found is not None
        return found

    @property
    def param_shape(self) -> tuple[int, ...]:
        """The sizes of the parameter."""
        return self._given.shape

    @property
    def probs(self) -> Tensor:
        """p, no nearer to 0 and 1 than a dtype tells apart."""
        return clamped(self._given.sigmoid() if self._probs is None else self._probs)

    @property
    def logits(self) -> Tensor:
        """ln(p / (1 - p))."""
        return self._given if self._probs is None else log_of_odds(self._probs)

    support: Constraint = constraints.unit_interval

    def _apart(self) -> tuple[Tensor, Tensor, Tensor]:
        """Where p is far from 1/2, p there and something else elsewhere, and p - 1/2."""
        p = self.probs
        is_far = (p <= self._lims[0]) | (p > self._lims[1])
        return is_far, where(is_far, p, self._lims[0] if self._lims[0] != 0.5 else 0.25), p - 0.5

    def _log_norm(self) -> Tensor:
        is_far, p, x = self._apart()
        odds = (-p).log1p() - p.log()
        squared = x.square()
        near = log(2.0) + (4 / 3 + 104 / 45 * squared) * squared
        return where(is_far, odds.abs().log() - (1 - 2 * p).abs().log(), near)

    @property
    def mean(self) -> Tensor:
        is_far, p, x = self._apart()
        far = p / (2 * p - 1) + 1 / ((-p).log1p() - p.log())
        return where(is_far, far, 0.5 + (1 / 3 + 16 / 45 * x.square()) * x)

    @property
    def variance(self) -> Tensor:
        is_far, p, x = self._apart()
        far = p * (p - 1) / (1 - 2 * p).square() + 1 / ((-p).log1p() - p.log()).square()
        squared = x.square()
        return where(is_far, far, 1 / 12 - (1 / 15 - 128 / 945 * squared) * squared)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        return self.icdf(_engine.rand(sizes, dtype=self._given.dtype, device=self._given.device))

    def log_prob(self, value: Tensor) -> Tensor:
        given, logits = self._checked(value), self.logits
        return given * logits - _engine._softplus(logits) + self._log_norm()

    def cdf(self, value: Tensor) -> Tensor:
        given, logits = self._checked(value), self.logits
        is_even, slope = logits == 0, where(logits == 0, 1.0, logits)
        share = (slope * given).expm1() / slope.expm1()
        return where(is_even, given, share).clamp(0.0, 1.0)

    def icdf(self, value: Tensor) -> Tensor:
        share, logits = check.tensor("ContinuousBernoulli", "value", value), self.logits
        is_even, slope = logits == 0, where(logits == 0, 1.0, logits)
        return where(is_even, share, (share * slope.expm1()).log1p() / slope)

    def entropy(self) -> Tensor:
        p = self.probs
        rest = (-p).log1p()
        return self.mean * (rest - p.log()) - self._log_norm() - rest


class GeneralizedPareto(Distribution):
    """Numbers beyond `loc` whose tail falls like a power, an exponential, or ends.

    The density is (1 + k z)^(-1 / k - 1) / scale with z = (x - loc) / scale and k = concentration,
    and e^-z / scale for k = 0.

    Args:
        loc: The least number: a tensor, or a number.
        scale: Above 0; the sizes broadcast.
        concentration: How heavy the tail is; below 0 it ends at loc - scale / k.
        validate_args: False leaves the checks out, which wait for the device.

    Raises:
        ValueError: A scale that is not above 0.
        ShapeError: Sizes that do not broadcast.

    >>> gb.distributions.GeneralizedPareto(1.0, 2.0, 0.25).mean
    tensor(3.6667)
    """

    has_rsample = True
    arg_constraints: ClassVar[dict[str, Constraint]] = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    _held: ClassVar[dict[str, int]] = {"loc": 0, "scale": 0, "concentration": 0}
    loc: Tensor
    scale: Tensor
    concentration: Tensor

    def __init__(
        self,
        loc: Tensor | float,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.loc, self.scale, self.concentration = together(
            "GeneralizedPareto", loc=loc, scale=scale, concentration=concentration
        )
        super().__init__(self.loc.shape, (), validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Constraint:
        k = self.concentration
        end = self.loc - self.scale / where(k < 0, k, -1.0)
        return constraints.interval(self.loc, where(k < 0, end, _INF))

    def _apart(self) -> tuple[Tensor, Tensor]:
        """Where k is 0 to a dtype's digits, and k elsewhere."""
        k = self.concentration
        is_zero = k.abs() <= finfo(k.dtype).tiny
        return is_zero, where(is_zero, 1.0, k)

    @property
    def mean(self) -> Tensor:
        k = self.concentration
        found = self.loc + self.scale / (1 - where(k < 1, k, 0.0))
        return where(k < 1, found, _INF)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        k = self.concentration
        inside = where(k < 0.5, k, 0.0)
        found = self.scale.square() / ((1 - inside).square() * (1 - 2 * inside))
        return where(k < 0.5, found, _INF)

    def rsample(self, sample_shape: Sequence[int] = ()) -> Tensor:
        sizes = self._extended_shape(sample_shape)
        return self.icdf(_engine.rand(sizes, dtype=self.loc.dtype, device=self.loc.device))

    def _log_rest(self, value: Tensor) -> Tensor:
        """The logarithm of how much lies beyond."""
        is_zero, k = self._apart()
        z = (value - self.loc) / self.scale
        return where(is_zero, -z, -(k * z).log1p() / k)

    def log_prob(self, value: Tensor) -> Tensor:
        rest = self._log_rest(self._checked(value))
        return rest * (1 + self.concentration) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        return -self._log_rest(self._checked(value)).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        share = check.tensor("GeneralizedPareto", "value", value)
        is_zero, k = self._apart()
        waited = -(-share).log1p()
        return self.loc + self.scale * where(is_zero, waited, (k * waited).expm1() / k)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1


all_overridable(globals(), "von_mises_draws")
