"""Parts and traits of real numbers, beside NumPy's."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

NUMBERS = [0.0, -0.0, 1.0, -0.5, 6.0, 0.1, 1e-310, 5e-324, 1e308, 2.0**-1022, -(2.0**1000), 3e-39]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_numbers_are_taken_apart_as_numpys(dtype):
    with np.errstate(over="ignore"):
        array = np.array(NUMBERS).astype(dtype)
    array = array[np.isfinite(array)]
    mantissa, exponent = np.frexp(array)

    found = gb.frexp(gb.tensor(array))

    assert found.mantissa.tolist() == mantissa.tolist()
    assert found.exponent.tolist() == exponent.tolist()
    assert (str(found.mantissa.dtype), found.exponent.dtype) == (f"garboard.{dtype}", gb.int32)


def test_what_is_not_finite_is_its_own_mantissa():
    found = gb.tensor([np.inf, -np.inf, np.nan]).frexp()

    assert found.mantissa.tolist()[:2] == [np.inf, -np.inf]
    assert np.isnan(found.mantissa[2].item())
    assert found.exponent.tolist() == [0, 0, 0]


def test_a_mantissa_has_a_gradient():
    x = gb.tensor([6.0, -0.25], requires_grad=True)

    gb.frexp(x).mantissa.sum().backward()

    assert x.grad.tolist() == [0.125, 2.0]


def test_angles_are_0_or_half_a_turn():
    found = gb.angle(gb.tensor([2.0, -2.0, 0.0, np.nan, -np.inf])).tolist()

    assert np.allclose(found, [0.0, np.pi, 0.0, np.nan, np.pi], equal_nan=True)
    assert gb.tensor([-3]).angle().item() == pytest.approx(np.pi)
    x = gb.tensor([-2.0, 3.0], requires_grad=True)
    x.angle().sum().backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_real_numbers_are_their_own_real_part_and_conjugate():
    x = gb.ones(2, 3)

    assert x.real is gb.real(x) is x.conj() is gb.conj(x) is x.resolve_conj() is x
    assert gb.isreal(x).tolist() == [[True] * 3] * 2
    assert not x.is_complex()
    assert (x.H.shape, x.mH.shape, gb.ones(4, 2, 3).mH.shape) == ((3, 2), (3, 2), (4, 3, 2))
    assert x.is_signed()
    assert not x.bool().is_signed()
    assert x.is_same_size(gb.zeros(2, 3))


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: gb.frexp(gb.tensor([1])), gb.DTypeError, "a floating dtype"),
        (lambda: gb.real(1.0), TypeError, "real: input"),
        (lambda: gb.ones(1, 1, 1).H, gb.ShapeError, "use mH"),
        (lambda: gb.is_same_size(gb.ones(1), 1), TypeError, "other"),
    ],
)
def test_what_does_not_fit_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
