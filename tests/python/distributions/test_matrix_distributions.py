"""Distributions of matrices and of vectors nearly alone, and transforms onto what they need."""

from __future__ import annotations

import math

import garboard as gb
import garboard.distributions as dist
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

constraints, transforms = dist.constraints, dist.transforms
SPREAD = [[2.0, 0.6], [0.6, 1.0]]


def f64(values):
    return gb.tensor(values, dtype=gb.float64)


class TestLowRank:
    def make(self):
        loc, diagonal = f64([1.0, -1.0, 0.5]), f64([0.5, 1.0, 2.0])
        return dist.LowRankMultivariateNormal(loc, f64([[1.0], [2.0], [-1.0]]), diagonal)

    def test_is_the_normal_distribution_of_its_covariance(self):
        it = self.make()
        whole = dist.MultivariateNormal(it.loc, it.covariance_matrix)
        x = f64([[0.0, 1.0, 2.0], [3.0, -1.0, 0.0]])

        np.testing.assert_allclose(it.log_prob(x).tolist(), whole.log_prob(x).tolist())
        assert it.entropy().item() == pytest.approx(whole.entropy().item())
        np.testing.assert_allclose(it.variance.tolist(), whole.variance.tolist())
        np.testing.assert_allclose(it.scale_tril.tolist(), whole.scale_tril.tolist())
        np.testing.assert_allclose(
            it.precision_matrix.tolist(), whole.precision_matrix.tolist(), atol=1e-14
        )
        for pair in ((it, whole), (whole, it), (it, it)):
            assert dist.kl_divergence(*pair).item() == pytest.approx(0, abs=1e-12)

    def test_draws_with_gradients(self):
        gb.manual_seed(1)
        it = self.make()
        factor = it.cov_factor.clone().requires_grad_()
        moved = dist.LowRankMultivariateNormal(it.loc, factor, it.cov_diag)

        drawn = moved.rsample((20000,))
        drawn.square().mean().backward()

        found = np.cov(drawn.detach().numpy().T)
        np.testing.assert_allclose(found, it.covariance_matrix.numpy(), atol=0.15)
        assert factor.grad is not None
        assert moved.expand((2,)).sample((4,)).shape == (4, 2, 3)


class TestWishart:
    def test_of_one_dim_is_a_gamma_distribution(self):
        it, x = dist.Wishart(f64(3.0), f64([[2.0]])), f64([[[0.7]], [[4.0]]])
        line = dist.Gamma(f64(1.5), f64(0.25))

        expected = line.log_prob(x.flatten()).tolist()

        np.testing.assert_allclose(it.log_prob(x).tolist(), expected)
        assert it.entropy().item() == pytest.approx(line.entropy().item())
        assert it.mean.item() == pytest.approx(line.mean.item())
        assert it.variance.item() == pytest.approx(line.variance.item())

    def test_draws_what_it_says_with_gradients(self):
        gb.manual_seed(2)
        df = f64(5.0).requires_grad_()
        it = dist.Wishart(df, f64(SPREAD))

        drawn = it.rsample((20000,))
        drawn.sum().backward()

        assert bool(it.support.check(drawn.detach()[:50]).all())
        np.testing.assert_allclose(drawn.detach().mean(0).numpy(), it.mean.detach(), atol=0.15)
        np.testing.assert_allclose(drawn.detach().var(0).numpy(), it.variance.detach(), rtol=0.1)
        assert df.grad is not None
        # The mean is df times the covariance, so the slope of each draw is that on average.
        assert df.grad.item() / 20000 == pytest.approx(sum(map(sum, SPREAD)), rel=0.05)

    def test_divergence_is_the_mean_of_differences(self):
        gb.manual_seed(3)
        p = dist.Wishart(f64(6.0), f64(SPREAD))
        q = dist.Wishart(f64(4.5), precision_matrix=f64([[1.0, 0.2], [0.2, 0.5]]))

        drawn = p.sample((40000,))
        found = (p.log_prob(drawn) - q.log_prob(drawn)).mean().item()

        assert dist.kl_divergence(p, q).item() == pytest.approx(found, rel=0.05)
        assert dist.kl_divergence(p, p).item() == pytest.approx(0, abs=1e-12)

    def test_has_a_mode_from_n_plus_1_on(self):
        flat, peaked = dist.Wishart(2.5, gb.eye(2)), dist.Wishart(5.0, gb.eye(2))

        assert bool(flat.mode.diagonal().isnan().all())
        assert peaked.mode.tolist() == [[2.0, 0.0], [0.0, 2.0]]


