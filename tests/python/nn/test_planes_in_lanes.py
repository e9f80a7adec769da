"""Depthwise convolutions: planes that fill no whole vector, strides, borders and bands of lines."""

from typing import Any

import garboard as gb
import numpy as np
import pytest

functional = gb.nn.functional


def drawn(*sizes: int, seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(sizes)


def windows(x: np.ndarray, taps: Any, stride: int, padding: Any, dilation: int) -> np.ndarray:
    """[samples, channels, places, taps] of [samples, channels, depth, height, width]."""
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    spans = [dilation * (k - 1) + 1 for k in taps]
    met = np.lib.stride_tricks.sliding_window_view(padded, spans, (2, 3, 4))
    places, inside = slice(None, None, stride), slice(None, None, dilation)
    return met[:, :, places, places, places, inside, inside, inside]


CASES = [
    # channels, each one's out channels, sizes, taps, stride, dilation
    (12, 1, (1, 9, 13), (1, 3, 3), 1, 1),
    (17, 1, (1, 8, 14), (1, 3, 3), 2, 1),
    (20, 2, (1, 7, 7), (1, 5, 5), 1, 1),
    (33, 1, (1, 4, 3), (1, 3, 3), 1, 2),
    (13, 3, (1, 11, 10), (1, 2, 4), 3, 1),
    (24, 1, (1, 1, 65), (1, 1, 9), 2, 3),
    (16, 1, (5, 6, 7), (3, 3, 3), 1, 1),
    (18, 2, (4, 6, 5), (2, 3, 3), 2, 1),
    (16, 1, (1, 100, 60), (1, 3, 3), 1, 1),  # bands
    (16, 1, (1, 101, 61), (1, 5, 5), 2, 1),
    (2, 1, (1, 40, 9), (1, 3, 3), 1, 1),  # too few planes
]


@pytest.mark.parametrize(("channels", "each", "sizes", "taps", "stride", "dilation"), CASES)
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
def test_a_depthwise_convolution_and_its_gradients_follow_the_formula(
    channels: int,
    each: int,
    sizes: tuple[int, ...],
    taps: tuple[int, ...],
    stride: int,
    dilation: int,
    dtype: gb.dtype,
) -> None:
    padding = [dilation * (k - 1) // 2 for k in taps]
    x, weight = drawn(3, channels, *sizes), drawn(channels * each, 1, *taps, seed=4)
    bias = drawn(channels * each, seed=5)
    of_taps = weight.reshape(channels, each, *taps)
    met = windows(x, taps, stride, padding, dilation)
    expected = np.einsum("ncxyzijk,crijk->ncrxyz", met, of_taps, optimize=True)
    expected = expected.reshape(3, channels * each, *expected.shape[3:])
    leaves = [gb.tensor(a, dtype=dtype, requires_grad=True) for a in (x, weight, bias)]

    out = functional.conv3d(leaves[0], leaves[1], leaves[2], stride, padding, dilation, channels)
    g, along = drawn(*out.shape, seed=6), drawn(*x.shape, seed=7)
    of_x, of_weight, of_bias = gb.autograd.grad(out, leaves, gb.tensor(g, dtype=dtype))

    bound = 2e-5 if dtype == gb.float32 else 1e-12
    out_bias = expected + bias.reshape(-1, 1, 1, 1)
    np.testing.assert_allclose(out.detach().numpy(), out_bias, bound, 20 * bound)
    grads = g.reshape(3, channels, each, *g.shape[2:])
    right = np.einsum("ncxyzijk,ncrxyz->crijk", met, grads, optimize=True).reshape(weight.shape)
    largest = np.abs(right).max()
    np.testing.assert_allclose(of_weight.numpy(), right, 10 * bound, largest * bound * 10)
    np.testing.assert_allclose(of_bias.numpy(), g.sum((0, 2, 3, 4)), 10 * bound, 1e3 * bound)
    moved = windows(along, taps, stride, padding, dilation)
    change = np.einsum("ncxyzijk,crijk,ncrxyz->", moved, of_taps, grads, optimize=True)
    np.testing.assert_allclose(np.sum(of_x.numpy() * along), change, 100 * bound, 1e3 * bound)


def test_threads_change_no_bit_of_a_depthwise_convolution() -> None:
    x = gb.tensor(drawn(3, 40, 70, 33), dtype=gb.float32, requires_grad=True)
    weight = gb.tensor(drawn(40, 1, 3, 3, seed=4), dtype=gb.float32, requires_grad=True)
    before = gb.get_num_threads()

    def made(threads: int) -> list[gb.Tensor]:
        gb.set_num_threads(threads)
        out = functional.conv2d(x, weight, padding=1, groups=40)
        return [out.detach(), *gb.autograd.grad((out * out).sum(), (x, weight))]

    try:
        alone, *others = (made(threads) for threads in (1, 2, 5))
    finally:
        gb.set_num_threads(before)

    for other in others:
        assert all(gb.equal(a, b) for a, b in zip(alone, other, strict=True))


def test_what_is_no_number_stays_in_its_plane() -> None:
    x = gb.ones(1, 16, 6, 6)
    x[0, 3, 0, 5] = float("nan")
    x[0, 15, 5, 0] = float("inf")

    made = functional.conv2d(x, gb.ones(16, 1, 3, 3), padding=1, groups=16)

    assert np.unique(np.argwhere(np.isnan(made.numpy()))[:, 1]).tolist() == [3]
    assert np.argwhere(np.isinf(made[0, 15].numpy())).tolist() == [[4, 0], [4, 1], [5, 0], [5, 1]]
