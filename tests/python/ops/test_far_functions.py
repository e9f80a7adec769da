"""Bessel functions of the second kind and Airy's, beside SciPy's."""

from __future__ import annotations

import math

import garboard as gb
import numpy as np
import pytest

special = gb.special
PEERS = {
    "modified_bessel_k0": "k0",
    "modified_bessel_k1": "k1",
    "scaled_modified_bessel_k0": "k0e",
    "scaled_modified_bessel_k1": "k1e",
}


@pytest.mark.parametrize("name", PEERS)
class TestOfTheSecondKind:
    def test_are_scipys_to_a_few_units(self, name):
        peer = getattr(pytest.importorskip("scipy.special"), PEERS[name])
        x = np.concatenate([10.0 ** np.linspace(-300, 2.8, 300), np.linspace(0.01, 5, 500)])

        found = getattr(special, name)(gb.tensor(x))

        np.testing.assert_allclose(found.numpy(), peer(x), rtol=4e-15, atol=1e-300)

    def test_have_their_ends(self, name):
        found = getattr(special, name)(gb.tensor([-1.0, math.nan, 0.0, math.inf]))

        np.testing.assert_equal(found.numpy(), np.float32([math.nan, math.nan, math.inf, 0]))

    def test_have_gradients_of_any_order(self, name):
        x = gb.tensor([0.3, 1.0, 2.5, 7.0], dtype=gb.float64, requires_grad=True)

        assert gb.autograd.gradcheck(getattr(special, name), (x,))
        assert gb.autograd.gradgradcheck(getattr(special, name), (x,))

    def test_take_integers_and_a_place_for_the_result(self, name):
        out = gb.empty(2)

        found = getattr(special, name)(gb.tensor([1, 2]), out=out)

        assert found is out
        assert out.tolist() == getattr(special, name)(gb.tensor([1.0, 2.0])).tolist()

    def test_refuse_half_types(self, name):
        with pytest.raises(gb.DTypeError, match=f"{name}: input of dtype"):
            getattr(special, name)(gb.ones(1, dtype=gb.float16))

    def test_leave_nothing_behind(self, name):
        def step():
            x = gb.ones(3, requires_grad=True)
            getattr(special, name)(x).sum().backward()

        with gb.leaks.no_leaks():
            step()


class TestAirys:
    def test_is_scipys_on_both_sides(self):
        peer = pytest.importorskip("scipy.special").airy
        x = np.linspace(-60, 60, 4001)
        size = np.where(x > 0, peer(x)[0], (1 + abs(x)) ** -0.25)

        found = special.airy_ai(gb.tensor(x)).numpy()

        assert (abs(found - peer(x)[0]) <= 1e-10 * size).all()

    def test_ends_and_takes_numbers_of_two_dtypes(self):
        found = special.airy_ai(gb.tensor([math.inf, 1000.0, math.nan]))

        np.testing.assert_equal(found.numpy(), np.float32([0, 0, math.nan]))
        assert special.airy_ai(gb.tensor([0])).dtype == gb.float32
        with pytest.raises(gb.DTypeError, match="airy_ai: input of dtype"):
            special.airy_ai(gb.ones(1, dtype=gb.complex64))
