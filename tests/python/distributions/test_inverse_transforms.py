"""Inverses of transforms, and what a distribution of transforms is made of."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

dist = gb.distributions
T = dist.transforms


class TestInverses:
    def test_have_the_cache_of_what_they_invert(self):
        x = gb.tensor([0.5, 2.0])
        inverse = T.ExpTransform(cache_size=1).inv

        assert inverse(x) is inverse(x)
        assert inverse.with_cache(1) is inverse

    def test_get_a_cache_when_they_are_asked_to(self):
        x = gb.tensor([0.5, 2.0])
        plain = T.ExpTransform().inv

        inverse = plain.with_cache(1)

        assert type(inverse) is type(plain)
        assert inverse(x) is inverse(x)
        assert inverse.inv(inverse(x)) is x
        assert plain(x) is not plain(x)

    def test_of_the_absolute_take_positive_numbers(self):
        assert T.AbsTransform.codomain is dist.constraints.positive
        assert T.AbsTransform().inv.domain is dist.constraints.positive


def test_a_distribution_has_as_many_dims_as_its_transforms_take():
    rows = T.ReshapeTransform((4, 5), (20,))

    with pytest.raises(ValueError, match=r"sizes \[5\]; 2 dims or more"):
        dist.TransformedDistribution(dist.Normal(gb.zeros(5), 1.0), [rows])
    made = dist.TransformedDistribution(dist.Normal(gb.zeros(4, 5), 1.0), [rows])

    assert made.event_shape == (20,)
