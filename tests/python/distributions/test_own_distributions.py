"""Distributions that users write, with what PyTorch has for that."""

from __future__ import annotations

import math
from typing import Any

import garboard as gb
import pytest
from garboard import distributions
from garboard.distributions import Distribution, Uniform, constraints
from garboard.distributions.utils import (
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    probs_to_logits,
    tril_matrix_to_vec,
    vec_to_tril_matrix,
)

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Triangle(Distribution):
    """Density 2 (high - x) / (high - low)^2 between its ends."""

    arg_constraints: Any = {"low": constraints.real, "high": constraints.real}  # noqa: RUF012
    has_rsample = True

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        return constraints.interval(self.low, self.high)

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @lazy_property
    def width(self):
        return self.high - self.low

    def rsample(self, sample_shape=()):
        drawn = gb.rand(self._extended_shape(sample_shape))
        return self.high - self.width * (1 - drawn).sqrt()

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Triangle, _instance)
        new.low, new.high = self.low.expand(batch_shape), self.high.expand(batch_shape)
        super(Triangle, new).__init__(batch_shape, validate_args=False)
        return new

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return math.log(2) + (self.high - value).log() - 2 * self.width.log()


class TestADistributionOfAUsersOwn:
    def test_has_a_support_that_depends_on_its_parameters(self):
        triangle = Triangle(0.0, gb.tensor([1.0, 2.0]))

        assert constraints.is_dependent(Triangle.support)
        assert (Triangle.support.is_discrete, Triangle.support.event_dim) == (False, 0)
        assert triangle.support.check(gb.tensor([1.5, 1.5])).tolist() == [False, True]
        with pytest.raises(ValueError, match="value"):
            triangle.log_prob(gb.tensor(3.0))
        assert triangle.expand((3, 2)).sample().shape == (3, 2)

    def test_computes_what_is_lazy_once_and_with_gradients(self):
        low = gb.tensor([0.0, 1.0], requires_grad=True)
        triangle = Triangle(low, 2.0)

        with gb.no_grad():
            width = triangle.width
        triangle.rsample((3,)).sum().backward()

        assert triangle.width is width
        assert width.requires_grad
        assert low.grad is not None
        assert isinstance(Triangle.width, lazy_property)

    def test_may_decorate_without_options(self):
        class Below(Uniform):
            @constraints.dependent_property
            def support(self):
                return constraints.less_than(self.high)

        assert Below(0.0, 1.0).support.check(gb.tensor(-5.0)).item()
        with pytest.raises(TypeError, match="dependent_property: is_discrete is of type str"):
            constraints.dependent_property(is_discrete="no")


class TestBroadcasting:
    def test_gives_numbers_the_dtype_of_tensors(self):
        a, b = broadcast_all(gb.ones(2, 1, dtype=gb.float64), 3.0)
        (alone,) = broadcast_all(2)

        assert (a.shape, b.shape, b.dtype) == ((2, 1), (2, 1), gb.float64)
        assert (alone.shape, alone.dtype) == ((), gb.float32)

    def test_refuses_what_is_neither(self):
        with pytest.raises(TypeError, match=r"broadcast_all: values\[1\] is of type str"):
            broadcast_all(gb.ones(2), "a")
        with pytest.raises(gb.ShapeError):
            broadcast_all(gb.ones(2), gb.ones(3))


class TestProbabilities:
    def test_and_logits_are_each_others(self):
        probs = gb.tensor([[0.25, 0.75], [0.5, 0.5]], dtype=gb.float64)

        for is_binary in (False, True):
            there = probs_to_logits(probs, is_binary)
            assert gb.allclose(logits_to_probs(there, is_binary), probs)

    def test_are_moved_inward(self):
        assert bool(clamp_probs(gb.tensor([0.0, 1.0])).log().isfinite().all())
        assert bool((-clamp_probs(gb.tensor([0.0, 1.0]))).log1p().isfinite().all())


