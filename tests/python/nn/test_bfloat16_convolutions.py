"""Convolutions of bfloat16 are those of float64, rounded once, whichever way computes them."""

import garboard as gb
import numpy as np
import pytest

from tests.support.convolution_by_definition import drawn

functional = gb.nn.functional

# Samples, channels and out channels of a group, groups; sizes, taps, strides, paddings, dilations.
SHAPES: dict[str, tuple[int, int, int, int, list[int], list[int], list[int], list[int], list[int]]]
SHAPES = {
    "as in residual nets": (3, 64, 48, 1, [14, 14], [3, 3], [1, 1], [1, 1], [1, 1]),
    "of images": (2, 3, 40, 1, [33, 30], [7, 7], [2, 2], [3, 3], [1, 1]),
    "of one channel": (3, 1, 32, 1, [28, 28], [3, 3], [1, 1], [1, 1], [1, 1]),
    "of a few channels, by twos of taps": (2, 16, 17, 1, [16, 16], [3, 5], [1, 1], [1, 2], [1, 1]),
    "of odd channels": (2, 70, 33, 1, [7, 9], [3, 3], [1, 1], [1, 1], [1, 1]),
    "by threes": (2, 33, 16, 1, [20, 16], [5, 3], [3, 3], [1, 2], [1, 1]),
    "with taps apart": (2, 32, 50, 1, [16, 16], [3, 3], [1, 2], [2, 3], [2, 3]),
    "in groups": (3, 31, 33, 3, [9, 14], [3, 3], [1, 1], [1, 1], [1, 1]),
    "of a column": (2, 70, 16, 1, [14, 33], [3, 1], [2, 2], [1, 1], [2, 1]),
    "of long lines": (1, 5, 8, 1, [70_000], [7], [2], [3], [1]),
    "of volumes": (2, 24, 40, 1, [5, 6, 7], [3, 2, 3], [1, 2, 1], [1, 0, 1], [1, 1, 2]),
    "with one place": (9, 64, 80, 1, [5, 5], [5, 5], [1, 1], [0, 0], [1, 1]),
}


@pytest.mark.parametrize("of", SHAPES)
def test_a_convolution_and_its_gradients_are_those_of_float64_rounded(of: str) -> None:
    samples, channels, rows, groups, sizes, taps, stride, padding, dilation = SHAPES[of]
    convolve = getattr(functional, f"conv{len(sizes)}d")
    moves = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    depth = channels * int(np.prod(taps))
    x = gb.tensor(drawn(samples, channels * groups, *sizes)).bfloat16().requires_grad_()
    weight = drawn(rows * groups, channels, *taps, seed=4) / np.sqrt(depth)
    factors = gb.tensor(weight).bfloat16().requires_grad_()
    bias = gb.tensor(drawn(rows * groups, seed=5)).bfloat16().requires_grad_()
    wide = [one.detach().double().requires_grad_() for one in (x, factors, bias)]

    out, expected = convolve(x, factors, bias, **moves), convolve(*wide, **moves)
    along = gb.tensor(drawn(*out.shape, seed=6)).bfloat16()
    gradients = gb.autograd.grad(out, [x, factors], along)
    by_double = gb.autograd.grad(expected, wide[:2], along.double())

    for found, right in zip([out, *gradients], [expected, *by_double], strict=True):
        largest = right.abs().max().item()
        gb.testing.assert_close(found.double(), right, rtol=5e-3, atol=1e-4 * largest)


@pytest.mark.parametrize("of", ["of images", "in groups", "by threes"])
def test_threads_change_no_bit(of: str) -> None:
    samples, channels, rows, groups, sizes, taps, stride, padding, dilation = SHAPES[of]
    x = gb.tensor(drawn(samples, channels * groups, *sizes)).bfloat16().requires_grad_()
    factors = gb.tensor(drawn(rows * groups, channels, *taps, seed=4)).bfloat16().requires_grad_()
    before, made = gb.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            out = functional.conv2d(x, factors, None, stride, padding, dilation, groups)
            made.append([out, *gb.autograd.grad(out, [x, factors], gb.ones_like(out))])
    finally:
        gb.set_num_threads(before)
    for others in made[1:]:
        for one, other in zip(made[0], others, strict=True):
            assert gb.equal(one, other)


@pytest.mark.parametrize("channels", [3, 16, 40])
@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_what_is_not_finite_reaches_only_what_meets_it(channels: int, value: float) -> None:
    x = gb.tensor(drawn(2, channels, 9, 12)).bfloat16()
    x[1, 2, 8, 11] = value
    factors = gb.tensor(drawn(32, channels, 3, 3, seed=4)).bfloat16().requires_grad_()

    out = functional.conv2d(x, factors, padding=1)

    met = gb.zeros(2, 9, 12, dtype=gb.bool)
    met[1, 7:, 10:] = True
    assert gb.equal(~out.isfinite().all(1), met)
    (gradient,) = gb.autograd.grad(out, [factors], gb.ones_like(out))
    taps = gb.zeros(channels, 3, 3, dtype=gb.bool)
    taps[2, 1:, 1:] = True
    assert gb.equal(~gradient.isfinite().all(0), taps)


def test_a_transposed_convolution_is_that_of_float64() -> None:
    x = gb.tensor(drawn(2, 40, 9, 7)).bfloat16()
    weight = gb.tensor(drawn(40, 24, 4, 4, seed=4) / 25).bfloat16()
    bias = gb.tensor(drawn(24, seed=5)).bfloat16()

    out = functional.conv_transpose2d(x, weight, bias, stride=2, padding=1)

    expected = functional.conv_transpose2d(
        x.double(), weight.double(), bias.double(), stride=2, padding=1
    )
    gb.testing.assert_close(out.double(), expected, rtol=5e-3, atol=1e-3)
