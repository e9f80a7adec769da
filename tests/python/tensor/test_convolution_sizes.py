"""Convolutions at the sizes where a kernel begins or ends something: exact, for small integers."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import garboard as gb
import numpy as np
import pytest

from tests.python.ops.op_windows import convolution, each, transposed, window


class Sizes(NamedTuple):
    """[n, channels, *sizes] by [out channels, channels / groups, *taps]."""

    x: tuple[int, ...]
    weight: tuple[int, ...]
    stride: Any = 1
    padding: Any = 0
    dilation: Any = 1
    groups: int = 1

    def options(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("stride", "padding", "dilation", "groups")}


SIZES = [
    Sizes((2, 1, 28, 28), (16, 1, 3, 3), padding=1),  # one channel
    Sizes((3, 16, 14, 14), (29, 16, 3, 3), padding=1),  # lines shorter than a vector
    Sizes((2, 81, 7, 7), (15, 81, 3, 3), padding=1),  # more channels than are copied at once
    Sizes((1, 3, 65, 131), (7, 3, 3, 3), padding=1),  # boxes that end within the image
    Sizes((9, 40, 1, 1), (33, 40, 3, 3), padding=1),  # a place among zeros
    Sizes((20, 5, 4, 4), (300, 5, 3, 3), padding=1),  # several samples a box, blocks of rows
    Sizes((0, 2, 5, 4), (3, 2, 3, 3)),
    Sizes((1, 1, 4, 5), (1, 1, 3, 3), padding=6),  # more zeros than image
    Sizes((1, 2, 3, 2), (3, 2, 2, 2), padding=(4, 5), dilation=(3, 4)),
    Sizes((2, 3, 17, 33), (16, 3, 5, 5), stride=2, padding=2),
    Sizes((1, 3, 33, 35), (17, 3, 7, 7), stride=(2, 3), padding=3),
    Sizes((2, 6, 15, 16), (8, 6, 1, 1), stride=2),
    Sizes((2, 3, 16, 16), (10, 3, 4, 4), stride=4),  # patches
    Sizes((1, 2, 9, 30), (3, 2, 2, 3), stride=(5, 7), padding=(1, 2)),  # what no tap meets
    Sizes((2, 4, 6, 41), (6, 4, 1, 9), dilation=(1, 5), padding=(0, 20)),
    Sizes((1, 2, 30, 40), (3, 2, 3, 3), dilation=(11, 19), padding=(11, 19)),  # taps far apart
    Sizes((2, 3, 700), (20, 3, 8), stride=3, padding=4),
    Sizes((1, 70, 5000), (2, 70, 1)),  # a line that is cut
    Sizes((1, 2, 3000), (3, 2, 3), dilation=900, padding=900),
    Sizes((2, 12, 9, 10), (18, 2, 3, 3), padding=1, groups=6),
    Sizes((1, 9, 12, 12), (9, 3, 1, 1), groups=3),
    Sizes((1, 3, 5, 6, 7), (15, 3, 3, 3, 3), padding=1),
    Sizes((2, 2, 4, 7, 20), (5, 2, 2, 1, 3), stride=(2, 3, 1), padding=(1, 0, 2)),
    Sizes((1, 1, 2, 40, 70), (2, 1, 1, 3, 3), padding=(1, 1, 0)),
]


def drawn(rng: np.random.Generator, *sizes: int) -> np.ndarray:
    return rng.integers(-4, 5, sizes).astype(np.float64)


def slope_of_weight(x: np.ndarray, slopes: np.ndarray, sizes: Sizes) -> np.ndarray:
    """By the formula: for each tap, what it meets times the slopes of where it meets that."""
    taps = sizes.weight[2:]
    dims, places = len(taps), slopes.shape[2:]
    padded = np.pad(x, [(0, 0), (0, 0)] + [(p, p) for p in each(sizes.padding, dims)])
    shares = (x.shape[0], sizes.groups)
    met = padded.reshape(*shares, sizes.weight[1], *padded.shape[2:])
    grouped = slopes.reshape(*shares, sizes.weight[0] // sizes.groups, *places)
    out = np.zeros((sizes.groups, grouped.shape[2], *sizes.weight[1:]))
    letters = "xyz"[:dims]
    stride, dilation = each(sizes.stride, dims), each(sizes.dilation, dims)
    for tap in product(*map(range, taps)):
        there = met[(..., *window(tap, dilation, stride, places))]
        out[(..., *tap)] = np.einsum(f"ngc{letters},ngo{letters}->goc", there, grouped)
    return out.reshape(sizes.weight)


def slope_of_input(slopes: np.ndarray, weight: np.ndarray, sizes: Sizes) -> np.ndarray:
    """A transposed convolution, and zeros where no tap reached."""
    dims = len(sizes.weight) - 2
    padding = each(sizes.padding, dims)
    around = transposed(
        slopes,
        weight,
        np.zeros(sizes.x[1]),
        stride=sizes.stride,
        groups=sizes.groups,
        dilation=sizes.dilation,
    )
    wide = [n + 2 * p for n, p in zip(sizes.x[2:], padding, strict=True)]
    rest = [(0, w - n) for w, n in zip(wide, around.shape[2:], strict=True)]
    all_of_it = np.pad(around, [(0, 0), (0, 0), *rest])
    inside = (slice(p, p + n) for p, n in zip(padding, sizes.x[2:], strict=True))
    return all_of_it[(..., *inside)]


@pytest.mark.parametrize("dtype", [gb.float32, gb.float64], ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_a_convolution_of_small_integers_is_exact_and_so_are_its_slopes(sizes, dtype):
    rng = np.random.default_rng(7)
    x, weight = drawn(rng, *sizes.x), drawn(rng, *sizes.weight)
    bias = drawn(rng, sizes.weight[0])
    name = f"conv{len(sizes.weight) - 2}d"
    with gb.dispose_scope():
        ours = [gb.tensor(array, dtype=dtype, requires_grad=True) for array in (x, weight, bias)]

        out = getattr(gb.nn.functional, name)(*ours, **sizes.options())
        slopes = drawn(rng, *out.shape)
        grads = gb.autograd.grad(out, ours, gb.tensor(slopes, dtype=dtype))

        np.testing.assert_array_equal(
            out.detach().numpy(), convolution(x, weight, bias, **sizes.options())
        )
        np.testing.assert_array_equal(grads[0].numpy(), slope_of_input(slopes, weight, sizes))
        np.testing.assert_array_equal(grads[1].numpy(), slope_of_weight(x, slopes, sizes))
        np.testing.assert_array_equal(grads[2].numpy(), slopes.sum((0, *range(2, slopes.ndim))))


def test_infinite_elements_reach_only_the_places_that_meet_them():
    x = gb.zeros(1, 1, 3, 20)
    x[0, 0, 1, 19] = float("inf")

    out = gb.nn.functional.conv2d(x, gb.ones(1, 1, 3, 3), padding=1)

    assert gb.isinf(out).sum().item() == 6
    assert not gb.isnan(out).any().item()


def test_infinite_elements_reach_only_the_slopes_of_weights_that_meet_them():
    x, weight = gb.zeros(1, 1, 3, 20), gb.zeros(1, 1, 1, 3, requires_grad=True)
    x[0, 0, 1, 19] = float("inf")

    gb.nn.functional.conv2d(x, weight).sum().backward()

    assert weight.grad is not None
    assert gb.isinf(weight.grad).flatten().tolist() == [False, False, True]
    assert not gb.isnan(weight.grad).any().item()


@pytest.mark.parametrize("sizes", [SIZES[2], SIZES[3], SIZES[5], SIZES[8]], ids=str)
def test_threads_change_no_bit_of_a_convolution_or_its_slopes(sizes):
    rng = np.random.default_rng(8)
    given = [rng.standard_normal(shape).astype(np.float32) for shape in (sizes.x, sizes.weight)]
    before, made = gb.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            with gb.dispose_scope():
                ours = [gb.tensor(array, requires_grad=True) for array in given]
                out = gb.nn.functional.conv2d(*ours, **sizes.options())
                grads = gb.autograd.grad((out * out).sum(), ours)
                made.append([t.detach().numpy().copy() for t in (out, *grads)])
    finally:
        gb.set_num_threads(before)

    for other in made[1:]:
        for one, same in zip(made[0], other, strict=True):
            np.testing.assert_array_equal(one, same)
