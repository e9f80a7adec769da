"""Transforms and distributions with parameters of their own: they are modules as well."""

from __future__ import annotations

import pickle
from weakref import ref

import garboard as gb
import pytest
from garboard import distributions as dist
from garboard.distributions.transforms import _InverseTransform

pytestmark = pytest.mark.usefixtures("no_leaks")


class Shift(dist.Transform, gb.nn.Module):
    bijective = True

    def __init__(self, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.by = gb.nn.Parameter(gb.ones(1))

    def _call(self, x):
        return x + self.by

    def _inverse(self, y):
        return y - self.by


class Doubled(dist.transforms.ExpTransform):
    @property
    def inv(self):
        known = None if self._inv is None else self._inv()
        if known is None:
            known = _InverseTransform(self)
            self._inv = ref(known)
        return known


class TestATransform:
    def test_may_be_a_module(self):
        shift = Shift()

        assert [name for name, _ in shift.named_parameters()] == ["by"]
        assert shift(gb.zeros(1)).tolist() == [1]
        assert shift.inv(gb.zeros(1)).tolist() == [-1]

    def test_has_an_inverse_that_programs_know(self):
        shift = Shift()

        assert isinstance(shift.inv, _InverseTransform)
        assert shift.inv._inv is shift

    def test_a_class_may_keep_an_inverse_of_its_own_as_the_base_does(self):
        doubled = Doubled()
        inverse = doubled.inv

        assert doubled.inv is inverse
        assert inverse(gb.ones(1)).tolist() == [0]
        assert pickle.loads(pickle.dumps(doubled.inv))(gb.ones(1)).tolist() == [0]

    def test_tells_the_dims_of_its_values_where_they_are_those_of_its_results(self):
        assert Shift().event_dim == 0
        with pytest.raises(ValueError, match="1 dims in and 2 out; ask dom"):
            dist.transforms.CorrCholeskyTransform().event_dim  # noqa: B018


def test_a_distribution_may_be_a_module():
    class Learned(dist.Normal, gb.nn.Module):
        def __init__(self) -> None:
            dist.Normal.__init__(self, 0.0, 1.0)
            self.scale_of = gb.nn.Linear(1, 1)

    assert len(list(Learned().parameters())) == 2
    assert Learned().log_prob(gb.zeros(1)).shape == (1,)


def test_a_divergence_may_be_told_of_a_base_that_is_no_distribution():
    class Base:
        pass

    class Mine(Base, dist.Normal):
        pass

    @dist.register_kl(Base, Base)
    def of_mine(p, q):
        return gb.zeros(p.batch_shape)

    assert dist.kl_divergence(Mine(0.0, 1.0), Mine(1.0, 1.0)).item() == 0


class TestWhatProgramsAskOfATransform:
    def test_is_what_a_cache_of_one_keeps(self):
        shift, x = Shift(cache_size=1), gb.zeros(1)

        assert shift._cached_x_y == (None, None)
        y = shift(x)

        assert shift._cached_x_y[0] is x
        assert shift._cached_x_y[1] is y
        assert shift.inv(y) is x

    def test_is_how_many_dims_an_event_has(self):
        assert dist.transforms.AffineTransform(0.0, 1.0, event_dim=2).event_dim == 2
        assert dist.transforms.AffineTransform(0.0, 1.0).event_dim == 0
