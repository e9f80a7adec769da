"""Convolutions of one tap, at every stride, and of one place: products of what is met there."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.convolution_by_definition import drawn
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

functional = gb.nn.functional


def met(x: np.ndarray, stride: int) -> np.ndarray:
    return x[(slice(None), slice(None), *[slice(None, None, stride)] * (x.ndim - 2))]


def convolved(x: np.ndarray, weight: np.ndarray, stride: int) -> Any:
    """By the formula, over [samples, channels, *space]."""
    return np.einsum("nc...,oc->no...", met(x, stride), weight.reshape(weight.shape[:2]))


#: Samples of one place, of a few and of many; one sample, and none; no channels.
SIZES = [
    *[(5, 6, 1, 1), (5, 6, 3, 3), (5, 6, 2, 4), (1, 6, 2, 3), (3, 6, 4, 5), (2, 6, 16, 9)],
    *[(3, 70, 13, 11), (1, 70, 20, 8), (9, 70, 1), (9, 33, 7), (2, 33, 150), (3, 4, 2, 3, 4)],
    *[(2, 40, 6, 7, 5), (0, 6, 2, 3), (0, 6, 20, 30), (4, 0, 2, 3)],
]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(("dtype", "error"), [(gb.float32, 1e-5), (gb.float64, 1e-13)])
def test_a_convolution_of_one_tap_and_its_slopes_follow_the_formula(
    sizes: tuple[int, ...], stride: int, has_bias: bool, dtype: gb.dtype, error: float
) -> None:
    rows, space = 19, [1] * (len(sizes) - 2)
    x, weight = drawn(*sizes), drawn(rows, sizes[1], *space, seed=4)
    bias = drawn(rows, seed=5) * has_bias
    expected = convolved(x, weight, stride) + bias.reshape(rows, *space)
    of, factors, added = (
        gb.tensor(it, dtype=dtype, requires_grad=True) for it in (x, weight, bias)
    )

    call = getattr(functional, f"conv{len(space)}d")
    out = call(of, factors, added, stride)
    g = drawn(*out.shape, seed=6)
    out.backward(gb.tensor(g, dtype=dtype))

    near = {"rtol": error, "atol": error * 400}
    np.testing.assert_allclose(out.detach().numpy(), expected, **near)
    grads = np.zeros(sizes)
    met(grads, stride)[:] = convolved(g, weight.swapaxes(0, 1), 1)
    assert of.grad is not None
    np.testing.assert_allclose(of.grad.numpy(), grads, **near)
    assert factors.grad is not None
    places = list(range(2, len(sizes)))
    of_weight = np.tensordot(g, met(x, stride), ([0, *places], [0, *places]))
    np.testing.assert_allclose(factors.grad.numpy(), of_weight.reshape(weight.shape), **near)


@pytest.mark.parametrize("sizes", [(3, 8, 1, 1), (3, 8, 2, 3), (2, 8, 5, 4), (0, 8, 2, 2)])
@pytest.mark.parametrize(("stride", "added"), [(1, 0), (2, 0), (2, 1), (3, 2)])
@pytest.mark.parametrize("has_bias", [False, True])
def test_a_transposed_one_leaves_the_bias_where_no_place_is(
    sizes: tuple[int, ...], stride: int, added: int, has_bias: bool
) -> None:
    x, weight, bias = drawn(*sizes), drawn(8, 5, 1, 1, seed=4), drawn(5, seed=5) * has_bias
    lengths = [(size - 1) * stride + 1 + added for size in sizes[2:]]
    expected = np.zeros((sizes[0], 5, *lengths)) + bias[:, None, None]
    expected[:, :, ::stride, ::stride][:, :, : sizes[2], : sizes[3]] += convolved(
        x, weight.swapaxes(0, 1), 1
    )

    made = functional.conv_transpose2d(
        gb.tensor(x),
        gb.tensor(weight),
        gb.tensor(bias) if has_bias else None,
        stride,
        0,
        added,
    )

    np.testing.assert_allclose(made.numpy(), expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("sizes", [(5, 6, 1, 1), (5, 6, 2, 2), (2, 6, 12, 12), (1, 6, 3, 3)])
@pytest.mark.parametrize("stride", [1, 2])
def test_slopes_have_slopes(sizes: tuple[int, ...], stride: int) -> None:
    x = gb.tensor(drawn(*sizes), requires_grad=True)
    weight = gb.tensor(drawn(4, 6, 1, 1, seed=4), requires_grad=True)
    bias = gb.tensor(drawn(4, seed=5), requires_grad=True)

    assert gb.autograd.gradgradcheck(
        lambda *given: functional.conv2d(*given, stride), (x, weight, bias)
    )


@pytest.mark.parametrize("dtype", [gb.bfloat16, gb.float16])
@pytest.mark.parametrize("sizes", [(7, 40, 1, 1), (7, 40, 2, 3), (3, 40, 16, 15)])
def test_slopes_of_half_types_are_rounded_once(dtype: gb.dtype, sizes: tuple[int, ...]) -> None:
    x = gb.tensor(drawn(*sizes)).to(dtype)
    g = gb.tensor(drawn(sizes[0], 24, *sizes[2:], seed=6)).to(dtype)
    weight = gb.tensor(drawn(24, 40, 1, 1, seed=4)).to(dtype).requires_grad_()
    exact = np.einsum("noyx,ncyx->oc", g.double().numpy(), x.double().numpy())

    functional.conv2d(x, weight).backward(g)

    assert weight.grad is not None
    found = weight.grad.double().numpy()[:, :, 0, 0]
    most = np.abs(exact).max() * 1e-3 + np.abs(exact) * gb.finfo(dtype).eps
    assert (np.abs(found - exact) <= most).all()


@pytest.mark.parametrize("sizes", [(9, 64, 2, 3), (3, 64, 40, 37), (1, 300, 16, 16)])
def test_threads_change_no_bit(sizes: tuple[int, ...]) -> None:
    x = gb.tensor(drawn(*sizes), dtype=gb.float32, requires_grad=True)
    weight = gb.tensor(drawn(130, sizes[1], 1, 1, seed=4), dtype=gb.float32, requires_grad=True)
    before = gb.get_num_threads()
    made = []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            out = functional.conv2d(x, weight)
            made.append([out.detach(), *gb.autograd.grad(out.square().sum(), (x, weight))])
    finally:
        gb.set_num_threads(before)

    for others in made[1:]:
        for first, other in zip(made[0], others, strict=True):
            np.testing.assert_array_equal(first.numpy(), other.numpy())
    del made, others, first, other, out


@pytest.mark.parametrize("sizes", [(5, 7, 4, 3), (1, 7, 2, 2), (3, 5, 6), (2, 3, 2, 4, 3)])
@pytest.mark.parametrize("rows", [1, 9])
def test_taps_that_cover_all_have_one_place(sizes: tuple[int, ...], rows: int) -> None:
    x, weight = drawn(*sizes), drawn(rows, *sizes[1:], seed=4)
    bias, one = drawn(rows, seed=5), [1] * (len(sizes) - 2)
    of, factors = gb.tensor(x, requires_grad=True), gb.tensor(weight, requires_grad=True)

    out = getattr(functional, f"conv{len(one)}d")(of, factors, gb.tensor(bias))
    g = drawn(*out.shape, seed=6)
    out.backward(gb.tensor(g))

    assert out.shape == (sizes[0], rows, *one)
    rows_of, flat = g.reshape(sizes[0], rows), weight.reshape(rows, -1)
    near = {"rtol": 1e-12, "atol": 1e-12}
    expected = x.reshape(sizes[0], -1) @ flat.T + bias
    np.testing.assert_allclose(out.detach().numpy(), expected.reshape(out.shape), **near)
    assert of.grad is not None
    np.testing.assert_allclose(of.grad.numpy(), (rows_of @ flat).reshape(sizes), **near)
    assert factors.grad is not None
    of_weight = (rows_of.T @ x.reshape(sizes[0], -1)).reshape(weight.shape)
    np.testing.assert_allclose(factors.grad.numpy(), of_weight, **near)
