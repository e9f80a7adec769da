"""How far one distribution is from another: a table of formulas by pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import Any, TypeVar

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor, as_tensor, equal, where
from garboard._ops.functions import broadcast_shapes
from garboard._ops.special_functions import mvlgamma
from garboard.distributions import _bounded as bounded
from garboard.distributions import _classes as classes
from garboard.distributions import _counts as counts
from garboard.distributions import _gammas as gammas
from garboard.distributions import _lines as lines
from garboard.distributions import _made as made
from garboard.distributions import _magnitudes as magnitudes
from garboard.distributions import _matrices as matrices
from garboard.distributions import _mixed_divergences as mixed
from garboard.distributions import _normal as normal
from garboard.distributions import _tails as tails
from garboard.distributions._constraint import Constraint
from garboard.distributions._distribution import Distribution
from garboard.distributions._exponential_family import ExponentialFamily, family_divergence
from garboard.distributions._parameters import event_sum
from garboard.distributions._transform import Transform

__all__ = ["kl_divergence", "register_kl"]

_Formula = Callable[[Any, Any], Tensor]
_F = TypeVar("_F", bound=_Formula)
_KL_REGISTRY: dict[tuple[type, type], _Formula] = dict(mixed.FORMULAS)  # PyTorch's name
_INF = float("inf")
_OF_ONE = ("_cache_size", "_cached_x_y")  # what says nothing of what a transform does
_EULER = 0.57721566490153286


def register_kl(type_p: type[Distribution], type_q: type[Distribution]) -> Callable[[_F], _F]:
    """Say how the divergence of two classes, and of their subclasses, is computed.

    Args:
        type_p: The class of the first.
        type_q: The class of the second.

    Returns:
        A decorator of a function of both, which returns a tensor.

    Raises:
        TypeError: No classes.

    >>> class Mine(gb.distributions.Normal):
    ...     pass
    >>> @gb.distributions.register_kl(Mine, Mine)
    ... def of_mine(p: Mine, q: Mine) -> gb.Tensor:
    ...     return gb.zeros(p.batch_shape)
    >>> gb.distributions.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0))
    tensor(0.)
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type):  # a base that distributions share need be none itself
            raise TypeError(f"register_kl: {name} is no class; one of distributions is needed")

    def register(formula: _F) -> _F:
        _KL_REGISTRY[type_p, type_q] = formula
        return formula

    return register


def _formula_of(p: type, q: type) -> _Formula | None:
    """The formula of the nearest classes: the first's bases count before the second's."""
    for base in p.__mro__:
        for other in q.__mro__:
            if (base, other) in _KL_REGISTRY:
                return _KL_REGISTRY[base, other]
    return None


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """Compute how far one distribution is from another, in nats: the mean of ln p(x) - ln q(x).

    Args:
        p: A distribution.
        q: Another, of a class that the first's has a formula with.

    Returns:
        A new tensor of the batches' sizes, broadcast.

    Raises:
        TypeError: Something else is given.
        NotImplementedError: There is no formula; `register_kl` adds one.

    >>> from garboard.distributions import Normal, kl_divergence
    >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
    tensor(0.5000)
    """
    check.of_type(Distribution, "kl_divergence", "p", p)
    check.of_type(Distribution, "kl_divergence", "q", q)
    formula = _formula_of(type(p), type(q))
    if formula is None:
        raise NotImplementedError(
            f"kl_divergence: {type(p).__name__} and {type(q).__name__}; two classes with a formula "
            "are needed, register_kl adds one"
        )
    return formula(p, q)


register_kl(ExponentialFamily, ExponentialFamily)(family_divergence)