class TestTriangles:
    @pytest.mark.parametrize("diag", [-3, -2, -1, 0, 1, 2])
    def test_are_vectors_and_back(self, diag):
        matrix = gb.arange(9.0).view(1, 3, 3).tril(diag)

        vector = tril_matrix_to_vec(matrix, diag)

        assert gb.equal(vec_to_tril_matrix(vector, diag), matrix)

    def test_are_refused_where_they_are_none(self):
        with pytest.raises(gb.ShapeError, match=r"tril_matrix_to_vec: sizes \[2, 3\]"):
            tril_matrix_to_vec(gb.ones(2, 3))
        with pytest.raises(ValueError, match="tril_matrix_to_vec: diag 3 of matrices of 3 rows"):
            tril_matrix_to_vec(gb.ones(3, 3), 3)
        with pytest.raises(gb.ShapeError, match=r"vec_to_tril_matrix: sizes \[2\]"):
            vec_to_tril_matrix(gb.ones(2))


class TestOfVectors:
    """Normal vectors by a class that computes the factor itself, as gpytorch's does."""

    class Lazy(distributions.MultivariateNormal):
        def __init__(self, loc, covariance):
            self.loc, self._covariance = loc, covariance
            distributions.Distribution.__init__(self, loc.shape[:-1], loc.shape[-1:])

        @property
        def _unbroadcasted_scale_tril(self):
            return gb.linalg.cholesky(self._covariance)

        @property
        def event_shape(self):
            return gb.Size((*super().event_shape, 1))

    def test_have_a_factor_a_density_and_an_entropy(self):
        loc, covariance = gb.zeros(3, 2), gb.tensor([[2.0, 1.0], [1.0, 3.0]])

        own = self.Lazy(loc, covariance)
        plain = distributions.MultivariateNormal(loc, covariance)

        x = gb.ones(3, 2)
        assert own.scale_tril.shape == (3, 2, 2)
        gb.testing.assert_close(own.log_prob(x), plain.log_prob(x))
        gb.testing.assert_close(own.entropy(), plain.entropy())
        gb.testing.assert_close(own.precision_matrix, plain.precision_matrix)

    def test_have_the_very_matrix_that_was_given(self):
        given = gb.tensor([[0.1, 0.03], [0.03, 0.7]])

        by_covariance = distributions.MultivariateNormal(gb.zeros(4, 2), given)
        by_precision = distributions.MultivariateNormal(gb.zeros(2), precision_matrix=given)

        assert by_covariance.covariance_matrix.tolist() == [given.tolist()] * 4
        assert by_precision.precision_matrix.tolist() == given.tolist()
        wide = by_precision.expand((3,))
        assert wide.precision_matrix.tolist() == [given.tolist()] * 3
        gb.testing.assert_close(wide.covariance_matrix[1], given.inverse())

    def test_refuse_a_factor_that_is_no_triangle(self):
        with pytest.raises(ValueError, match="MultivariateNormal: scale_tril holds what is none"):
            distributions.MultivariateNormal(gb.zeros(2), scale_tril=gb.ones(2, 2))


@pytest.mark.parametrize("name", ["HalfNormal", "HalfCauchy"])
def test_magnitudes_are_a_distribution_that_is_transformed(name):
    scale = gb.tensor([1.0, 2.0], requires_grad=True)

    made = getattr(distributions, name)(scale)

    assert isinstance(made, distributions.TransformedDistribution)
    assert made.scale.tolist() == made.base_dist.scale.tolist() == [1.0, 2.0]
    x = made.rsample((3,))
    by_base = made.base_dist.log_prob(x) + math.log(2)
    gb.testing.assert_close(made.log_prob(x), by_base)
    assert made.expand((3, 2)).sample().shape == (3, 2)
    assert made.log_prob(x).sum().requires_grad
    with pytest.raises(ValueError, match="scale holds -1"):
        getattr(distributions, name)(-1.0)