class TestCorrelations:
    def test_are_uniform_at_a_concentration_of_1(self):
        gb.manual_seed(4)
        it = dist.LKJCholesky(2, f64(1.0))

        drawn = it.sample((20000,))
        places = drawn[:, 1, 0].numpy()

        assert bool(it.support.check(drawn).all())
        np.testing.assert_allclose(
            np.quantile(places, [0.25, 0.5, 0.75]), [-0.5, 0, 0.5], atol=0.03
        )
        # A uniform correlation: the density is 1 / 2, whatever it is.
        np.testing.assert_allclose(it.log_prob(drawn[:5]).exp().tolist(), [0.5] * 5)

    def test_are_small_at_a_large_one_and_come_in_batches(self):
        gb.manual_seed(5)
        it = dist.LKJCholesky(4, f64([0.5, 50.0]))

        below = it.sample((500,)).tril(-1).abs().amax((-2, -1)).mean(0)

        assert below[1].item() < 0.35 < below[0].item()
        assert it.expand((3, 2)).log_prob(it.sample()).shape == (3, 2)


def test_rows_of_shares_have_the_density_of_their_normals():
    loc, scale = f64([0.3, -0.2]), f64([0.5, 0.8])
    it = dist.LogisticNormal(loc, scale)
    side = (gb.arange(300, dtype=gb.float64) + 0.5) / 300
    first, second = gb.meshgrid(side, side, indexing="ij")
    inside = (first + second < 1).flatten()
    rows = gb.stack([first, second, 1 - first - second], -1).view(-1, 3)[inside]

    whole = it.log_prob(rows).exp().sum().item() / 300**2

    assert whole == pytest.approx(1, abs=0.02)
    assert it.sample((4,)).sum(-1).tolist() == pytest.approx([1.0] * 4)
    other = dist.LogisticNormal(loc + 1, scale)
    expected = dist.kl_divergence(dist.Normal(loc, scale), dist.Normal(loc + 1, scale)).sum()
    assert dist.kl_divergence(it, other).sum().item() == pytest.approx(expected.item())


REACHED = [
    (constraints.real, (3,)),
    (constraints.positive, (3,)),
    (constraints.greater_than(2.0), (3,)),
    (constraints.less_than(-1.0), (3,)),
    (constraints.unit_interval, (3,)),
    (constraints.interval(1.0, 4.0), (3,)),
    (constraints.simplex, (3,)),
    (constraints.corr_cholesky, (6,)),
    (constraints.lower_cholesky, (3, 3)),
    (constraints.positive_definite, (3, 3)),
    (constraints.independent(constraints.positive, 1), (3,)),
    (constraints.cat([constraints.real, constraints.positive], -1, [1, 2]), (3,)),
    (constraints.stack([constraints.real, constraints.unit_interval], -1), (2,)),
]


@pytest.mark.parametrize(("constraint", "sizes"), REACHED, ids=lambda it: str(it))
class TestTransformsToConstraints:
    def test_lead_there_and_back(self, constraint, sizes):
        gb.manual_seed(6)
        x = gb.randn(5, *sizes, dtype=gb.float64)

        with gb.leaks.no_leaks():
            for registry in (dist.transform_to, dist.biject_to):
                try:
                    transform = registry(constraint)
                except NotImplementedError:
                    assert constraint.event_dim == 2  # matrices, by more numbers than they need
                    continue
                y = transform(x)
                assert bool(constraint.check(y).all())
                again = transform(transform.inv(y))
                np.testing.assert_allclose(again.numpy(), y.numpy(), atol=1e-9)
                if transform.bijective:
                    np.testing.assert_allclose(transform.inv(y).numpy(), x.numpy(), atol=1e-8)
                del y, again

    def test_know_how_much_they_stretch(self, constraint, sizes):
        transform = dist.biject_to(constraint) if constraint.event_dim < 2 else None
        if transform is None or constraint is constraints.real:
            return
        gb.manual_seed(7)
        x = gb.randn(*sizes, dtype=gb.float64)

        grown = transform.log_abs_det_jacobian(x, transform(x)).sum().item()

        slopes = gb.autograd.functional.jacobian(transform, x).numpy()
        if constraint is constraints.simplex:
            slopes = slopes[:-1]  # the last number follows from the others
        assert grown == pytest.approx(np.linalg.slogdet(slopes)[1], abs=1e-9)


