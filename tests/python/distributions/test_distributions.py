"""Distributions: densities, moments and divergences beside formulas; draws, gradients, shapes."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from math import lgamma, log, pi
from typing import Any, NamedTuple

import garboard as gb
import garboard.distributions as dist
import numpy as np
import pytest
from garboard.distributions._gamma_draws import slope_of_log_gamma

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

EULER = 0.5772156649015329
DRAWS = 20000


def f64(values: Any) -> gb.Tensor:
    return gb.tensor(values, dtype=gb.float64)


def log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


class Row(NamedTuple):
    """A distribution by its parameters, a value, and what formulas say of it."""

    kind: str
    parameters: tuple[Any, ...]
    value: Any
    log_prob: float
    mean: Any
    variance: Any
    entropy: float | None = None
    is_moved: bool = True  # whether gradients pass through draws


ROWS = [
    Row("Normal", (1.5, 2.0), 0.5, -0.125 - log(2) - 0.5 * log(2 * pi), 1.5, 4.0,
        0.5 + 0.5 * log(2 * pi) + log(2)),
    Row("LogNormal", (0.5, 0.4), 2.0,
        -0.5 * ((log(2) - 0.5) / 0.4) ** 2 - log(0.4 * 2) - 0.5 * log(2 * pi),
        math.exp(0.58), (math.exp(0.16) - 1) * math.exp(1.16),
        0.5 + 0.5 * log(2 * pi) + log(0.4) + 0.5),
    Row("HalfNormal", (2.0,), 1.0, log(2) - 0.125 - log(2) - 0.5 * log(2 * pi),
        2 * math.sqrt(2 / pi), 4 * (1 - 2 / pi), 0.5 * log(pi * 4 / 2) + 0.5),
    Row("Uniform", (1.0, 5.0), 2.0, -log(4), 3.0, 16 / 12, log(4)),
    Row("Exponential", (2.0,), 0.7, log(2) - 1.4, 0.5, 0.25, 1 - log(2)),
    Row("Laplace", (1.0, 2.0), 4.0, -1.5 - log(4), 1.0, 8.0, 1 + log(4)),
    Row("Gumbel", (1.0, 2.0), 0.0, 0.5 - math.exp(0.5) - log(2), 1 + 2 * EULER,
        (pi * 2) ** 2 / 6, log(2) + EULER + 1),
    Row("Cauchy", (1.0, 2.0), 3.0, -log(2 * pi * 2), math.nan, math.inf, log(8 * pi)),
    Row("StudentT", (5.0, 1.0, 2.0), 3.0,
        lgamma(3) - lgamma(2.5) - 0.5 * log(5 * pi) - log(2) - 3 * log(1.2), 1.0, 4 * 5 / 3),
    Row("Gamma", (2.5, 2.0), 0.8, 2.5 * log(2) + 1.5 * log(0.8) - 1.6 - lgamma(2.5), 1.25, 0.625),
    Row("Chi2", (3.0,), 2.0, 0.5 * log(2) - 1 - 1.5 * log(2) - lgamma(1.5), 3.0, 6.0),
    Row("Beta", (2.0, 3.0), 0.3, log(0.3) + 2 * log(0.7) - log_beta(2, 3), 0.4, 0.04),
    Row("Beta", (0.01, 0.02), 0.3, -0.99 * log(0.3) - 0.98 * log(0.7) - log_beta(0.01, 0.02),
        1 / 3, 2 / 9 / 1.03),
    Row("Dirichlet", ([1.0, 2.0, 3.0],), [0.2, 0.3, 0.5],
        log(0.3) + 2 * log(0.5) + lgamma(6) - lgamma(2) - lgamma(3),
        [1 / 6, 1 / 3, 1 / 2], [5 / 252, 8 / 252, 9 / 252]),
    Row("MultivariateNormal", ([1.0, -1.0], [[2.0, 0.6], [0.6, 1.0]]), [0.0, 0.0],
        -log(2 * pi) - 0.5 * log(1.64) - 0.5 * (1.0 + 2.0 + 1.2) / 1.64, [1.0, -1.0], [2.0, 1.0],
        1 + log(2 * pi) + 0.5 * log(1.64)),
    Row("Pareto", (1.5, 3.0), 2.0, log(3) + 3 * log(1.5) - 4 * log(2), 2.25,
        1.5**2 * 3 / 4, log(0.5) + 1 + 1 / 3),
    Row("Weibull", (2.0, 1.5), 1.0, log(0.75) - 0.5 * log(2) - 0.5**1.5,
        2 * math.gamma(5 / 3), 4 * (math.gamma(7 / 3) - math.gamma(5 / 3) ** 2),
        EULER / 3 + log(4 / 3) + 1),
    Row("HalfCauchy", (2.0,), 2.0, log(2 / pi) - log(2) - log(2), math.inf, math.inf, log(4 * pi)),
    Row("Kumaraswamy", (2.0, 3.0), 0.5, log(6) + log(0.5) + 2 * log(0.75),
        3 * math.gamma(1.5) * 2 / math.gamma(4.5),
        0.25 - (3 * math.gamma(1.5) * 2 / math.gamma(4.5)) ** 2,
        2 / 3 + 0.5 * (1 + 1 / 2 + 1 / 3) - log(6)),
    Row("InverseGamma", (6.0, 2.0), 0.5, 6 * log(2) - lgamma(6) - 7 * log(0.5) - 4, 0.4,
        4 / (25 * 4), 6 + log(2) + lgamma(6) - 7 * (137 / 60 - EULER)),
    Row("FisherSnedecor", (6.0, 12.0), 1.0,
        lgamma(9) - lgamma(3) - lgamma(6) + 3 * log(0.5) - 9 * log(1.5), 1.2,
        2 * 144 * 16 / (6 * 100 * 8)),
    Row("NegativeBinomial", (3.0, 0.4), 2.0, log(6) + 3 * log(0.6) + 2 * log(0.4), 2.0, 2 / 0.6,
        None, False),
    Row("Bernoulli", (0.3,), 1.0, log(0.3), 0.3, 0.21, -0.3 * log(0.3) - 0.7 * log(0.7), False),
    Row("Geometric", (0.25,), 2.0, 2 * log(0.75) + log(0.25), 3.0, 12.0,
        (-0.25 * log(0.25) - 0.75 * log(0.75)) / 0.25, False),
    Row("Binomial", (4, 0.3), 1.0, log(4) + log(0.3) + 3 * log(0.7), 1.2, 0.84, None, False),
    Row("Binomial", (1000, 0.3), 280.0,
        lgamma(1001) - lgamma(281) - lgamma(721) + 280 * log(0.3) + 720 * log(0.7),
        300.0, 210.0, None, False),
    Row("Poisson", (3.5,), 2.0, 2 * log(3.5) - 3.5 - log(2), 3.5, 3.5, None, False),
    Row("Categorical", ([1.0, 2.0, 1.0],), 1, log(0.5), math.nan, math.nan, 1.5 * log(2), False),
    Row("OneHotCategorical", ([1.0, 2.0, 1.0],), [0.0, 1.0, 0.0], log(0.5), [0.25, 0.5, 0.25],
        [0.1875, 0.25, 0.1875], 1.5 * log(2), False),
    Row("Multinomial", (3, [1.0, 3.0]), [1.0, 2.0], log(3) + log(0.25) + 2 * log(0.75),
        [0.75, 2.25], [0.5625, 0.5625], None, False),
]  # fmt: skip

KLS = [
    ("Normal", (0.0, 1.0), (1.0, 2.0), log(2) + 2 / 8 - 0.5),
    ("LogNormal", (0.0, 1.0), (1.0, 2.0), log(2) + 2 / 8 - 0.5),
    ("HalfNormal", (1.0,), (2.0,), log(2) + 1 / 8 - 0.5),
    ("HalfCauchy", (2.0,), (3.5,), log(5.5**2 / (4 * 2 * 3.5))),
    ("InverseGamma", (2.0, 3.0), (2.5, 3.5), 0.021247336688873075),
    ("Uniform", (0.0, 1.0), (-1.0, 3.0), log(4)),
    ("Pareto", (2.0, 3.0), (1.0, 4.0), 4 * log(2) - log(4 / 3) + 1 / 3),
    ("Pareto", (1.0, 3.0), (2.0, 4.0), math.inf),
    ("Exponential", (1.0,), (2.0,), 2 - log(2) - 1),
    ("Laplace", (0.0, 1.0), (1.0, 2.0), log(2) + (1 + math.exp(-1)) / 2 - 1),
    ("Cauchy", (0.0, 1.0), (1.0, 2.0), log(10 / 8)),
    ("Gumbel", (0.0, 1.0), (0.0, 2.0), log(2) - EULER * 0.5 + math.gamma(1.5) - 1),
    ("Gamma", (2.0, 1.0), (3.0, 1.0), lgamma(3) - (1 - EULER)),
    ("Beta", (1.0, 1.0), (2.0, 2.0), log_beta(2, 2) + 2),
    ("Dirichlet", ([1.0, 1.0],), ([2.0, 2.0],), log_beta(2, 2) + 2),
    ("Bernoulli", (0.25,), (0.5,), 0.25 * log(0.5) + 0.75 * log(1.5)),
    ("Bernoulli", (0.25,), (0.0,), math.inf),
    ("Binomial", (4, 0.25), (4, 0.5), 4 * (0.25 * log(0.5) + 0.75 * log(1.5))),
    ("Geometric", (0.25,), (0.5,), (0.25 * log(0.5) + 0.75 * log(1.5)) / 0.25),
    ("Poisson", (2.0,), (1.0,), 2 * log(2) - 1),
    ("Categorical", ([1.0, 3.0],), ([1.0, 1.0],), 0.25 * log(0.5) + 0.75 * log(1.5)),
    ("Categorical", ([1.0, 1.0],), ([1.0, 0.0],), math.inf),
    ("MultivariateNormal", ([0.0, 0.0], np.eye(2)), ([1.0, 0.0], 2 * np.eye(2)),
     0.5 * (2 * log(2) - 2 + 1 + 0.5)),
]  # fmt: skip


def made(kind: str, parameters: tuple[Any, ...], *, batch: int = 0) -> dist.Distribution:
    """A distribution of float64 parameters, each `batch` times, which require grad."""
    given = []
    for it in parameters:
        if isinstance(it, int):
            given.append(it)
            continue
        array = np.asarray(it)
        given.append(f64(np.stack([array] * batch) if batch else array).requires_grad_())
    found: dist.Distribution = getattr(dist, kind)(*given)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
class TestEachDistribution:
    def test_agrees_with_its_formulas(self, row):
        it = made(row.kind, row.parameters)

        assert it.log_prob(f64(row.value)).item() == pytest.approx(row.log_prob, rel=1e-6)
        for found, expected in ((it.mean, row.mean), (it.variance, row.variance)):
            np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-6)
        np.testing.assert_allclose(it.stddev.detach().numpy() ** 2, row.variance, rtol=1e-6)
        if row.entropy is not None:
            assert it.entropy().item() == pytest.approx(row.entropy, rel=1e-6)
            assert it.perplexity().item() == pytest.approx(math.exp(row.entropy), rel=1e-6)

    def test_draws_what_it_says(self, row):
        gb.manual_seed(5)
        it = made(row.kind, row.parameters)

        drawn = it.sample((DRAWS,))

        assert drawn.shape == (DRAWS, *it.event_shape)
        assert not drawn.requires_grad
        assert bool(it.support.check(drawn).all())
        values = drawn.numpy().astype(np.float64)
        assert it.has_rsample is row.is_moved
        if np.isfinite(row.mean).all():
            spread = np.sqrt(row.variance)
            np.testing.assert_allclose(values.mean(0), row.mean, atol=5 * np.max(spread) / 141)
            np.testing.assert_allclose(values.std(0), spread, rtol=0.08)
        elif row.kind == "HalfCauchy":
            quarters = [2 * math.tan(pi / 8), 2.0, 2 * math.tan(3 * pi / 8)]
            np.testing.assert_allclose(np.quantile(values, [0.25, 0.5, 0.75]), quarters, rtol=0.08)
        elif row.kind == "Cauchy":
            np.testing.assert_allclose(np.quantile(values, [0.25, 0.5, 0.75]), [-1, 1, 3], atol=0.2)

    def test_has_sizes_and_holds_nothing_but_its_parameters(self, row):
        it = made(row.kind, row.parameters, batch=3)
        wide = it.expand((2, 3))

        assert it.batch_shape == (3,)
        assert wide.batch_shape == (2, 3)
        assert wide.event_shape == it.event_shape
        assert wide.sample((4,)).shape == (4, 2, 3, *it.event_shape)
        assert wide.log_prob(gb.tensor(row.value)).shape == (2, 3)
        assert wide.mean.shape == (2, 3, *it.event_shape) or row.kind == "Categorical"
        assert it.sample((0,)).shape == (0, 3, *it.event_shape)
        assert row.kind in repr(it)
        with gb.leaks.no_leaks():
            made(row.kind, row.parameters, batch=3).log_prob(f64(row.value)).sum().backward()
            if row.is_moved:
                made(row.kind, row.parameters).rsample((2,)).sum().backward()
            it.sample()
        with pytest.raises(ValueError, match=r"value holds .* are needed"):
            it.log_prob(gb.full(it.event_shape, math.nan))


def test_divergences_agree_with_their_formulas():
    for kind, p, q, expected in KLS:
        found = dist.kl_divergence(made(kind, p), made(kind, q)).item()
        same = dist.kl_divergence(made(kind, p), made(kind, p)).item()

        assert found == pytest.approx(expected, rel=1e-6), kind
        assert same == pytest.approx(0, abs=1e-9), kind


@pytest.mark.parametrize(
    "make",
    [
        lambda a: dist.Normal(a, 1.5),
        lambda a: dist.Uniform(a - 1, a + 2),
        lambda a: dist.Exponential(a),
        lambda a: dist.Laplace(a, 0.7),
        lambda a: dist.Gumbel(0.2, a),
        lambda a: dist.Gamma(a, 2.0),
        lambda a: dist.Gamma(a / 4, 2.0),
        lambda a: dist.Beta(a, 1.5),
        lambda a: dist.StudentT(8 + a, 0.0, a),
        lambda a: dist.LogNormal(a / 8, 0.3),
        lambda a: dist.HalfNormal(a),
        lambda a: dist.Chi2(a),
    ],
)
def test_gradients_through_draws_are_those_of_the_second_moment(make):
    gb.manual_seed(9)
    a = f64(1.3).requires_grad_()
    it = make(a)

    it.rsample((60000,)).square().mean().backward()

    drawn = a.grad.item()
    known = make(a)
    (exact,) = gb.autograd.grad((known.variance + known.mean.square()).sum(), [a])
    assert drawn == pytest.approx(exact.item(), rel=0.08)


@pytest.mark.parametrize("shape", [0.01, 0.3, 2.5, 40.0, 1e6])
def test_the_slope_of_gamma_numbers_keeps_their_probability(shape):
    gb.manual_seed(1)
    drawn = gb.distributions.Gamma(f64(shape), 1.0).sample((50,)).clamp(min=1e-290).log()
    step = 1e-5 * shape

    slopes = slope_of_log_gamma(gb.full_like(drawn, shape), drawn)

    # ln x of a chance near 0 is (ln(chance) + ln Gamma(shape + 1)) / shape, else by Wilson and
    # Hilferty nearly a cubed normal number; between them a bisection of the power series decides.
    if shape > 1e3:
        expected = 1 / shape + 0 * drawn.numpy()
        np.testing.assert_allclose(slopes.numpy(), expected, rtol=0.01)
        return
    for log_x, slope in zip(drawn.tolist()[:12], slopes.tolist()[:12], strict=True):
        up, down = (quantile_at(shape + way * step, shape, log_x) for way in (1, -1))
        assert slope == pytest.approx((up - down) / (2 * step), rel=1e-4)


def log_chance(shape: float, log_x: float) -> float:
    """The regularised lower incomplete gamma function's logarithm, by its power series."""
    x = math.exp(log_x)
    term = total = 1.0
    for place in range(1, 2000):
        term *= x / (shape + place)
        total += term
        if term < 1e-18 * total:
            break
    return shape * log_x - x - lgamma(shape + 1) + log(total)