@register_kl(normal.Normal, normal.Normal)
def _normal(p: normal.Normal, q: normal.Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    apart = ((p.loc - q.loc) / q.scale).square()
    return 0.5 * (ratio + apart - 1 - ratio.log())


@register_kl(tails.Pareto, tails.Pareto)
def _pareto(p: tails.Pareto, q: tails.Pareto) -> Tensor:
    falls = q.alpha / p.alpha
    found = q.alpha * (p.scale / q.scale).log() - falls.log() + falls - 1
    return where(p.scale < q.scale, _INF, found)


@register_kl(magnitudes.HalfNormal, magnitudes.HalfNormal)
def _half_normal(p: magnitudes.HalfNormal, q: magnitudes.HalfNormal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio - 1 - ratio.log())


@register_kl(normal.MultivariateNormal, normal.MultivariateNormal)
def _multivariate_normal(p: normal.MultivariateNormal, q: normal.MultivariateNormal) -> Tensor:
    from garboard.linalg import solve_triangular

    size = p.event_shape[0]
    sizes = (*broadcast_shapes(p.batch_shape, q.batch_shape), size, size)
    mapped = solve_triangular(q.scale_tril.expand(sizes), p.scale_tril.expand(sizes), upper=False)
    distance = normal.mahalanobis(q.scale_tril, p.loc - q.loc)
    spread = mapped.square().sum((-2, -1))
    return q._half_log_det() - p._half_log_det() + 0.5 * (spread + distance - size)


_NormalVectors = normal.MultivariateNormal | matrices.LowRankMultivariateNormal


@register_kl(matrices.LowRankMultivariateNormal, matrices.LowRankMultivariateNormal)
@register_kl(matrices.LowRankMultivariateNormal, normal.MultivariateNormal)
@register_kl(normal.MultivariateNormal, matrices.LowRankMultivariateNormal)
def _normal_vectors(p: _NormalVectors, q: _NormalVectors) -> Tensor:
    inverse, apart = q.precision_matrix, p.loc - q.loc
    spread = (inverse * p.covariance_matrix).sum((-2, -1))
    distance = (apart * (inverse @ apart.unsqueeze(-1)).squeeze(-1)).sum(-1)
    grown = q._half_log_det() - p._half_log_det()
    return grown + 0.5 * (spread + distance - p.event_shape[0])


@register_kl(matrices.Wishart, matrices.Wishart)
def _wishart(p: matrices.Wishart, q: matrices.Wishart) -> Tensor:
    from garboard.linalg import solve_triangular

    size = p.event_shape[0]
    sizes = (*broadcast_shapes(p.batch_shape, q.batch_shape), size, size)
    mapped = solve_triangular(q.scale_tril.expand(sizes), p.scale_tril.expand(sizes), upper=False)
    gammas = mvlgamma(q.df / 2, size) - mvlgamma(p.df / 2, size)
    grown = q._half_log_det() - p._half_log_det()
    spread = mapped.square().sum((-2, -1)) - size
    return gammas + q.df * grown + (p.df - q.df) / 2 * p._slope() + p.df / 2 * spread


@register_kl(bounded.ContinuousBernoulli, bounded.ContinuousBernoulli)
def _continuous_bernoulli(p: bounded.ContinuousBernoulli, q: bounded.ContinuousBernoulli) -> Tensor:
    shares = (-p.probs).log1p() - (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + p._log_norm() - q._log_norm() + shares


@register_kl(classes.Categorical, classes.Categorical)
@register_kl(classes.OneHotCategorical, classes.OneHotCategorical)
def _classes(p: classes.Categorical, q: classes.Categorical) -> Tensor:
    probs = p.probs
    terms = probs * (p.logits - q.logits)
    terms = where((q.probs == 0) & (probs != 0), _INF, terms)
    return where(probs == 0, 0.0, terms).sum(-1)


@register_kl(counts.Bernoulli, counts.Bernoulli)
def _bernoulli(p: counts.Bernoulli, q: counts.Bernoulli) -> Tensor:
    ours, theirs, probs = p.logits, q.logits, p.probs
    yes = probs * (_engine._softplus(-theirs) - _engine._softplus(-ours))
    no = (1 - probs) * (_engine._softplus(theirs) - _engine._softplus(ours))
    found = where(probs == 0, 0.0, yes) + where(probs == 1, 0.0, no)
    others = q.probs
    is_apart = ((others == 0) & (probs != 0)) | ((others == 1) & (probs != 1))
    return where(is_apart, _INF, found)


@register_kl(counts.Binomial, counts.Binomial)
def _binomial(p: counts.Binomial, q: counts.Binomial) -> Tensor:
    probs, ours, theirs = p.probs, p.logits, q.logits
    each = probs * (ours - theirs) + _engine._softplus(theirs) - _engine._softplus(ours)
    return where(p.total_count > q.total_count, _INF, p.total_count * each)


@register_kl(counts.Geometric, counts.Geometric)
def _geometric(p: counts.Geometric, q: counts.Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(counts.Poisson, counts.Poisson)
def _poisson(p: counts.Poisson, q: counts.Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(lines.Uniform, lines.Uniform)
def _uniform(p: lines.Uniform, q: lines.Uniform) -> Tensor:
    found = ((q.high - q.low) / (p.high - p.low)).log()
    return where((q.low > p.low) | (q.high < p.high), _INF, found)


@register_kl(lines.Uniform, normal.Normal)
def _uniform_normal(p: lines.Uniform, q: normal.Normal) -> Tensor:
    width = p.high - p.low
    apart = (p.high + p.low - 2 * q.loc) / 2
    inside = (width.square() / 12 + apart.square()) / (2 * q.scale.square())
    return (q.scale / width).log() + 0.5 * log(2 * pi) + inside


@register_kl(lines.Exponential, lines.Exponential)
def _exponential(p: lines.Exponential, q: lines.Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - ratio.log() - 1


@register_kl(lines.Laplace, lines.Laplace)
def _laplace(p: lines.Laplace, q: lines.Laplace) -> Tensor:
    ratio = p.scale / q.scale
    apart = (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * (-apart / p.scale).exp() - 1


@register_kl(lines.Cauchy, lines.Cauchy)
def _cauchy(p: lines.Cauchy, q: lines.Cauchy) -> Tensor:
    both = (p.scale + q.scale).square() + (p.loc - q.loc).square()
    return both.log() - (4 * p.scale * q.scale).log()


@register_kl(magnitudes.HalfCauchy, magnitudes.HalfCauchy)
def _half_cauchy(p: magnitudes.HalfCauchy, q: magnitudes.HalfCauchy) -> Tensor:
    return 2 * (p.scale + q.scale).log() - (4 * p.scale * q.scale).log()


@register_kl(lines.Gumbel, lines.Gumbel)
def _gumbel(p: lines.Gumbel, q: lines.Gumbel) -> Tensor:
    ratio, ours, theirs = p.scale / q.scale, p.loc / p.scale, q.loc / q.scale
    shifted = theirs - ratio * ours
    risen = (shifted + (1 + ratio).lgamma()).exp()
    return ratio * _EULER - ratio.log() - (1 + _EULER) - shifted + risen


@register_kl(gammas.Gamma, gammas.Gamma)
@register_kl(tails.InverseGamma, tails.InverseGamma)  # what is done to both tells no more of either
def _gamma(p: gammas.Gamma | tails.InverseGamma, q: gammas.Gamma | tails.InverseGamma) -> Tensor:
    c, other = p.concentration, q.concentration
    return (
        other * (p.rate / q.rate).log()
        + other.lgamma()
        - c.lgamma()
        + (c - other) * c.digamma()
        + (q.rate - p.rate) * (c / p.rate)
    )


@register_kl(lines.Exponential, gammas.Gamma)
def _exponential_gamma(p: lines.Exponential, q: gammas.Gamma) -> Tensor:
    ratio, c = q.rate / p.rate, q.concentration
    return -c * ratio.log() + ratio + c.lgamma() + c * _EULER - (1 + _EULER)


@register_kl(gammas.Gamma, lines.Exponential)
def _gamma_exponential(p: gammas.Gamma, q: lines.Exponential) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(gammas.Beta, gammas.Beta)
def _beta(p: gammas.Beta, q: gammas.Beta) -> Tensor:
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    ways = (a + b).lgamma() - a.lgamma() - b.lgamma() - (c + d).lgamma() + c.lgamma() + d.lgamma()
    slopes = (a - c) * a.digamma() + (b - d) * b.digamma()
    return ways + slopes + (c + d - a - b) * (a + b).digamma()


@register_kl(gammas.Dirichlet, gammas.Dirichlet)
def _dirichlet(p: gammas.Dirichlet, q: gammas.Dirichlet) -> Tensor:
    ours, theirs = p.concentration, q.concentration
    total = ours.sum(-1)
    ways = total.lgamma() - theirs.sum(-1).lgamma() - (ours.lgamma() - theirs.lgamma()).sum(-1)
    slopes = ours.digamma() - total.digamma().unsqueeze(-1)
    return ways + ((ours - theirs) * slopes).sum(-1)


@register_kl(made.Independent, made.Independent)
def _independent(p: made.Independent, q: made.Independent) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError(
            f"kl_divergence: events of {p.reinterpreted_batch_ndims} and "
            f"{q.reinterpreted_batch_ndims} dims of the batch; as many are needed"
        )
    return event_sum(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


def _are_alike(one: Any, other: Any) -> bool:
    """Whether transforms, and what they are made of, do the same."""
    if isinstance(one, Transform) and type(one) is type(other):
        parts = ({n: it for n, it in vars(t).items() if n not in _OF_ONE} for t in (one, other))
        return _are_alike(*(list(it.items()) for it in parts))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_are_alike, one, other))
    if isinstance(one, Tensor) or isinstance(other, Tensor):
        return equal(as_tensor(one), as_tensor(other))
    return type(one) is type(other) and (isinstance(one, Constraint) or bool(one == other))


@register_kl(made.TransformedDistribution, made.TransformedDistribution)
def _transformed(p: made.TransformedDistribution, q: made.TransformedDistribution) -> Tensor:
    if not _are_alike(p.transforms, q.transforms) or p.event_shape != q.event_shape:
        raise NotImplementedError(
            f"kl_divergence: {type(p).__name__} of transforms {p.transforms}, and of "
            f"{q.transforms}; the same ones, and events of the same sizes, are needed"
        )
    found = kl_divergence(p.base_dist, q.base_dist)
    return event_sum(found, len(p.event_shape) - len(p.base_dist.event_shape))


@register_kl(made.LogisticNormal, made.LogisticNormal)
@register_kl(made.LogNormal, made.LogNormal)
def _of_normals(p: made.TransformedDistribution, q: made.TransformedDistribution) -> Tensor:
    return kl_divergence(p.base_dist, q.base_dist)