def test_factors_of_correlations_stretch_by_what_lies_below_the_diagonal():
    gb.manual_seed(8)
    transform = dist.CorrCholeskyTransform()
    x = gb.randn(3, dtype=gb.float64)

    slopes = gb.autograd.functional.jacobian(lambda it: transform(it)[(1, 2, 2), (0, 0, 1)], x)

    found = transform.log_abs_det_jacobian(x, transform(x)).item()
    assert found == pytest.approx(np.linalg.slogdet(slopes.numpy())[1])


def test_a_registry_can_be_taught():
    registry = dist.constraint_registry.ConstraintRegistry()
    made = transforms.ExpTransform()

    registry.register(constraints.positive, lambda constraint: made)

    assert registry(constraints.greater_than(3.0)) is made
    with pytest.raises(NotImplementedError, match="no transform leads to"):
        registry(constraints.real)


def test_shares_of_a_distribution_are_a_transform():
    normal = dist.Normal(f64(1.0), f64(2.0))
    transform = transforms.CumulativeDistributionTransform(normal)
    x = f64([0.0, 1.5])

    assert transform(x).tolist() == normal.cdf(x).tolist()
    np.testing.assert_allclose(transform.inv(transform(x)).tolist(), x.tolist(), atol=1e-12)
    assert transform.log_abs_det_jacobian(x, transform(x)).tolist() == normal.log_prob(x).tolist()


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda: dist.Wishart(1.0, gb.eye(3)), ValueError, "df holds 1; numbers above 2"),
        (lambda: dist.Wishart(3.0), ValueError, "Wishart: 0 of .*; one of them is needed"),
        (lambda: dist.Wishart(3.0, gb.ones(2, 3)), gb.ShapeError, r"\[..., n, n\] is needed"),
        (lambda: dist.LKJCholesky(1), ValueError, "LKJCholesky: dim 1; 2 or more is needed"),
        (
            lambda: dist.LowRankMultivariateNormal(gb.zeros(2), gb.ones(3, 1), gb.ones(2)),
            gb.ShapeError,
            r"\[2\], \[3, 1\], \[2\]",
        ),
        (lambda: dist.CorrCholeskyTransform()(gb.zeros(2)), gb.ShapeError, "rows of 2"),
        (lambda: constraints.cat([]), ValueError, "no constraints"),
        (
            lambda: constraints.cat([constraints.real], lengths=[1, 2]),
            ValueError,
            "2 lengths for 1",
        ),
        (lambda: transforms.StackTransform([]), ValueError, "no transforms"),
        (lambda: dist.biject_to(3), TypeError, "constraint is of type int"),
        (lambda: dist.biject_to.register(3), TypeError, "is no constraint"),
    ],
)
def test_what_does_not_fit_is_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


def test_more_numbers_than_one_are_needed_for_a_share():
    assert transforms.StickBreakingTransform().forward_shape((2, 3)) == (2, 4)
    assert transforms.StickBreakingTransform().inverse_shape((2, 4)) == (2, 3)
    assert transforms.CorrCholeskyTransform().inverse_shape((2, 4, 4)) == (2, 6)
    assert math.isclose(transforms.StickBreakingTransform()(gb.zeros(1)).sum().item(), 1)


def test_wishart_draws_again_what_rounding_has_made_singular():
    gb.manual_seed(0)
    given = gb.distributions.Wishart(gb.tensor(2.2), gb.eye(3))

    drawn = given.sample((3000,))

    assert given.support.check(drawn).all()
    assert given.log_prob(drawn).isfinite().all()
    once = given.rsample((3000,), max_try_correction=0)
    assert not given.support.check(once).all()


def test_a_gamma_tells_the_density_of_a_plain_number():
    given = gb.distributions.Gamma(gb.tensor([2.0, 3.0]), gb.tensor(3.0))

    assert gb.equal(given.log_prob(1), given.log_prob(gb.tensor(1.0)))
    with pytest.raises(ValueError, match="of at least 0 are needed"):
        given.log_prob(-0.5)