def quantile_at(shape: float, of: float, log_x: float) -> float:
    """Where a gamma number of `shape` is as probable as one `of` another shape at e^log_x."""
    wanted, low, high = log_chance(of, log_x), log_x - 0.1 - abs(log_x) * 0.1, log_x + 0.1
    high += abs(log_x) * 0.1
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if log_chance(shape, middle) < wanted else (low, middle)
    return (low + high) / 2


class TestInverses:
    @pytest.mark.parametrize(
        "it",
        [
            lambda: dist.Normal(f64(1.0), 2.0),
            lambda: dist.Uniform(f64(1.0), 2.0),
            lambda: dist.Exponential(f64(2.0)),
            lambda: dist.Laplace(f64(1.0), 2.0),
            lambda: dist.Cauchy(f64(1.0), 2.0),
            lambda: dist.Gumbel(f64(1.0), 2.0),
            lambda: dist.HalfNormal(f64(2.0)),
            lambda: dist.LogNormal(f64(0.0), 0.5),
            lambda: dist.TransformedDistribution(
                dist.Normal(f64(0.0), 1.0), dist.AffineTransform(1.0, -2.0)
            ),
        ],
    )
    def test_of_distributions_undo_them_and_their_slope_is_the_density(self, it):
        share = f64([0.1, 0.45, 0.8])
        known = it()
        at = known.icdf(share).detach().requires_grad_()

        found = known.cdf(at)
        (slope,) = gb.autograd.grad(found.sum(), [at])

        np.testing.assert_allclose(found.detach().numpy(), share.numpy(), rtol=1e-9)
        np.testing.assert_allclose(slope.numpy(), known.log_prob(at).exp().detach(), rtol=1e-9)

    @pytest.mark.parametrize(
        "transform",
        [
            dist.ExpTransform(),
            dist.SigmoidTransform(),
            dist.TanhTransform(),
            dist.SoftplusTransform(),
            dist.AffineTransform(1.0, -2.0),
            dist.ComposeTransform([dist.ExpTransform(), dist.PowerTransform(-0.5)]),
            dist.IndependentTransform(dist.ExpTransform(), 1),
        ],
        ids=repr,
    )
    def test_of_transforms_undo_them_and_stretch_as_they_say(self, transform):
        x = f64([-0.7, 0.3, 1.2]).requires_grad_()

        y = transform(x)
        (slope,) = gb.autograd.grad(y.sum(), [x])
        grown = transform.log_abs_det_jacobian(x, y).detach().numpy()

        expected = np.log(np.abs(slope.numpy()))
        np.testing.assert_allclose(transform.inv(y.detach()).numpy(), x.detach(), rtol=1e-9)
        np.testing.assert_allclose(grown, expected.sum() if grown.ndim == 0 else expected)
        back = transform.inv.log_abs_det_jacobian(y, x).detach().numpy()
        np.testing.assert_allclose(back, -grown)
        assert np.all(np.sign(slope.numpy()) == transform.sign)

    def test_of_the_last_draw_are_exact_with_a_cache(self):
        x = f64(30.0)
        transform = dist.TanhTransform(cache_size=1)

        assert transform.inv(transform(x)) is x
        assert dist.TanhTransform().inv(dist.TanhTransform()(x)).item() == math.inf