def test_expand_fills_what_a_subclass_has_made():
    class Bounded(distributions.MultivariateNormal):
        def __init__(self, loc, covariance, bounds):
            super().__init__(loc, covariance)
            self.bounds = bounds

        def expand(self, batch_shape, _instance=None):
            made = self._get_checked_instance(Bounded, _instance)
            super().expand(batch_shape, _instance=made)
            made.bounds = self.bounds.expand(*batch_shape, 2)
            return made

    wide = Bounded(gb.zeros(2), gb.eye(2), gb.ones(2)).expand((3,))

    assert (wide.batch_shape, wide.bounds.shape) == ((3,), (3, 2))
    assert wide.sample().shape == (3, 2)
    assert wide.log_prob(gb.zeros(3, 2)).shape == (3,)


def test_matrices_of_vectors_can_be_set():
    made = distributions.MultivariateNormal(gb.zeros(2), gb.eye(2))

    made.covariance_matrix *= 2
    made.precision_matrix = made.covariance_matrix / 4

    assert made.precision_matrix.tolist() == [[0.5, 0.0], [0.0, 0.5]]
    assert made.scale_tril.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    made.scale_tril = 3 * gb.eye(2)
    assert made.variance.tolist() == [9.0, 9.0]


def test_expand_is_refused_of_a_subclass_that_may_hold_more():
    class Doubled(distributions.Beta):
        def __init__(self, a, b):
            super().__init__(a, b)
            self.twice = 2 * a

    class Named(distributions.Beta):
        pass

    one = gb.ones(1)
    assert Named(one, one).expand((2, 1)).sample().shape == (2, 1)
    with pytest.raises(NotImplementedError, match="Doubled: an __init__ of its own"):
        Doubled(one, one).expand((2, 1))
    with pytest.raises(NotImplementedError, match="Doubled: an __init__ of its own"):
        Doubled(one, one)._get_checked_instance(distributions.Beta)


def test_what_is_transformed_needs_an_expand_of_its_own_only_where_it_grows():
    class Shifted(distributions.StudentT):
        def __init__(self, df):
            super().__init__(df)
            self.first = df

    base = Shifted(gb.tensor([3.0, 4.0]))
    move = distributions.transforms.AffineTransform(gb.ones(2), 2.0)

    made = distributions.TransformedDistribution(base, move)

    assert made.base_dist is base
    assert made.log_prob(gb.ones(2)).shape == (2,)
    with pytest.raises(NotImplementedError, match="Shifted: an __init__ of its own"):
        distributions.TransformedDistribution(
            base, distributions.transforms.AffineTransform(gb.ones(3, 2), 2.0)
        )


@pytest.mark.parametrize("name", ["Categorical", "OneHotCategorical", "Bernoulli"])
@pytest.mark.parametrize("given", ["probs", "logits"])
def test_a_subclass_computes_one_parameter_from_the_other_by_itself(name, given):
    kind, is_binary = getattr(distributions, name), name == "Bernoulli"

    class Own(kind):
        @distributions.utils.lazy_property
        def logits(self):
            return distributions.utils.probs_to_logits(self.probs, is_binary)

        @distributions.utils.lazy_property
        def probs(self):
            return distributions.utils.logits_to_probs(self.logits, is_binary)

    x = gb.tensor([0.25, 0.75])

    made, plain = Own(**{given: x}), kind(**{given: x})

    gb.testing.assert_close(made.logits, plain.logits)
    gb.testing.assert_close(made.probs, plain.probs)
    gb.testing.assert_close(made.entropy(), plain.entropy())


def test_a_subclass_that_masks_classes_sets_what_it_masks():
    made = distributions.Categorical(logits=gb.zeros(3))

    made.logits = gb.tensor([0.0, 0.0, -1e8])
    made.probs = distributions.utils.logits_to_probs(made.logits)

    assert made.probs.tolist() == [0.5, 0.5, 0.0]
    assert made.log_prob(gb.tensor(1)).item() == 0
    flips = distributions.Bernoulli(gb.tensor([0.5]))
    flips.probs = gb.tensor([1.0])
    assert flips.sample().tolist() == [1]
    flips.logits = gb.tensor([0.0])
    assert flips.logits.tolist() == [0]
