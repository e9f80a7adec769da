"""Convolutions that are products: weights beyond the cache, few channels, strides, few places."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.convolution_by_definition import (
    Moves,
    convolved,
    drawn,
    slope_of_input,
    slope_of_weight,
)
from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

functional = gb.nn.functional

CASES = [
    # sizes of the input, out channels, taps, moves
    ((2, 512, 3, 5), 1024, 3, Moves(padding=1)),  # 19 MB of weights
    ((1, 512, 4, 4), 1024, 3, Moves(padding=1)),
    ((3, 512, 7, 6), 1024, 3, Moves(stride=2, padding=1)),
    ((2, 1024, 3, 3), 1024, 3, Moves(padding=2, dilation=2, groups=2)),
    ((11, 20, 13, 15), 24, 3, Moves(stride=2, padding=1)),  # two blocks of samples
    ((2, 20, 40, 45), 24, 3, Moves(stride=2, padding=1)),  # each sample a block
    ((5, 20, 9, 8), 24, 4, Moves(stride=2, padding=1)),
    ((5, 20, 11, 14), 24, 5, Moves(stride=3)),
    ((3, 2, 9, 20), 40, 3, Moves(padding=1)),  # few channels
    ((20, 3, 19, 17), 24, 5, Moves(padding=2)),  # ten blocks
    ((4, 6, 10, 11), 96, 3, Moves(stride=2, padding=1, groups=2)),
    ((5, 30, 15, 13), 3, 3, Moves(padding=1)),  # few out channels
    ((5, 30, 15, 13), 6, 3, Moves(dilation=2, groups=2)),
    ((2, 9, 2, 2), 16, 3, Moves(padding=2)),  # taps that meet nothing but zeros
]


@pytest.mark.parametrize(("sizes", "rows", "taps", "moves"), CASES, ids=str)
@pytest.mark.parametrize(("dtype", "error"), [(gb.float32, 3e-5), (gb.float64, 1e-12)])
@pytest.mark.parametrize("has_bias", [False, True])
def test_what_is_multiplied_follows_the_formula(
    sizes: tuple[int, ...],
    rows: int,
    taps: int,
    moves: Moves,
    dtype: gb.dtype,
    error: float,
    has_bias: bool,
) -> None:
    x, weight = drawn(*sizes), drawn(rows, sizes[1] // moves.groups, taps, taps, seed=4)
    bias = drawn(rows, seed=5) * has_bias
    of, factors = (gb.tensor(it, dtype=dtype, requires_grad=True) for it in (x, weight))
    added = gb.tensor(bias, dtype=dtype) if has_bias else None

    out = functional.conv2d(of, factors, added, *moves)
    g = drawn(*out.shape, seed=6)
    out.backward(gb.tensor(g, dtype=dtype))

    assert of.grad is not None
    assert factors.grad is not None
    for made, expected in (
        (out.detach(), convolved(x, weight, moves) + bias[:, None, None]),
        (of.grad, slope_of_input(g, weight, sizes, moves)),
        (factors.grad, slope_of_weight(g, x, weight.shape, moves)),
    ):
        most = np.abs(expected).max()
        np.testing.assert_allclose(made.numpy(), expected, rtol=error, atol=error * most)
    if has_bias:
        turned = functional.conv_transpose2d(
            gb.tensor(g, dtype=dtype),
            factors.detach(),
            gb.tensor(np.full(sizes[1], 0.5), dtype=dtype),
            moves.stride,
            moves.padding,
            0,
            moves.groups,
            moves.dilation,
        )
        high, wide = turned.shape[2:]
        expected = slope_of_input(g, weight, (*sizes[:2], high, wide), moves) + 0.5
        np.testing.assert_allclose(turned.numpy(), expected, rtol=error, atol=error * most)


@pytest.mark.parametrize(
    ("sizes", "rows", "taps", "stride"),
    [
        ((2, 512, 5, 4), 1024, 3, 1),
        ((5, 512, 6, 6), 1024, 3, 2),
        ((40, 3, 20, 19), 64, 3, 1),
        ((9, 40, 30, 31), 48, 3, 2),
        ((6, 64, 20, 19), 2, 3, 1),
    ],
)
def test_threads_change_no_bit(sizes: tuple[int, ...], rows: int, taps: int, stride: int) -> None:
    x = gb.tensor(drawn(*sizes), dtype=gb.float32, requires_grad=True)
    weight = gb.tensor(drawn(rows, sizes[1], taps, taps, seed=4), dtype=gb.float32)
    weight.requires_grad_()
    before, made = gb.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            out = functional.conv2d(x, weight, None, stride, 1)
            grads = gb.autograd.grad(out.square().sum(), (x, weight))
            made.append([it.detach().numpy() for it in (out, *grads)])
    finally:
        gb.set_num_threads(before)

    for others in made[1:]:
        for first, other in zip(made[0], others, strict=True):
            np.testing.assert_array_equal(first, other)
    made.clear()
    del others, first, other, out, grads
