"""Remainders of floats are exact, however far apart two numbers are."""

from fractions import Fraction
from math import floor

import garboard as gb
import numpy as np
import pytest

SPECIAL = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan, 1e-45, 3e38, 2.0**29, 5e-324, 7.5]


def pairs(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    limit = 38 if dtype is np.float32 else 300
    size = rng.integers(-limit, limit, 4000)
    near = size + rng.integers(-8, 9, 4000)
    a = rng.standard_normal(4000) * 10.0**size
    b = rng.standard_normal(4000) * 10.0 ** np.where(rng.random(4000) < 0.3, -size, near)
    whole = rng.integers(-50, 50, 4000)
    with np.errstate(over="ignore"):
        a, b = a.astype(dtype), b.astype(dtype)
        multiples = (b * whole).astype(dtype)  # the quotient rounds up to a whole number, or not
        special = np.array(SPECIAL, dtype)
    below = np.nextafter(multiples, dtype(0))
    first, second = (one.ravel() for one in np.meshgrid(special, special))
    return np.concatenate([a, multiples, below, first]), np.concatenate([b, b, b, second])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remainders_have_the_bits_of_the_librarys(dtype):
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        rest = np.fmod(a, b)
        signed = np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)

    ours = gb.fmod(gb.tensor(a), gb.tensor(b)).numpy()
    ours_signed = gb.remainder(gb.tensor(a), gb.tensor(b)).numpy()

    np.testing.assert_array_equal(ours, rest)
    np.testing.assert_array_equal(np.signbit(ours[rest == 0]), np.signbit(rest[rest == 0]))
    np.testing.assert_array_equal(ours_signed, signed)


def test_one_remainder_is_what_it_is_among_many():
    a, b = pairs(np.float32)

    many = gb.floor_divide(gb.tensor(a), gb.tensor(b)).numpy()[::97]
    one_by_one = [
        gb.floor_divide(gb.tensor(x), gb.tensor(y)).item()
        for x, y in zip(a[::97], b[::97], strict=True)
    ]

    np.testing.assert_array_equal(many, np.array(one_by_one, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_quotient_below_is_exact(dtype):
    rng = np.random.default_rng(4)
    a = (rng.standard_normal(1000) * 10.0 ** rng.integers(-5, 9, 1000)).astype(dtype)
    b = (rng.standard_normal(1000) * 10.0 ** rng.integers(-3, 3, 1000)).astype(dtype)
    a[:3], b[:3] = [20739874, -46.25, -1e10], [-3, 6.026166e-06, -1e30]

    ours = gb.floor_divide(gb.tensor(a), gb.tensor(b)).numpy()

    exact = [floor(Fraction(x) / Fraction(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    np.testing.assert_array_equal(ours, np.array([float(it) for it in exact], dtype))
    assert not np.signbit(ours[2])
