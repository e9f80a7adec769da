"""How far distributions of different classes are from one another, as data.

The divergence is what `q` leaves of ln p on average, -H(p) - E ln q(x), and ln q asks for a few
means of x under p alone: of x, of its square, of ln x. Where q never draws what p draws, it is
infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi, sqrt
from typing import Any

from garboard._engine import Tensor, where
from garboard._ops.functions import broadcast_shapes
from garboard.distributions._bounded import ContinuousBernoulli
from garboard.distributions._counts import Bernoulli, Binomial, Poisson
from garboard.distributions._distribution import Distribution
from garboard.distributions._gammas import Beta, Gamma
from garboard.distributions._lines import Exponential, Gumbel, Laplace, Uniform
from garboard.distributions._normal import Normal
from garboard.distributions._tails import Pareto

__all__ = ["FORMULAS"]

_INF = float("inf")


def _infinite(p: Distribution, q: Distribution) -> Tensor:
    return p.mean.new_full(broadcast_shapes(p.batch_shape, q.batch_shape), _INF)


# Means of a function of x.


def _mean_of_log(p: Distribution) -> Tensor:
    """E ln x."""
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    assert isinstance(p, Uniform)
    return _mean_of_uniform_log(p.low, p.high)


def _mean_of_uniform_log(low: Tensor, high: Tensor) -> Tensor:
    """E ln x between two numbers that are not negative."""
    return (_times_log(high) - _times_log(low)) / (high - low) - 1


def _times_log(x: Tensor) -> Tensor:
    """x ln x, 0 at 0 and below, with a finite slope there."""
    inside = where(x > 0, x, 1.0)
    return inside * inside.log()


def _mean_of_fall(p: Distribution, scale: Tensor) -> Tensor:
    """E e^(-x / scale)."""
    if isinstance(p, Normal):
        return (-p.loc / scale + 0.5 * (p.scale / scale).square()).exp()
    if isinstance(p, Exponential):
        return p.rate / (p.rate + scale.reciprocal())
    if isinstance(p, Gamma):
        return (-p.concentration * (scale * p.rate).reciprocal().log1p()).exp()
    assert isinstance(p, Uniform)
    fall = (-p.low / scale).exp() * -((p.low - p.high) / scale).expm1()
    return scale * fall / (p.high - p.low)


# Divergences from one class.


def _from_normal(p: Distribution, q: Normal) -> Tensor:
    spread = p.variance + (p.mean - q.loc).square()
    return q.scale.log() + 0.5 * log(2 * pi) + spread / (2 * q.scale.square()) - p.entropy()


def _from_exponential(p: Distribution, q: Exponential) -> Tensor:
    return q.rate * p.mean - q.rate.log() - p.entropy()


def _from_gamma(p: Distribution, q: Gamma) -> Tensor:
    c = q.concentration
    normalizer = c * q.rate.log() - c.lgamma()
    return q.rate * p.mean - (c - 1) * _mean_of_log(p) - normalizer - p.entropy()


def _from_gumbel(p: Distribution, q: Gumbel) -> Tensor:
    fall = (q.loc / q.scale).exp() * _mean_of_fall(p, q.scale)
    return q.scale.log() + (p.mean - q.loc) / q.scale + fall - p.entropy()


def _from_continuous_bernoulli(p: Distribution, q: ContinuousBernoulli) -> Tensor:
    return -(p.mean * q.logits + (-q.probs).log1p() + q._log_norm()) - p.entropy()


def _from_uniform(p: Distribution, q: Uniform) -> Tensor:
    """Of what is drawn from all of [0, 1]."""
    found = (q.high - q.low).log() - p.entropy()
    return where((q.low > 0) | (q.high < 1), _INF, found)


def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    apart = (p.loc - q.loc) / (sqrt(2) * p.scale)
    distance = p.scale * sqrt(2) * ((-apart.square()).exp() / sqrt(pi) + apart * apart.erf())
    return (2 * q.scale).log() + distance / q.scale - p.entropy()


def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    return q.rate - p.probs * q.rate.log() - p.entropy()


# Of a uniform distribution, which may reach beyond what the other one draws.


def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    logs = (a - 1) * _mean_of_log(p) + (b - 1) * _mean_of_uniform_log(1 - p.high, 1 - p.low)
    found = a.lgamma() + b.lgamma() - (a + b).lgamma() - logs - p.entropy()
    return where((p.low < 0) | (p.high > 1), _INF, found)


def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    return where((p.low < 0) | (p.high > 1), _INF, _from_continuous_bernoulli(p, q))


def _uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    return where(p.low < 0, _INF, _from_exponential(p, q))


def _uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    return where(p.low < 0, _INF, _from_gamma(p, q))


def _uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    normalizer = q.alpha.log() + q.alpha * q.scale.log()
    found = (q.alpha + 1) * _mean_of_log(p) - normalizer - p.entropy()
    return where(p.low < q.scale, _INF, found)


_UNIT = (Beta, ContinuousBernoulli)
_HALF_LINE = (Exponential, Gamma)
_LINE = (Normal, Laplace, Gumbel)

# By what the first draws: the classes that never draw some of it.
_APART: dict[tuple[type, ...], tuple[type, ...]] = {
    _UNIT: (Pareto,),
    _HALF_LINE: (*_UNIT, Pareto, Uniform),
    _LINE: (*_UNIT, *_HALF_LINE, Pareto, Uniform),
    (Pareto,): (*_UNIT, Uniform),
    (Poisson,): (Bernoulli, Binomial),
}

# By the classes of the first and of the second.
FORMULAS: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {
    **{(p, q): _infinite for kinds, others in _APART.items() for p in kinds for q in others},
    **{(p, Normal): _from_normal for p in (*_UNIT, *_HALF_LINE, Gumbel, Laplace, Pareto)},
    **{(p, Exponential): _from_exponential for p in (*_UNIT, Pareto)},
    **{(p, Gamma): _from_gamma for p in (Beta, Pareto)},
    **{(p, Gumbel): _from_gumbel for p in (*_HALF_LINE, Normal, Uniform)},
    **{(p, Uniform): _from_uniform for p in _UNIT},
    (Beta, ContinuousBernoulli): _from_continuous_bernoulli,
    (Bernoulli, Poisson): _bernoulli_poisson,
    (Normal, Laplace): _normal_laplace,
    (Uniform, Beta): _uniform_beta,
    (Uniform, ContinuousBernoulli): _uniform_continuous_bernoulli,
    (Uniform, Exponential): _uniform_exponential,
    (Uniform, Gamma): _uniform_gamma,
    (Uniform, Pareto): _uniform_pareto,
}
