"""Distributions on a circle, in [0, 1] and beyond a threshold: integrals, draws, gradients."""

from __future__ import annotations

import math

import garboard as gb
import garboard.distributions as dist
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

DRAWS = 20000


def f64(values):
    return gb.tensor(values, dtype=gb.float64)


def middles(low: float, high: float, count: int = 20000) -> tuple[gb.Tensor, float]:
    """The middles of even steps, and how long a step is."""
    step = (high - low) / count
    return low + (gb.arange(count, dtype=gb.float64) + 0.5) * step, step


BOUNDED = [
    (lambda: dist.VonMises(f64(0.5), f64(2.0)), -math.pi, math.pi),
    (lambda: dist.VonMises(f64(-3.0), f64(1e-6)), -math.pi, math.pi),
    (lambda: dist.ContinuousBernoulli(f64(0.2)), 0, 1),
    (lambda: dist.ContinuousBernoulli(f64(0.4995)), 0, 1),
    (lambda: dist.ContinuousBernoulli(logits=f64(3.0)), 0, 1),
    (lambda: dist.GeneralizedPareto(f64(1.0), f64(2.0), f64(-0.5)), 1, 5),
    (lambda: dist.GeneralizedPareto(f64(0.0), f64(0.1), f64(0.0)), 0, 5),
    (lambda: dist.GeneralizedPareto(f64(0.0), f64(0.1), f64(0.1)), 0, 20),
]


@pytest.mark.parametrize(("make", "low", "high"), BOUNDED)
class TestDensities:
    def test_add_up_to_1_and_give_the_moments(self, make, low, high):
        it = make()
        x, step = middles(low, high)

        weights = it.log_prob(x).exp() * step

        assert weights.sum().item() == pytest.approx(1, abs=1e-5)
        if not isinstance(it, dist.VonMises):
            mean = (weights * x).sum().item()
            assert it.mean.item() == pytest.approx(mean, abs=1e-5)
            spread = (weights * (x - mean).square()).sum().item()
            assert it.variance.item() == pytest.approx(spread, rel=1e-3)
            nats = -(weights * it.log_prob(x)).sum().item()
            assert it.entropy().item() == pytest.approx(nats, abs=1e-4)
            share = weights[:7000].sum().item()
            end = low + (high - low) * 0.35
            assert it.cdf(f64(end)).item() == pytest.approx(share, abs=1e-5)
            assert it.icdf(it.cdf(f64(end))).item() == pytest.approx(end, rel=1e-6)
        else:
            turned = (weights * (x - it.loc).cos()).sum().item()
            assert it.variance.item() == pytest.approx(1 - turned, abs=1e-6)

    def test_are_drawn(self, make, low, high):
        gb.manual_seed(3)
        it = make()

        drawn = it.sample((DRAWS,))

        assert bool(((drawn >= low) & (drawn <= high)).all())
        if isinstance(it, dist.VonMises):
            spread = 1 - (drawn - it.loc).cos().mean().item()
            assert spread == pytest.approx(it.variance.item(), abs=0.03)
            assert (drawn - it.loc).sin().mean().item() == pytest.approx(0, abs=0.03)
        else:
            error = 6 * it.stddev.item() / math.sqrt(DRAWS)
            assert drawn.mean().item() == pytest.approx(it.mean.item(), abs=error)

    def test_keep_nothing_alive(self, make, low, high):
        with gb.leaks.no_leaks():
            it = make().expand((2,))
            assert it.sample((3,)).shape == (3, 2)
            assert it.log_prob(f64((low + high) / 2)).shape == (2,)
            del it


@pytest.mark.parametrize("concentration", [1e10, 1e13, 1e16, 1e20, 1e300])
def test_a_narrow_density_is_drawn_as_the_normal_one_that_it_is(concentration):
    gb.manual_seed(5)

    drawn = dist.VonMises(f64(0.0), f64(concentration)).sample((DRAWS,))

    if concentration < 1e30:  # of more, remainder() by the circle leaves no digits
        assert drawn.std().item() * math.sqrt(concentration) == pytest.approx(1, rel=0.1)
    assert drawn.abs().max().item() < 1e-3


def test_draws_end_where_nothing_can_be_drawn():
    odd = f64([math.inf, math.nan, -1.0])

    drawn = dist.VonMises(f64(0.0), odd, validate_args=False).sample()
    counts = gb.binomial(f64([1e4, 3.0, math.inf, math.nan]), f64([math.nan, math.nan, 0.5, 0.5]))

    assert abs(drawn[0].item()) < 1e-15
    assert drawn[1:].isnan().all()
    assert counts.isnan().all()


