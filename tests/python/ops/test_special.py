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


# To 17 digits, by series of 60 digits.
KNOWN = [
    ("bessel_y0", 0.25, -0.93157302493005869),
    ("bessel_y0", 5.5, -0.33948059288191104),
    ("bessel_y0", 30.0, -0.11729573168666403),
    ("bessel_y1", 0.25, -2.7041052293152825),
    ("bessel_y1", 5.5, -0.02375823895638962),
    ("bessel_y1", 30.0, 0.084425570661747235),
    ("i0", 700.0, 1.5295933476718737e302),
    ("i1e", 5000.0, 0.0056414726668388859),
    ("erfcx", 1e6, 5.6418958354747419e-07),
    ("erfcx", 25.0, 0.022549572432641359),
]


@pytest.mark.parametrize(("name", "x", "expected"), KNOWN)
def test_far_from_0_all_digits_are_right(name, x, expected):
    found = getattr(gb.special, name)(f64(x)).item()

    assert found == pytest.approx(expected, rel=1e-14)


def test_bessel_functions_have_ends():
    y = [getattr(gb.special, f"bessel_y{order}") for order in (0, 1)]

    assert [it(f64(0.0)).item() for it in y] == [-math.inf, -math.inf]
    assert all(math.isnan(it(f64(-1.0)).item()) for it in y)
    assert gb.i0(f64([math.inf, -math.inf])).tolist() == [math.inf, math.inf]
    assert gb.special.i0e(f64(math.inf)).item() == 0
    assert gb.special.bessel_j1(f64(math.inf)).item() == 0
    assert gb.special.erfcx(f64([math.inf, -math.inf])).tolist() == [0, math.inf]


def test_functions_of_the_second_kind_have_the_values_of_tables():
    # Abramowitz and Stegun, "Handbook of mathematical functions", table 9.1.
    x = f64([1.0, 10.0])

    assert gb.special.bessel_y0(x).tolist() == pytest.approx([0.0882569642156770, 0.0556711672836])
    assert gb.special.bessel_y1(x).tolist() == pytest.approx([-0.7812128213002887, 0.2490154242])


@pytest.mark.parametrize(
    "name", ["i0", "i0e", "i1", "i1e", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "erfcx"]
)
def test_slopes_follow_from_recurrences(name):
    x = f64([0.3, 2.0, 7.9, 8.1, 20.0], requires_grad=True)

    assert gb.autograd.gradcheck(getattr(gb.special, name), [x])
    assert gb.autograd.gradgradcheck(getattr(gb.special, name), [x])


def test_shares_of_the_gamma_function_beside_sums():
    # Of a whole a the upper share is e^-x sum x^k / k!.
    a = [1, 3, 20, 400, 3]
    x = [0.5, 3.5, 35.0, 380.0, 50.0]
    rest = [
        sum(math.exp(k * math.log(at) - at - math.lgamma(k + 1)) for k in range(n))
        for n, at in zip(a, x, strict=True)
    ]

    assert np.allclose(gb.igammac(f64(a), f64(x)).tolist(), rest, rtol=1e-12)
    assert np.allclose(gb.igamma(f64(a), f64(x)).tolist(), 1 - np.array(rest), atol=1e-13)
    tiny = gb.igammac(f64(1e-10), f64(0.5)).item()  # about a times the exponential integral
    assert tiny == pytest.approx(1e-10 * 0.55977359477616081, rel=1e-9)
    # Where a is large, half lies below a - 1 / 3, and steps are like those of a normal number.
    assert gb.igamma(f64(1e8), f64(1e8 - 1 / 3)).item() == pytest.approx(0.5, abs=1e-9)
    far = gb.igammac(f64(1e10), f64(1e10 + 3e5)).item()
    assert far == pytest.approx(0.5 * math.erfc(3 / math.sqrt(2)), rel=1e-3)


def test_shares_of_the_gamma_function_have_ends():
    a = f64([0.0, 0.0, 2.0, 2.0, math.inf, math.inf, -1.0, 1.0])
    x = f64([1.0, 0.0, 0.0, math.inf, 1.0, math.inf, 1.0, -1.0])

    lower, upper = gb.igamma(a, x).tolist(), gb.igammac(a, x).tolist()

    for found, expected in ((lower, [1, 0, 1, 0]), (upper, [0, 1, 0, 1])):
        assert [it for it in found if not math.isnan(it)] == expected
        assert [math.isnan(it) for it in found] == [False, True] + [False] * 3 + [True] * 3


def test_the_upper_limit_alone_has_a_gradient():
    a, x = f64([0.5, 4.0]), f64([0.3, 5.0], requires_grad=True)

    for function in (gb.igamma, gb.igammac, gb.special.zeta):
        first = a + 1
        assert gb.autograd.gradcheck(lambda it: function(first, it), [x])  # noqa: B023
        assert gb.autograd.gradgradcheck(lambda it: function(first, it), [x])  # noqa: B023
        with pytest.raises(gb.GradientError, match="its gradient for input has no formula"):
            function(x, a).sum().backward()