class TestDistributionsOfOthers:
    def test_squashed_normals_of_a_policy(self):
        mean = gb.zeros(4, 2, requires_grad=True)
        base = dist.Independent(dist.Normal(mean, 1.0), 1)
        policy = dist.TransformedDistribution(base, [dist.TanhTransform(cache_size=1)])

        action = policy.rsample()
        known = policy.log_prob(action)
        known.sum().backward()

        raw = np.arctanh(action.detach().numpy().astype(np.float64))
        expected = -0.5 * raw**2 - 0.5 * log(2 * pi) - np.log1p(-(np.tanh(raw) ** 2))
        assert (policy.batch_shape, policy.event_shape) == ((4,), (2,))
        np.testing.assert_allclose(known.detach().numpy(), expected.sum(-1), rtol=1e-3)
        assert mean.grad is not None

    def test_transforms_reshape_and_broadcast_events(self):
        normal = dist.Normal(gb.zeros(3), 1.0)
        matrix = dist.TransformedDistribution(normal, dist.ReshapeTransform((3,), (1, 3)))
        wide = dist.TransformedDistribution(normal, dist.AffineTransform(gb.zeros(2, 1), 2.0))
        whole = dist.TransformedDistribution(normal, dist.AffineTransform(0.0, 2.0, event_dim=1))

        assert (matrix.batch_shape, matrix.event_shape) == ((), (1, 3))
        assert (wide.batch_shape, wide.sample().shape) == ((2, 3), (2, 3))
        assert wide.expand((5, 2, 3)).rsample((4,)).shape == (4, 5, 2, 3)
        expected = -1.5 * log(2 * pi) - 3 * log(2)
        assert whole.log_prob(gb.zeros(3)).item() == pytest.approx(expected)
        assert matrix.log_prob(gb.zeros(1, 3)).item() == pytest.approx(-1.5 * log(2 * pi))

    def test_a_mixture_weighs_its_parts(self):
        gb.manual_seed(4)
        weights = dist.Categorical(f64([0.25, 0.75]))
        mixture = dist.MixtureSameFamily(weights, dist.Normal(f64([-2.0, 2.0]), 0.5))

        drawn = mixture.sample((DRAWS,)).numpy()

        part = [math.exp(-0.5 * (x / 0.5) ** 2) / 0.5 / math.sqrt(2 * pi) for x in (3, 1)]
        expected = log(0.25 * part[0] + 0.75 * part[1])
        assert mixture.log_prob(f64(1.0)).item() == pytest.approx(expected)
        assert mixture.mean.item() == pytest.approx(1.0)
        assert mixture.variance.item() == pytest.approx(0.25 + 3.0)
        assert (drawn > 0).mean() == pytest.approx(0.75, abs=0.02)
        assert mixture.cdf(f64(0.0)).item() == pytest.approx(0.25, abs=1e-3)

    def test_a_mixture_of_many_rows_may_weigh_all_alike(self):
        gb.manual_seed(5)
        parts = dist.Normal(f64([[-2.0, 2.0], [0.0, 9.0], [1.0, 1.5]]), 0.5)
        rows = dist.MixtureSameFamily(dist.Categorical(f64([[0.25, 0.75]])), parts)
        alike = dist.MixtureSameFamily(dist.Categorical(f64([[0.25, 0.75]] * 3)), parts)
        at = f64([0.5, 1.0, 1.5])

        assert rows.batch_shape == (3,)
        assert rows.sample((4,)).shape == (4, 3)
        assert rows.log_prob(at).tolist() == alike.log_prob(at).tolist()
        assert rows.mean.tolist() == alike.mean.tolist()

    def test_divergences_add_up_over_events_and_can_be_taught(self):
        class Mine(dist.Normal):
            pass

        dist.register_kl(Mine, dist.Normal)(lambda p, q: gb.full((), 7.0))
        one, other = dist.Normal(gb.zeros(2, 3), 1.0), dist.Normal(gb.ones(2, 3), 1.0)

        pair = dist.Independent(one, 1), dist.Independent(other, 1)

        assert dist.kl_divergence(*pair).tolist() == [1.5, 1.5]
        assert dist.kl_divergence(Mine(0.0, 1.0), other).item() == 7.0

    def test_matrices_of_a_normal_vector_are_one_another(self):
        covariance = f64([[2.0, 0.6], [0.6, 1.0]])
        first = dist.MultivariateNormal(f64([0.0, 0.0]), covariance)
        second = dist.MultivariateNormal(f64([0.0, 0.0]), precision_matrix=first.precision_matrix)

        np.testing.assert_allclose(second.covariance_matrix.numpy(), covariance.numpy())
        np.testing.assert_allclose(
            first.precision_matrix.numpy(), np.linalg.inv(covariance.numpy())
        )
        np.testing.assert_allclose(second.scale_tril.numpy(), np.linalg.cholesky(covariance))


