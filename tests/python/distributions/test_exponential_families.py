"""Exponential families of one's own: what follows from their normalizer."""

from __future__ import annotations

from math import log, pi

import garboard as gb
import pytest
from garboard import distributions as d

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


class Normal(d.ExponentialFamily):
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale
        super().__init__(loc.shape)

    _mean_carrier_measure = 0.0

    @property
    def _natural_params(self):
        return self.loc / self.scale.square(), -0.5 / self.scale.square()

    def _log_normalizer(self, x, y):
        return -0.25 * x.square() / y + 0.5 * (-pi / y).log()


class Dirichlet(d.ExponentialFamily):
    """Of vectors: its parameters have a dim more than the batch."""

    def __init__(self, weights):
        self.weights = weights
        super().__init__(weights.shape[:-1], weights.shape[-1:])

    _mean_carrier_measure = 0.0

    @property
    def _natural_params(self):
        return (self.weights - 1,)

    def _log_normalizer(self, x):
        return (x + 1).lgamma().sum(-1) - (x + 1).sum(-1).lgamma()


class Other(Normal):
    pass


def numbers(*values: float) -> gb.Tensor:
    return gb.tensor(list(values), dtype=gb.float64)


class TestAFamily:
    def test_has_the_entropy_of_its_formula(self):
        mine = Normal(numbers(0.5, -1), numbers(1, 3))
        known = d.Normal(numbers(0.5, -1), numbers(1, 3))

        assert mine.entropy().tolist() == pytest.approx(known.entropy().tolist())
        assert not mine.entropy().requires_grad

    def test_of_vectors_has_an_entropy_for_each(self):
        weights = gb.tensor([[1.0, 2.0, 3.0], [0.5, 0.5, 4.0]], dtype=gb.float64)

        found = Dirichlet(weights).entropy()

        assert found.tolist() == pytest.approx(d.Dirichlet(weights).entropy().tolist())

    def test_has_the_divergence_of_its_formula(self):
        mine = [Normal(numbers(0.5, -1), numbers(1, 3)), Normal(numbers(1, 1), numbers(2, 2))]
        known = [d.Normal(it.loc, it.scale) for it in mine]

        found = d.kl_divergence(*mine)

        assert found.tolist() == pytest.approx(d.kl_divergence(*known).tolist())

    def test_of_vectors_has_a_divergence_for_each(self):
        first, second = numbers(1, 2, 3).view(1, 3), numbers(2, 2, 0.5).view(1, 3)

        found = d.kl_divergence(Dirichlet(first), Dirichlet(second))

        known = d.kl_divergence(d.Dirichlet(first), d.Dirichlet(second))
        assert found.tolist() == pytest.approx(known.tolist())

    def test_passes_gradients_to_its_parameters(self):
        slopes = []
        for kind in (Normal, d.Normal):
            scale = numbers(1, 3).requires_grad_()
            p, q = kind(numbers(0, 1), scale), kind(numbers(1, 1), numbers(2, 2))
            total = p.entropy().sum() + d.kl_divergence(p, q).sum()
            slopes.append(gb.autograd.grad(total, scale)[0].tolist())

        assert slopes[0] == pytest.approx(slopes[1])

    def test_needs_no_grad_mode(self):
        with gb.no_grad():
            found = Normal(numbers(0), numbers(1).requires_grad_()).entropy()

        assert not found.requires_grad
        assert found.item() == pytest.approx(0.5 + 0.5 * log(2 * pi))

    def test_says_what_it_lacks(self):
        bare = d.ExponentialFamily()

        with pytest.raises(NotImplementedError, match="ExponentialFamily: no _natural_params"):
            bare.entropy()
        with pytest.raises(NotImplementedError, match="Normal and Other; two of one class"):
            d.kl_divergence(Normal(numbers(0), numbers(1)), Other(numbers(0), numbers(1)))
