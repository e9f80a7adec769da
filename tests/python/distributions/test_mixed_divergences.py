"""Divergences of distributions of different classes, beside sums of the densities over a grid."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard import distributions as d
from garboard.distributions import kl_divergence
from garboard.distributions.kl import _KL_REGISTRY

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

INF = float("inf")

# By class: one of it, and where nearly all of it lies.
MADE = {
    "Beta": (lambda x: d.Beta(x(2.5), x(3.0)), (0, 1)),
    "ContinuousBernoulli": (lambda x: d.ContinuousBernoulli(x(0.3)), (0, 1)),
    "Exponential": (lambda x: d.Exponential(x(2.0)), (0, 40)),
    "Gamma": (lambda x: d.Gamma(x(2.5), x(1.5)), (0, 60)),
    "Gumbel": (lambda x: d.Gumbel(x(0.5), x(1.5)), (-9, 90)),
    "Laplace": (lambda x: d.Laplace(x(0.5), x(2.0)), (-80, 80)),
    "Normal": (lambda x: d.Normal(x(-0.5), x(1.5)), (-20, 20)),
    "Pareto": (lambda x: d.Pareto(x(0.25), x(9.0)), (0.25, 20)),
    "Uniform": (lambda x: d.Uniform(x(0.3), x(0.8)), (0.3, 0.8)),
}
FINITE = [
    ("Beta", "ContinuousBernoulli"),
    ("Beta", "Exponential"),
    ("Beta", "Gamma"),
    ("Beta", "Normal"),
    ("ContinuousBernoulli", "Exponential"),
    ("ContinuousBernoulli", "Normal"),
    ("Exponential", "Gumbel"),
    ("Exponential", "Normal"),
    ("Gamma", "Gumbel"),
    ("Gamma", "Normal"),
    ("Gumbel", "Normal"),
    ("Laplace", "Normal"),
    ("Normal", "Gumbel"),
    ("Normal", "Laplace"),
    ("Pareto", "Exponential"),
    ("Pareto", "Gamma"),
    ("Pareto", "Normal"),
    ("Uniform", "Beta"),
    ("Uniform", "ContinuousBernoulli"),
    ("Uniform", "Exponential"),
    ("Uniform", "Gamma"),
    ("Uniform", "Gumbel"),
    ("Uniform", "Normal"),
    ("Uniform", "Pareto"),
]


def double(value: float) -> gb.Tensor:
    return gb.tensor(value, dtype=gb.float64)


@pytest.mark.parametrize(("first", "second"), FINITE)
def test_a_divergence_is_the_mean_of_the_difference_of_logarithms(first, second):
    (make, (low, high)), (other, _) = MADE[first], MADE[second]
    p, q, count = make(double), other(double), 400_000

    found = kl_divergence(p, q)

    x = low + (high - low) * (gb.arange(count, dtype=gb.float64) + 0.5) / count
    ours = p.log_prob(x)
    mean = (ours.exp() * (ours - q.log_prob(x))).sum() * (high - low) / count
    assert found.item() == pytest.approx(mean.item(), rel=1e-4)


def test_one_of_all_the_unit_interval_is_held_against_a_uniform_one():
    p = d.Beta(2.0, 3.0)

    assert kl_divergence(p, d.Uniform(0.0, 1.0)).item() == pytest.approx(-p.entropy().item())
    assert kl_divergence(p, d.Uniform(0.1, 1.0)).item() == INF


def test_bernoulli_is_held_against_counts():
    found = kl_divergence(d.Bernoulli(0.25), d.Poisson(2.0))

    probs, others = gb.tensor([0.75, 0.25]), d.Poisson(2.0).log_prob(gb.tensor([0.0, 1.0]))
    assert found.item() == pytest.approx((probs * (probs.log() - others)).sum().item())


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (d.Normal, d.Gamma),
        (d.Gumbel, d.Beta),
        (d.Laplace, d.Uniform),
        (d.Gamma, d.Uniform),
        (d.Beta, d.Pareto),
        (d.Pareto, d.Uniform),
    ],
)
def test_what_the_other_never_draws_makes_it_infinite(p, q):
    found = kl_divergence(p(gb.ones(3), gb.full((3,), 2.0)), q(gb.ones(2, 1), gb.full((2, 1), 2.0)))

    assert found.tolist() == [[INF] * 3] * 2


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (lambda: d.Uniform(-0.1, 0.5), lambda: d.Beta(1.0, 2.0)),
        (lambda: d.Uniform(-0.1, 0.5), lambda: d.Exponential(1.0)),
        (lambda: d.Uniform(0.5, 1.5), lambda: d.ContinuousBernoulli(0.3)),
        (lambda: d.Pareto(1.0, 1.5), lambda: d.Normal(0.0, 1.0)),
        (lambda: d.Pareto(1.0, 0.5), lambda: d.Exponential(1.0)),
        (lambda: d.Poisson(1.0), lambda: d.Binomial(3, gb.tensor(0.5))),
    ],
)
def test_so_does_reaching_too_far(p, q):
    assert kl_divergence(p(), q()).item() == INF


def test_the_same_transforms_leave_the_divergence_of_what_they_are_of():
    base, other = d.Normal(gb.zeros(2), gb.ones(2)), d.Normal(gb.ones(2), gb.ones(2))
    affine = [d.AffineTransform(gb.tensor(1.0), 2.0), d.ExpTransform()]
    again = [d.AffineTransform(1.0, gb.tensor(2.0)), d.ExpTransform()]
    p, q = d.TransformedDistribution(base, affine), d.TransformedDistribution(other, again)

    assert kl_divergence(p, q).tolist() == kl_divergence(base, other).tolist()
    with pytest.raises(NotImplementedError, match="the same ones, and events of the same sizes"):
        kl_divergence(p, d.TransformedDistribution(other, [d.ExpTransform()]))


def test_the_table_is_found_under_pytorch_s_name():
    assert (d.Normal, d.Laplace) in _KL_REGISTRY