class TestNearlyDiscreteDraws:
    @pytest.mark.parametrize(
        ("relaxed", "discrete"),
        [
            (lambda: dist.RelaxedBernoulli(0.2, f64([0.3])), [0.3]),
            (lambda: dist.RelaxedOneHotCategorical(0.2, f64([0.3, 0.7])), [0.3, 0.7]),
        ],
    )
    def test_are_discrete_at_a_low_temperature(self, relaxed, discrete):
        gb.manual_seed(2)
        nearly = relaxed()

        drawn = nearly.rsample((8000,))

        np.testing.assert_allclose(drawn.round().mean(0).numpy(), discrete, atol=0.02)
        assert bool(nearly.log_prob(drawn).isfinite().all())

    def test_have_densities(self):
        hot = dist.RelaxedBernoulli(2.0, f64(0.3))
        at = gb.linspace(0.0005, 0.9995, 1000, dtype=gb.float64)
        row = dist.RelaxedOneHotCategorical(2.0, f64([0.7, 0.3]))

        whole = hot.log_prob(at).exp().mean().item()
        rows = row.log_prob(gb.stack([1 - at, at], -1)).exp().mean().item()

        assert whole == pytest.approx(1, abs=0.02)
        assert rows == pytest.approx(1, abs=0.02)

    def test_pass_gradients_straight_through(self):
        logits = f64([0.0, 1.0]).requires_grad_()
        row = dist.OneHotCategoricalStraightThrough(logits=logits).rsample()

        row[0].backward()

        share = 1 / (1 + math.e)
        assert sorted(row.detach().round().tolist()) == [0.0, 1.0]
        assert logits.grad.tolist() == pytest.approx([share * (1 - share), -share * (1 - share)])


