"""Convolutions of many channels: rows of places and out channels that fill no whole tile."""

import garboard as gb
import numpy as np
import pytest

from tests.support.convolution_by_definition import Moves, convolved, drawn

functional = gb.nn.functional


@pytest.mark.parametrize(
    ("stride", "padding", "taps", "dilation"), [(1, 1, 3, 1), (2, 2, 5, 1), (1, 2, 3, 2)]
)
@pytest.mark.parametrize("width", [4, 6, 7, 8, 14, 15, 19, 29])
@pytest.mark.parametrize(("rows", "channels"), [(33, 17), (40, 90), (100, 16)])
@pytest.mark.parametrize(("dtype", "error"), [(gb.float32, 2e-4), (gb.float64, 1e-11)])
def test_a_convolution_is_its_formula_at_every_width(
    stride: int,
    padding: int,
    taps: int,
    dilation: int,
    width: int,
    rows: int,
    channels: int,
    dtype: gb.dtype,
    error: float,
) -> None:
    x, weight = drawn(2, channels, 5, width), drawn(rows, channels, taps, taps, seed=4)
    bias, along = drawn(rows, seed=5), drawn(*x.shape, seed=6)
    moves = Moves(stride, padding, dilation)
    expected = convolved(x, weight, moves) + bias[:, None, None]
    of = gb.tensor(x, dtype=dtype, requires_grad=True)
    factors = gb.tensor(weight, dtype=dtype, requires_grad=True)
    turned = drawn(*weight.shape, seed=8)

    out = functional.conv2d(of, factors, gb.tensor(bias, dtype=dtype), *moves)
    g = drawn(*out.shape, seed=7)
    out.backward(gb.tensor(g, dtype=dtype))

    np.testing.assert_allclose(out.detach().numpy(), expected, rtol=error, atol=error * 20)
    assert of.grad is not None
    np.testing.assert_allclose(
        np.sum(of.grad.numpy() * along),
        np.sum(g * convolved(along, weight, moves)),
        rtol=error,
        atol=error * 200,
    )
    assert factors.grad is not None
    np.testing.assert_allclose(
        np.sum(factors.grad.numpy() * turned),
        np.sum(g * convolved(x, turned, moves)),
        rtol=error,
        atol=error * 400,
    )


def test_neither_threads_nor_groups_change_a_bit() -> None:
    x, weight = gb.tensor(drawn(3, 40, 9, 14)), gb.tensor(drawn(140, 20, 3, 3, seed=4))
    halves = zip(x.split(20, 1), weight.split(70, 0), strict=True)
    expected = gb.cat([functional.conv2d(a, b, padding=1) for a, b in halves], 1)
    before = gb.get_num_threads()
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            made = functional.conv2d(x, weight, padding=1, groups=2)
            np.testing.assert_array_equal(made, expected)
    finally:
        gb.set_num_threads(before)


@pytest.mark.parametrize("width", [4, 5, 7, 8])
@pytest.mark.parametrize("rows", [70, 97, 130])
@pytest.mark.parametrize("dtype", [gb.float32, gb.float64])
def test_the_order_of_samples_changes_no_bit(width: int, rows: int, dtype: gb.dtype) -> None:
    x, weight = gb.tensor(drawn(5, 80, 4, width), dtype=dtype), drawn(rows, 80, 3, 3, seed=4)
    factors, order = gb.tensor(weight, dtype=dtype), [4, 2, 0, 3, 1]

    made = functional.conv2d(x, factors, gb.ones(rows, dtype=dtype), padding=1)

    np.testing.assert_allclose(
        made.numpy(), convolved(x.numpy(), weight, Moves(padding=1)) + 1, rtol=1e-4, atol=1e-3
    )
    moved = functional.conv2d(x[order], factors, gb.ones(rows, dtype=dtype), padding=1)
    np.testing.assert_array_equal(moved, made[order])


def test_infinities_reach_only_what_meets_them() -> None:
    x, weight = gb.ones(1, 20, 7, 7), gb.ones(40, 20, 3, 3)
    x[0, 19, 0, 6] = float("inf")

    made = functional.conv2d(x, weight, padding=1)

    assert np.argwhere(np.isinf(made[0, 39].numpy())).tolist() == [[0, 5], [0, 6], [1, 5], [1, 6]]
    assert made[0, 0, 6, 6].item() == 80


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("channels", [66, 71, 16])
@pytest.mark.parametrize(("stride", "taps"), [(1, 3), (2, 3), (1, 1)])
@pytest.mark.parametrize(("dtype", "error"), [(gb.bfloat16, 2**-7), (gb.float16, 2**-9)])
def test_half_types_are_rounded_once(
    groups: int, channels: int, stride: int, taps: int, dtype: gb.dtype, error: float
) -> None:
    drawing = gb.Generator().manual_seed(2)

    def made(*sizes: int) -> gb.Tensor:
        return gb.randn(sizes, generator=drawing).to(dtype)

    x = made(3, channels * groups, 9, 10)
    weight, bias = made(40 * groups, channels, taps, taps), made(40 * groups)
    out = functional.conv2d(x, weight, bias, stride, taps // 2, 1, groups)
    g = made(*out.shape)

    def computed(given: list[gb.Tensor]) -> list[gb.Tensor]:
        result = functional.conv2d(given[0], given[1], given[2], stride, taps // 2, 1, groups)
        return [result.detach(), *gb.autograd.grad(result, given, g.to(given[0].dtype))]

    halves = computed([t.detach().requires_grad_() for t in (x, weight, bias)])
    floats = computed([t.float().requires_grad_() for t in (x, weight, bias)])

    for found, right in zip(halves, floats, strict=True):
        assert found.dtype == dtype
        largest = right.abs().max().item()
        np.testing.assert_allclose(
            found.float().numpy(), right.numpy(), rtol=error, atol=largest * error * 0.1
        )


def test_an_infinity_beside_a_number_is_none_of_its_own() -> None:
    x, weight = gb.ones(2, 64, 8, 8).bfloat16(), gb.ones(40, 64, 3, 3).bfloat16()
    x[0, 1, 0, 7] = float("inf")
    x[0, 0] = 1.0078125  # whose last bit would make NaN of a pair that is taken for a float

    made = functional.conv2d(x, weight, padding=1)

    assert np.argwhere(np.isinf(made[0, 3].float().numpy())).tolist() == [
        [0, 6],
        [0, 7],
        [1, 6],
        [1, 7],
    ]
    assert not made.isnan().any()


@pytest.mark.parametrize("stride", [2, 3])
@pytest.mark.parametrize("rows", [8, 33])
@pytest.mark.parametrize(("dtype", "error"), [(gb.float32, 2e-5), (gb.float64, 1e-12)])
def test_longer_strides_leave_places_out(
    stride: int, rows: int, dtype: gb.dtype, error: float
) -> None:
    weight = gb.tensor(drawn(rows * 2, 8, 3, 3, seed=4), dtype=dtype)

    for width in [*range(1, 37), 63, 64, 65, 131]:
        x = gb.tensor(drawn(2, 16, 5, width), dtype=dtype)
        every = functional.conv2d(x, weight, None, 1, 1, 1, 2)
        found = functional.conv2d(x, weight, None, stride, 1, 1, 2)
        gb.testing.assert_close(found, every[:, :, ::stride, ::stride], rtol=error, atol=error * 50)
