"""Powers that cheaper kernels give: squares, cubes and inverses as C's pow has them, and roots."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

POWERS = [2, 3, 4, -1, -2, 2.0, -1.0]
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 1e19, 3.0, -7.5]


def numbers(count: int) -> np.ndarray:
    drawn = np.random.default_rng(3).normal(size=max(count - len(SPECIAL), 0)) * 10
    return np.concatenate([SPECIAL, drawn])[:count]


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("count", [1, 5, 1031])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_reals_are_within_two_units_of_the_last_place(dtype, count, power):
    x = numbers(count).astype(dtype)
    with np.errstate(all="ignore"):
        expected = np.power(x.astype(np.longdouble), power).astype(dtype)

    y = gb.tensor(x) ** power

    assert y.dtype == getattr(gb, dtype)
    np.testing.assert_array_max_ulp(y.numpy(), expected, 2)
    np.testing.assert_array_equal(np.signbit(y.numpy()), np.signbit(expected))


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16], ids=str)
def test_of_half_types_are_rounded_once(dtype, power):
    x = gb.tensor(numbers(300)).to(dtype)

    y = x**power

    assert y.dtype == dtype
    gb.testing.assert_close(y, (x.double() ** power).to(dtype), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("power", [*POWERS, 2 + 0j, 2j])
@pytest.mark.parametrize("dtype", [gb.complex64, gb.complex128], ids=str)
def test_of_complex_numbers_are_numpys(dtype, power):
    parts = numbers(300)[len(SPECIAL) :]
    x = gb.complex(gb.tensor(parts), gb.tensor(parts[::-1].copy())).to(dtype)

    y = x**power

    expected = np.power(x.numpy().astype(np.complex128), power)
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5 if dtype == gb.complex64 else 1e-12)


@pytest.mark.parametrize("power", POWERS)
def test_are_written_in_place_and_into_what_is_given(power):
    x = gb.tensor(numbers(40)[12:])
    expected = x**power
    out = gb.empty(28, dtype=gb.float64)

    gb.pow(x, power, out=out)
    spread = gb.stack([x, x], 1)[:, 0]
    spread.pow_(power)
    x.pow_(power)

    for each in (x, out, spread):
        gb.testing.assert_close(each, expected)


def test_of_integers_wrap():
    x = gb.tensor([-3, 7, 100], dtype=gb.int8)

    assert (x**2).tolist() == [9, 49, 16]
    assert (x**3).tolist() == [-27, 87, 64]


@pytest.mark.parametrize("power", POWERS)
def test_have_gradients_of_both_orders(power):
    x = gb.tensor([0.5, -2.0, 3.0], dtype=gb.float64, requires_grad=True)

    assert gb.autograd.gradcheck(lambda x: x**power, [x])
    assert gb.autograd.gradgradcheck(lambda x: x**power, [x])


@pytest.mark.parametrize(("power", "root"), [(0.5, gb.sqrt), (-0.5, gb.rsqrt)], ids=["", "inverse"])
@pytest.mark.parametrize("dtype", [gb.float16, gb.float32, gb.float64], ids=str)
def test_to_a_half_are_roots(dtype, power, root):
    x = gb.tensor(numbers(300)).to(dtype)
    expected = root(x)

    for y in (x**power, x.clone().pow_(power)):
        gb.testing.assert_close(y, expected, rtol=0, atol=0, equal_nan=True)
    by_tensor = x ** gb.full_like(x, power)  # C's pow, where -inf has roots
    gb.testing.assert_close(by_tensor[x > 0], expected[x > 0], equal_nan=True)
    for one, its in zip(x[: len(SPECIAL)], expected, strict=False):
        gb.testing.assert_close(one**power, its, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("power", [0.5, -0.5])
def test_to_a_half_have_gradients_of_both_orders(power):
    x = gb.tensor([0.5, 2.0, 3.0], dtype=gb.float64, requires_grad=True)

    assert gb.autograd.gradcheck(lambda x: x**power, [x])
    assert gb.autograd.gradgradcheck(lambda x: x**power, [x])


@pytest.mark.parametrize("dtype", [gb.float16, gb.float32, gb.float64, gb.complex64], ids=str)
def test_the_gradient_of_a_square_is_twice_the_number(dtype):
    x = gb.tensor(numbers(300)).to(dtype).requires_grad_()

    (x**2).backward(gb.ones_like(x))

    gb.testing.assert_close(x.grad, 2 * x.detach().conj(), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("count", [1, 127, 128, 129, 5000])
@pytest.mark.parametrize("number", [2.5, -0.7, 1e-3, np.inf, np.nan, 0.0, -2.0])
def test_one_number_for_all_doubles_gives_what_as_many_give(count, number):
    x = gb.tensor(numbers(count))
    many = gb.full_like(x, number)
    as_power, as_base = gb.pow(x, many), gb.pow(many, x)

    with np.errstate(all="ignore"):
        np.testing.assert_array_max_ulp((x**number).numpy(), as_power.numpy(), 2)
        np.testing.assert_array_equal((number**x).numpy(), as_base.numpy())
        np.testing.assert_array_max_ulp(as_power.numpy(), np.power(numbers(count), number), 2)