def test_gradients_pass_through_draws():
    probs, k = f64(0.3).requires_grad_(), f64(0.25).requires_grad_()

    dist.ContinuousBernoulli(probs).rsample((50,)).mean().backward()
    dist.GeneralizedPareto(0.0, 1.0, k).rsample((50,)).mean().backward()

    assert probs.grad is not None
    assert k.grad is not None
    assert probs.grad.item() > 0
    assert k.grad.item() > 0


def test_divergence_is_the_mean_of_differences():
    p, q = dist.ContinuousBernoulli(f64(0.2)), dist.ContinuousBernoulli(f64(0.7))
    x, step = middles(0, 1)

    mean = (p.log_prob(x).exp() * (p.log_prob(x) - q.log_prob(x)) * step).sum().item()

    assert dist.kl_divergence(p, q).item() == pytest.approx(mean, rel=1e-6)
    assert dist.kl_divergence(p, p).item() == pytest.approx(0, abs=1e-12)


def test_shares_of_gamma_numbers():
    whole = dist.Gamma(f64([1.0, 3.0]), f64([2.0, 1.0])).cdf(f64([0.5, 2.0]))

    expected = [1 - math.exp(-1), 1 - math.exp(-2) * (1 + 2 + 2)]
    np.testing.assert_allclose(whole.tolist(), expected, rtol=1e-13)
    assert dist.Chi2(f64(2.0)).cdf(f64(2.0)).item() == pytest.approx(1 - math.exp(-1))


def test_tails_have_no_mean_where_they_fall_too_slowly():
    it = dist.GeneralizedPareto(0.0, 1.0, gb.tensor([0.4, 0.7, 1.5]))

    assert it.mean.isinf().tolist() == [False, False, True]
    assert it.variance.isinf().tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: dist.VonMises(0.0, 0.0), ValueError, "concentration holds 0; numbers above 0"),
        (lambda: dist.ContinuousBernoulli(), ValueError, "one of them is needed"),
        (lambda: dist.ContinuousBernoulli(1.5), ValueError, "probs holds 1.5"),
        (lambda: dist.GeneralizedPareto(0.0, -1.0, 0.0), ValueError, "scale holds -1"),
        (
            lambda: dist.GeneralizedPareto(0.0, 1.0, -1.0).log_prob(gb.tensor(2.0)),
            ValueError,
            "value holds 2",
        ),
    ],
)
def test_what_does_not_fit_is_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


def test_none_succeed_before_none_have_failed():
    of_none = dist.NegativeBinomial(gb.zeros(3), 0.9)

    assert of_none.sample((4,)).sum() == 0
    assert of_none.log_prob(gb.tensor([0.0, 1.0, 2.0])).tolist() == [0, -math.inf, -math.inf]


def test_counts_of_fewer_draws_have_a_probability():
    counts = gb.tensor([1.0, 1.0])

    found = dist.Multinomial(10, gb.ones(2)).log_prob(counts)

    assert found.item() == pytest.approx(math.log(0.5))


def test_counts_of_none_have_a_slope_too():
    probs = gb.tensor([0.2, 0.3, 0.5], dtype=gb.float64)
    counts = gb.tensor([1.0, 0.0, 3.0], dtype=gb.float64, requires_grad=True)

    dist.Multinomial(4, probs).log_prob(counts).backward()

    slopes = gb.digamma(gb.tensor(5.0)) - (counts.detach() + 1).digamma() + probs.log()
    assert counts.grad.tolist() == pytest.approx(slopes.tolist())


def test_values_of_dims_keep_the_dtype_of_uniform_bounds_without():
    bounds = gb.tensor(-1.0, dtype=gb.float64), gb.tensor(2.0, dtype=gb.float64)

    found = dist.Uniform(*bounds).log_prob(gb.ones(2, dtype=gb.float64))

    assert found.dtype == gb.float64
    assert found.tolist() == pytest.approx([-math.log(3)] * 2, rel=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda x: dist.Normal(x, 1.0),
        lambda x: dist.FisherSnedecor(1.0, x),
        lambda x: dist.Binomial(x, 0.5),
        lambda x: dist.Wishart(x, gb.eye(3)),
        lambda x: dist.Categorical(x),
        lambda x: dist.transforms.AffineTransform(x, 1.0),
        lambda x: dist.utils.broadcast_all(x, 1.0),
    ],
)
def test_sparse_parameters_are_refused(make):
    with pytest.raises(TypeError, match=r"needed|take to_dense"):
        make(gb.eye(3).to_sparse())
