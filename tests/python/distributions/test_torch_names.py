"""What programs ask of distributions by PyTorch's names: sizes, texts, what they are made of."""

from __future__ import annotations

import math
import pickle

import garboard as gb
import numpy as np
import pytest
from garboard import distributions as d
from garboard.distributions import constraints
from garboard.distributions.exp_family import ExponentialFamily
from garboard.distributions.lowrank_multivariate_normal import (
    _batch_capacitance_tril,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from garboard.distributions.multivariate_normal import (
    _batch_mahalanobis,
    _batch_mv,
    _precision_to_scale_tril,
)
from garboard.distributions.utils import _standard_normal

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def matrices(kind: str) -> d.MultivariateNormal:
    return d.MultivariateNormal(gb.zeros(2), **{kind: gb.eye(2)})


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: d.Normal(0.0, 1.0), "Normal(loc: 0.0, scale: 1.0)"),
        (lambda: d.Normal(gb.zeros(3), 1.0), "Normal(loc: Size([3]), scale: Size([3]))"),
        (lambda: d.Categorical(gb.ones(2)), "Categorical(probs: Size([2]))"),
        (lambda: d.Bernoulli(logits=0.0), "Bernoulli(logits: 0.0)"),
        (lambda: d.ContinuousBernoulli(0.25), "ContinuousBernoulli(probs: 0.25)"),
        (lambda: d.Binomial(5, 0.5), "Binomial(total_count: 5.0, probs: 0.5)"),
        (lambda: d.NegativeBinomial(5, 0.5), "NegativeBinomial(total_count: 5.0, probs: 0.5)"),
        (lambda: d.Pareto(1.0, 2.0), "Pareto(alpha: 2.0, scale: 1.0)"),
        (
            lambda: matrices("precision_matrix"),
            "MultivariateNormal(loc: Size([2]), precision_matrix: Size([2, 2]))",
        ),
        (lambda: constraints.interval(0.0, 1.0), "Interval(lower_bound=0.0, upper_bound=1.0)"),
        (lambda: constraints.positive, "GreaterThan(lower_bound=0.0)"),
        (lambda: constraints.less_than(2), "LessThan(upper_bound=2)"),
        (lambda: constraints.positive_integer, "IntegerGreaterThan(lower_bound=1)"),
        (lambda: constraints.real_vector, "IndependentConstraint(Real(), 1)"),
        (lambda: constraints.square, "Square()"),
    ],
)
def test_texts_are_pytorch_s(make, text):
    assert repr(make()) == text


def test_sizes_are_sizes():
    it = d.MultivariateNormal(gb.zeros(3, 2), gb.eye(2)).expand((4, 3))

    assert type(it.batch_shape) is type(it.event_shape) is gb.Size
    assert it.batch_shape.numel() == 12
    assert it.sample_n(5).shape == (5, 4, 3, 2)


def test_parameters_that_may_be_given_have_constraints():
    three = {"covariance_matrix", "precision_matrix", "scale_tril"}

    assert d.MultivariateNormal.arg_constraints.keys() == {"loc", *three}
    assert d.Wishart.arg_constraints.keys() == {"df", *three}
    assert d.RelaxedOneHotCategorical.arg_constraints.keys() == {"probs", "logits"}
    assert d.RelaxedBernoulli.arg_constraints.keys() == {"probs", "logits"}


# By class: how its numbers come from those of `base_dist`.
MOVED = {
    "HalfNormal": (lambda: d.HalfNormal(2.0), lambda it, x: x.abs()),
    "Gumbel": (lambda: d.Gumbel(1.0, 2.0), lambda it, x: it.loc - it.scale * (-x.log()).log()),
    "Pareto": (lambda: d.Pareto(2.0, 3.0), lambda it, x: it.scale * x.exp()),
    "Weibull": (
        lambda: d.Weibull(2.0, 3.0),
        lambda it, x: it.scale * x ** (1 / it.concentration),
    ),
}


@pytest.mark.parametrize("name", MOVED)
def test_draws_are_made_of_those_of_another_distribution(name):
    gb.manual_seed(0)
    make, moved = MOVED[name]
    it = make()

    found = moved(it, it.base_dist.sample((20000,)))

    shares = gb.tensor([0.25, 0.5, 0.75])
    np.testing.assert_allclose(
        np.quantile(found.numpy(), shares.numpy()), it.icdf(shares).numpy(), rtol=0.05, atol=0.03
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: d.Normal(0.0, 1.0, validate_args=False),
        lambda: d.HalfNormal(1.0, validate_args=False),
        lambda: d.Gamma(2.0, 1.0, validate_args=False),
        lambda: d.Bernoulli(0.25, validate_args=False),
        lambda: d.Uniform(0.0, 2.0, validate_args=False),
    ],
)
def test_a_number_is_a_value_where_nothing_is_checked(make):
    assert make().log_prob(1.0).item() == make().log_prob(gb.tensor(1.0)).item()