def test_classes_are_listed_and_probable_whatever_the_batch():
    given = dist.Categorical(gb.ones(5, 1, 3))

    assert given.log_prob(gb.zeros(4, dtype=gb.int64)).shape == (5, 4)
    assert given.enumerate_support().shape == (3, 5, 1)
    assert given.enumerate_support(expand=False).shape == (3, 1, 1)
    assert dist.Categorical(gb.tensor([0.0, 1.0])).log_prob(gb.tensor([0])).item() < -15
    assert dist.Categorical(logits=gb.tensor([-math.inf, 1.0])).entropy().item() == 0
    assert dist.OneHotCategorical(gb.ones(2)).enumerate_support().tolist() == [[1, 0], [0, 1]]
    assert dist.Binomial(2, 0.5).enumerate_support().tolist() == [0, 1, 2]
    assert dist.Multinomial(2, gb.ones(2)).entropy().item() == pytest.approx(1.5 * log(2))


REFUSALS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: dist.Normal(0.0, 0.0), ValueError, "Normal: scale holds 0; numbers above 0 are need"),
    (lambda: dist.Normal(math.nan, 1.0), ValueError, "Normal: loc holds nan; numbers that are not"),
    (
        lambda: dist.Normal(gb.zeros(2), gb.ones(3)),
        gb.ShapeError,
        r"\[2\] and \[3\]; sizes that br",
    ),
    (lambda: dist.Normal("a", 1.0), TypeError, "Normal: loc is of type str"),
    (
        lambda: dist.Uniform(1.0, 1.0),
        ValueError,
        "Uniform: low holds 1; numbers below 1 are needed",
    ),
    (lambda: dist.Bernoulli(1.5), ValueError, r"probs holds 1.5; numbers in \[0, 1\] are needed"),
    (lambda: dist.Bernoulli(), ValueError, "Bernoulli: probs and logits; one of them"),
    (lambda: dist.Geometric(0.0), ValueError, "Geometric: probs holds 0; numbers above 0"),
    (lambda: dist.Binomial(-1, 0.5), ValueError, "total_count holds -1; integers of at least 0"),
    (lambda: dist.Binomial(math.inf, 0.5), ValueError, "total_count holds inf; integers of at"),
    (lambda: dist.Pareto(0.0, 1.0), ValueError, "Pareto: scale holds 0; numbers above 0"),
    (lambda: dist.Weibull(1.0, -1.0), ValueError, "Weibull: concentration holds -1"),
    (lambda: dist.NegativeBinomial(1.0, 1.0), ValueError, r"probs holds 1; numbers in \[0, 1\)"),
    (lambda: dist.NegativeBinomial(-1.0, 0.5), ValueError, "total_count holds -1; numbers"),
    (lambda: dist.NegativeBinomial(1.0), ValueError, "probs and logits; one of them"),
    (
        lambda: dist.Pareto(1.0, 1.0).log_prob(gb.tensor(0.5)),
        ValueError,
        r"at least 1 are needed within the support \(GreaterThanEq\(\)\)$",
    ),
    (lambda: dist.Multinomial(-1, gb.ones(2)), ValueError, "total_count -1; 0 or more is needed"),
    (lambda: dist.Categorical(gb.ones(2), gb.ones(2)), ValueError, "one of them is needed"),
    (lambda: dist.Categorical(gb.tensor([-1.0, 2.0])), ValueError, "that are not negative"),
    (lambda: dist.Categorical(gb.zeros(2)), ValueError, "and not all 0, are needed"),
    (lambda: dist.Categorical(logits=gb.tensor(1.0)), gb.ShapeError, "a tensor without dims"),
    (lambda: dist.Categorical([0.5, 0.5]), TypeError, "probs is of type list"),
    (lambda: dist.Dirichlet(gb.tensor([1.0, 0.0])), ValueError, "concentration holds what is none"),
    (lambda: dist.Dirichlet(gb.tensor(1.0)), gb.ShapeError, r"\[..., n\] is needed"),
    (lambda: dist.Gamma(1.0, -1.0), ValueError, "Gamma: rate holds -1; numbers above 0"),
    (lambda: dist.MultivariateNormal(gb.zeros(2)), ValueError, "0 of cov.*; one of them is needed"),
    (
        lambda: dist.MultivariateNormal(gb.zeros(2), -gb.eye(2)),
        ValueError,
        "covariance_matrix holds what is none; symmetric positive definite matrices are needed "
        r"to satisfy the constraint PositiveDefinite\(\)$",
    ),
    (lambda: dist.MultivariateNormal(gb.zeros(2), gb.eye(3)), gb.ShapeError, r"\[2\] and \[3, 3\]"),
    (lambda: dist.Bernoulli(0.5).rsample(), NotImplementedError, r"no rsample\(\) of this"),
    (lambda: dist.Normal(0.0, 1.0).log_prob(0.0), TypeError, "value is of type float"),
    (lambda: dist.Normal(0.0, 1.0).sample((-1,)), gb.ShapeError, "0 or more is needed"),
    (lambda: dist.Dirichlet(gb.ones(2)).log_prob(gb.ones(3)), gb.ShapeError, r"must be \[2\]"),
    (lambda: dist.Independent(dist.Normal(0.0, 1.0), 1), gb.ShapeError, "at most 0 is needed"),
    (lambda: dist.Normal(gb.zeros(2), 1.0).expand((3,)), gb.ShapeError, "differ at dim -1"),
    (lambda: dist.TransformedDistribution(dist.Normal(0.0, 1.0), 3), TypeError, "of type int"),
    (lambda: dist.PowerTransform(2.0).forward_shape({}), TypeError, "PowerTransform: shape is of"),
    (lambda: dist.ReshapeTransform((2,), (3,)), gb.ShapeError, "as many elements are needed"),
    (lambda: dist.ExpTransform(cache_size=2), ValueError, "0 or 1 is needed"),
    (
        lambda: dist.PowerTransform(2.0).log_abs_det_jacobian("x", gb.ones(1)),
        TypeError,
        "x is of type str",
    ),
    (lambda: dist.constraints.simplex.check([0.5, 0.5]), TypeError, "value is of type list"),
    (lambda: dist.constraints.square.check(gb.ones(2)), gb.ShapeError, "2 dims or more are needed"),
    (lambda: dist.register_kl(3, dist.Normal), TypeError, "type_p is no class; one of distrib"),
    (
        lambda: dist.kl_divergence(dist.Bernoulli(0.5), dist.Normal(0.0, 1.0)),
        NotImplementedError,
        "Bernoulli and Normal; two classes with a formula are needed",
    ),
]