def test_sums_of_inverse_powers():
    s, q = f64([2.0, 4.0, 2.0, 3.0, 2.0, 50.0]), f64([1.0, 1.0, 0.5, -1.5, -2.5, 30.0])
    expected = [math.pi**2 / 6, math.pi**4 / 90, math.pi**2 / 2]

    found = gb.special.zeta(s, q).tolist()

    assert np.allclose(found[:3], expected, rtol=1e-15)
    # Below 0 the terms up to it are added one by one.
    above = gb.special.zeta(f64([3.0, 2.0]), f64([0.5, 0.5])).tolist()
    assert found[3] == pytest.approx(above[0] + (-1.5) ** -3 + (-0.5) ** -3, rel=1e-12)
    assert found[4] == pytest.approx(above[1] + 2.5**-2 + 1.5**-2 + 0.5**-2, rel=1e-14)
    assert found[5] == pytest.approx(sum((30.0 + k) ** -50 for k in range(300)), rel=1e-13)
    assert gb.special.zeta(f64(1.0), f64(2.0)).item() == math.inf
    assert math.isnan(gb.special.zeta(f64(2.5), f64(-1.5)).item())


def test_derivatives_of_digamma():
    x = f64([0.7, 3.0, -1.3], requires_grad=True)

    with gb.leaks.no_leaks():
        made = [gb.polygamma(n, x) for n in range(4)]
        slopes = [gb.autograd.grad(it.sum(), [x])[0] for it in made[:3]]
        for slope, after in zip(slopes, made[1:], strict=True):
            assert np.allclose(slope.tolist(), after.tolist(), rtol=1e-11)
        del made, slopes, slope, after
    assert gb.polygamma(1, f64(1.0)).item() == pytest.approx(math.pi**2 / 6, rel=1e-15)
    assert f64([1.0]).polygamma(2).item() == pytest.approx(-2 * 1.2020569031595943, rel=1e-15)


def test_the_polygamma_of_any_order_is_found_at_once():
    assert gb.polygamma(10**9, f64(1.0)).item() == -math.inf
    assert gb.polygamma(10**9 + 1, f64(1.0)).item() == math.inf
    assert gb.polygamma(170, f64(1.0)).item() == pytest.approx(-float(math.factorial(170)))


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32, gb.float64])
def test_the_number_next_to_another(dtype):
    eps, tiny = gb.finfo(dtype).eps, gb.finfo(dtype).smallest_normal
    x = gb.tensor([1.0, 1.0, -1.0, 2.0, tiny, math.inf], dtype=dtype)
    end = gb.tensor([2.0, 0.0, -2.0, 2.0, 0.0, 0.0], dtype=dtype)

    found = gb.nextafter(x, end)

    assert found.dtype == dtype
    assert found.tolist()[:4] == [1 + eps, 1 - eps / 2, -1 - eps, 2.0]
    assert 0 < found.tolist()[4] < tiny
    assert found.tolist()[5] == gb.finfo(dtype).max
    least = gb.tensor([0.0, -0.0], dtype=dtype).nextafter(gb.tensor([1.0, -1.0], dtype=dtype))
    assert least.tolist()[0] == -least.tolist()[1] > 0
    assert least.nextafter(least * 0).tolist() == [0.0, 0.0]
    assert math.isnan(gb.nextafter(x, end * math.nan)[0].item())


def test_spherical_bessel_functions_have_derivatives_at_0():
    x = f64([0.0, 0.4999, 0.5, 3.0, -40.0], requires_grad=True)

    found = gb.special.spherical_bessel_j0(x)

    expected = [1.0, *(math.sin(it) / it for it in x.tolist()[1:])]
    assert np.allclose(found.tolist(), expected, rtol=1e-14)
    (slope,) = gb.autograd.grad(found.sum(), [x], create_graph=True)
    (bend,) = gb.autograd.grad(slope.sum(), [x])
    assert slope[0].item() == 0
    assert bend[0].item() == pytest.approx(-1 / 3)
    assert gb.special.spherical_bessel_j0(f64(math.inf)).item() == 0


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: gb.polygamma(-1, gb.ones(1)), ValueError, "polygamma: n -1"),
        (lambda: gb.polygamma(1.5, gb.ones(1)), TypeError, "polygamma: n"),
        (lambda: gb.nextafter(gb.ones(1).int(), gb.ones(1).int()), gb.DTypeError, "nextafter: dty"),
        (lambda: gb.nextafter(gb.ones(2), gb.ones(3)), gb.ShapeError, "differ"),
        (lambda: gb.nextafter(gb.ones(1), 2.0), TypeError, "nextafter: other"),
        (lambda: gb.mvlgamma(gb.ones(1), 0), ValueError, "mvlgamma: p 0"),
        (lambda: gb.special.xlog1py(1.0, 2.0), TypeError, "at least one Tensor"),
        (lambda: gb.special.ndtr([1.0]), TypeError, "ndtr: input"),
        (lambda: gb.special.entr(gb.ones(2), out=gb.ones(3)), gb.ShapeError, "out"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
