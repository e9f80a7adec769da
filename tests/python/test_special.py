"""`garboard.special`: beside the standard library's functions and formulas."""

from __future__ import annotations

import math
from statistics import NormalDist

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

NORMAL = NormalDist()


def f64(values, **options):
    return gb.tensor(values, dtype=gb.float64, **options)


def test_the_shared_of_the_normal_distribution_are_exact():
    places = [-40.0, -8.0, -3.0, -0.5, 0.0, 0.5, 3.0, 8.0]

    found = gb.special.ndtr(f64(places))

    expected = [0.5 * math.erfc(-it / math.sqrt(2)) for it in places]
    assert np.allclose(found.tolist(), expected, rtol=1e-14)


def test_logarithms_of_shares_go_on_where_the_shares_are_0():
    near = [-20.0, -3.0, 0.0, 1.0, 9.0]
    expected = [math.log(0.5 * math.erfc(-it / math.sqrt(2))) for it in near[:3]]
    expected += [math.log1p(-0.5 * math.erfc(it / math.sqrt(2))) for it in near[3:]]

    assert np.allclose(gb.special.log_ndtr(f64(near)).tolist(), expected, rtol=1e-13)
    # Of -100 the series x^2 / 2 + log(x sqrt(2 pi)) - log(1 - 1 / x^2 ...) is known to 15 digits.
    tail = 5000 + math.log(100 * math.sqrt(2 * math.pi)) - math.log1p(-1e-4 + 3e-8 - 15e-12)
    assert gb.special.log_ndtr(f64(-100.0)).item() == pytest.approx(-tail, rel=1e-15)
    for x in (-28.0001, -27.9999):  # both sides of the seam
        slope = (gb.special.log_ndtr(f64(x + 1e-6)) - gb.special.log_ndtr(f64(x - 1e-6))).item()
        assert slope / 2e-6 == pytest.approx(28.035, abs=0.01)
    single = gb.special.log_ndtr(gb.tensor([-12.5, -11.5]))
    expected = gb.special.log_ndtr(f64([-12.5, -11.5]))
    assert np.allclose(single.tolist(), expected.tolist(), rtol=1e-6)


def test_quantiles_are_the_inverse_with_derivatives_of_two_orders():
    shares = [1e-12, 1e-5, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9]
    p = f64(shares, requires_grad=True)

    with gb.leaks.no_leaks():
        x = gb.special.ndtri(p)
        expected = [NORMAL.inv_cdf(it) for it in shares]
        assert np.allclose(x.tolist(), expected, rtol=1e-8, atol=1e-15)
        (slope,) = gb.autograd.grad(x.sum(), [p], create_graph=True)
        density = np.exp(-np.square(x.tolist()) / 2) / math.sqrt(2 * math.pi)
        assert np.allclose(slope.tolist(), 1 / density, rtol=1e-7)
        (bend,) = gb.autograd.grad(slope.sum(), [p])
        assert np.allclose(bend.tolist(), x.tolist() / density**2, rtol=1e-6, atol=1e-12)
        del x, slope, bend
    edges = gb.special.ndtri(gb.tensor([0.0, 1.0, -0.5, math.nan])).tolist()
    assert edges[:2] == [-math.inf, math.inf]
    assert all(map(math.isnan, edges[2:]))


def test_parts_of_entropies():
    x = gb.tensor([0.5, 2.0], requires_grad=True)

    gb.special.entr(x).sum().backward()

    assert np.allclose(x.grad.tolist(), [-math.log(0.5) - 1, -math.log(2.0) - 1])
    assert gb.special.entr(gb.tensor([0.0, -1.0])).tolist() == [0.0, -math.inf]
    assert gb.special.xlog1py(0.0, gb.tensor([-1.0, -2.0, math.inf])).tolist() == [0.0] * 3
    assert math.isnan(gb.special.xlog1py(gb.tensor(0.0), gb.tensor(math.nan)).item())
    assert gb.special.xlog1py(gb.tensor(2), 1).item() == pytest.approx(2 * math.log(2))


def test_the_gamma_function_of_several_dimensions():
    found = gb.mvlgamma(f64([3.5]), 3).item()

    expected = 1.5 * math.log(math.pi) + sum(math.lgamma(3.5 - k / 2) for k in range(3))
    assert found == pytest.approx(expected)
    assert gb.special.multigammaln is gb.mvlgamma


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: gb.mvlgamma(gb.ones(1), 0), ValueError, "mvlgamma: p 0"),
        (lambda: gb.special.xlog1py(1.0, 2.0), TypeError, "at least one Tensor"),
        (lambda: gb.special.ndtr([1.0]), TypeError, "ndtr: input"),
        (lambda: gb.special.entr(gb.ones(2), out=gb.ones(3)), gb.ShapeError, "out"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