def test_reciprocals_of_gamma_numbers_have_a_cdf():
    it = d.InverseGamma(gb.tensor([2.0, 5.0]), 3.0)

    found = it.cdf(gb.tensor([1.5, 0.3]))

    # PyTorch 2.15
    assert found.tolist() == pytest.approx([0.4060058, 0.0292527], rel=1e-5)


def test_what_distributions_of_ones_own_are_written_with_is_there():
    lower = gb.tensor([[2.0, 0.0], [0.0, 1.0]])

    assert ExponentialFamily is d.ExponentialFamily
    assert _batch_mahalanobis(lower, gb.tensor([2.0, 1.0])).item() == 2.0
    assert _batch_mv(gb.stack([lower, -lower]), gb.ones(2)).tolist() == [[2, 1], [-2, -1]]
    assert _standard_normal((2, 3), gb.float64, gb.device("cpu")).shape == (2, 3)


def test_a_precision_s_lower_factor_is_that_of_its_inverse():
    precision = gb.tensor([[[4.0, 1.0], [1.0, 2.0]]], dtype=gb.float64)

    lower = _precision_to_scale_tril(precision)

    assert lower[0, 0, 1] == 0
    np.testing.assert_allclose((lower @ lower.mT).numpy(), precision.inverse().numpy())


def test_factors_of_a_low_rank_tell_what_the_whole_matrix_does():
    gb.manual_seed(0)
    columns = gb.randn(3, 5, 2, dtype=gb.float64)
    diagonal = gb.rand(3, 5, dtype=gb.float64) + 0.5
    apart = gb.randn(4, 3, 5, dtype=gb.float64)
    whole = columns @ columns.mT + diagonal.diag_embed()

    factor = _batch_capacitance_tril(columns, diagonal)
    logdet = _batch_lowrank_logdet(columns, diagonal, factor)
    distance = _batch_lowrank_mahalanobis(columns, diagonal, apart, factor)

    expected = _batch_mahalanobis(gb.linalg.cholesky(whole), apart)
    np.testing.assert_allclose(logdet.numpy(), whole.logdet().numpy(), rtol=1e-10)
    np.testing.assert_allclose(distance.numpy(), expected.numpy(), rtol=1e-10)


class TestSupports:
    def test_a_class_names_what_it_draws_as_an_instance_does(self):
        assert d.Normal.support is constraints.real
        assert d.LogNormal.support is constraints.positive
        assert d.LogisticNormal.support is constraints.simplex
        assert d.Gamma(1.0, 1.0).support is d.Gamma.support

    def test_one_that_parameters_set_is_dependent_until_there_are_some(self):
        for kind in (d.Uniform, d.Binomial, d.Categorical, d.Pareto, d.Independent):
            assert constraints.is_dependent(kind.support)
        assert str(d.Uniform(0.0, 2.0).support) == "Interval(lower_bound=0.0, upper_bound=2.0)"


class TestCorners:
    @pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
    def test_shares_of_small_concentrations_never_are_exactly_0_or_1(self, dtype):
        gb.manual_seed(0)
        small = gb.full((500, 3), 0.01, dtype=dtype)

        for drawn in (d.Beta(small, small).sample(), d.Dirichlet(small).sample()):
            assert 0 < drawn.min() <= drawn.max() < 1

        assert d.Beta(small, small).log_prob(d.Beta(small, small).sample()).isfinite().all()

    def test_a_logistic_normal_of_two_numbers_is_of_one_place(self):
        assert d.LogisticNormal(0.2, 0.6).sample((1,)).shape == (1, 2)

    def test_an_inverse_stays_the_same_while_somebody_holds_it(self):
        transform = d.transforms.ExpTransform()
        inverse = transform.inv

        assert inverse is transform.inv
        assert inverse.inv is transform
        assert pickle.loads(pickle.dumps(transform))(gb.zeros(1)).item() == 1
        assert d.transforms.identity_transform.inv is d.transforms.identity_transform


def test_a_class_that_is_ruled_out_takes_nothing_from_the_others():
    logits = gb.tensor([-math.inf, 0.0, 0.0], requires_grad=True)
    row = d.OneHotCategorical(logits=logits)

    ruled_out, other = row.log_prob(gb.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))
    other.backward()

    assert ruled_out.item() == -math.inf
    assert other.item() == pytest.approx(math.log(0.5))
    assert logits.grad.tolist() == [0.0, 0.5, -0.5]


def test_a_path_finds_what_else_the_package_has():
    from garboard.distributions.multivariate_normal import Distribution, MultivariateNormal

    assert issubclass(MultivariateNormal, Distribution)
    with pytest.raises(ImportError, match="Nope"):
        from garboard.distributions.multivariate_normal import Nope  # noqa: F401


def test_a_text_says_which_parameter_of_one_element_requires_grad():
    p = gb.tensor([0.6], requires_grad=True)

    assert repr(d.Bernoulli(p)) == "Bernoulli(probs: tensor([0.6000], requires_grad=True))"
    assert repr(d.Bernoulli(p[0])) == "Bernoulli(probs: 0.6000000238418579)"
    assert "loc: tensor([1.2000], grad_fn=<mul>)" in repr(d.Normal(p * 2, 1.0))