def test_what_does_not_fit_is_refused_by_name():
    for make, error, message in REFUSALS:
        with pytest.raises(error, match=message):
            make()


@pytest.mark.parametrize("name", ["is_discrete", "event_dim", "lower_bound", "mine"])
def test_what_distributions_share_cannot_be_changed(name):
    constraints = dist.constraints

    for shared in (constraints.real, constraints.positive, constraints.real_vector):
        with pytest.raises(AttributeError):
            setattr(shared, name, gb.ones(2))

    assert copy.deepcopy(constraints.positive).lower_bound == 0


def test_a_constraint_of_the_users_own_may_say_what_it_is():
    class Even(dist.constraints.Constraint):
        def __init__(self) -> None:
            self.is_discrete = True

        def _test(self, value: gb.Tensor) -> gb.Tensor:
            return value % 2 == 0

    assert Even().is_discrete
    assert Even().check(gb.tensor([1.0, 2.0])).tolist() == [False, True]


def test_a_distribution_serves_several_backward_passes():
    loc, scale = gb.zeros(2, requires_grad=True), gb.ones(2, requires_grad=True)

    for it in (dist.Normal(loc, scale), dist.LogNormal(loc, scale), dist.Gamma(scale, scale)):
        for _ in range(2):
            it.log_prob(gb.ones(2)).sum().backward()

    assert loc.grad is not None


def test_checks_can_be_left_out():
    known = dist.Normal(0.0, -1.0, validate_args=False)

    assert math.isnan(known.log_prob(gb.tensor(0.0)).item())
    assert math.isnan(dist.Gamma(-1.0, 1.0, validate_args=False).sample().item())
    assert math.isnan(dist.Binomial(math.inf, 0.5, validate_args=False).sample().item())
    dist.Distribution.set_default_validate_args(False)
    try:
        assert math.isnan(dist.Normal(math.nan, 1.0).mean.item())
    finally:
        dist.Distribution.set_default_validate_args(True)
