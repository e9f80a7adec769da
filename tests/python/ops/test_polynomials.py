"""Orthogonal polynomials, against NumPy's series of the same families."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

X = [-2.0, -1.0, -0.3, 0.0, 0.5, 1.0, 3.0]
FAMILIES = {
    "chebyshev_polynomial_t": chebyshev.Chebyshev,
    "hermite_polynomial_h": hermite.Hermite,
    "hermite_polynomial_he": hermite_e.HermiteE,
    "laguerre_polynomial_l": laguerre.Laguerre,
    "legendre_polynomial_p": legendre.Legendre,
}


class TestPolynomials:
    @pytest.mark.parametrize("degree", range(6))
    @pytest.mark.parametrize("name", FAMILIES)
    def test_are_those_of_their_family(self, name, degree):
        expected = FAMILIES[name].basis(degree)(np.array(X))

        found = getattr(gb.special, name)(gb.tensor(X, dtype=gb.float64), degree)

        assert np.allclose(found.numpy(), expected)

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("u", lambda t: np.sin(4 * t) / np.sin(t)),
            ("v", lambda t: np.cos(3.5 * t) / np.cos(t / 2)),
            ("w", lambda t: np.sin(3.5 * t) / np.sin(t / 2)),
        ],
    )
    def test_of_the_other_kinds_are_those_of_angles(self, kind, expected):
        angles = np.array([0.3, 1.0, 2.5])
        x = gb.tensor(np.cos(angles))

        found = getattr(gb.special, f"chebyshev_polynomial_{kind}")(x, 3)
        shifted = getattr(gb.special, f"shifted_chebyshev_polynomial_{kind}")((x + 1) / 2, 3)

        assert np.allclose(found.numpy(), expected(angles))
        assert np.allclose(shifted.numpy(), expected(angles))

    def test_take_a_degree_for_each_number(self):
        degrees = gb.tensor([[0], [1], [-1], [2]])

        found = gb.special.legendre_polynomial_p(gb.tensor([0.5, 2.0]), degrees)

        assert found.tolist() == [[1, 1], [0.5, 2], [0, 0], [-0.125, 5.5]]
        assert gb.special.hermite_polynomial_h(2.5, gb.tensor([1, 2])).tolist() == [5, 23]

    def test_have_gradients(self):
        x = gb.tensor(X, dtype=gb.float64, requires_grad=True)

        assert gb.autograd.gradcheck(lambda x: gb.special.laguerre_polynomial_l(x, 4), x)

    def test_are_of_tensors(self):
        assert gb.special.chebyshev_polynomial_t(gb.tensor([1, 2]), 3).tolist() == [1, 26]
        with pytest.raises(TypeError, match="legendre_polynomial_p: n is of type int; a Tensor"):
            gb.special.legendre_polynomial_p(0.5, 2)
