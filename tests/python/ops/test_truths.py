"""all, any, and extremes of bools, whose elements are compared many at a time."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

DTYPES = [
    gb.bool,
    gb.uint8,
    gb.int8,
    gb.int16,
    gb.int32,
    gb.int64,
    gb.float16,
    gb.bfloat16,
    gb.float32,
    gb.float64,
    gb.complex64,
    gb.complex128,
]
SIZES = [(1, 1), (3, 7), (5, 31), (4, 33), (2, 63), (3, 64), (2, 1000), (1, 40_000)]


def expect_as_by_hand(x: gb.Tensor, by_hand: np.ndarray) -> None:
    for dim in (0, 1, None):
        over = () if dim is None else (dim,)
        assert x.any(*over).tolist() == by_hand.any(dim).tolist()
        assert x.all(*over).tolist() == by_hand.all(dim).tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_one_other_element_anywhere_is_found(rows, columns, dtype):
    for place in {0, rows * columns // 2, rows * columns - 1}:
        for usual in (0, 1):
            by_hand = np.full((rows, columns), bool(usual))
            by_hand.reshape(-1)[place] = not usual
            x = gb.from_numpy(by_hand).to(dtype)

            expect_as_by_hand(x, by_hand)
            expect_as_by_hand(x.t().contiguous().t(), by_hand)
            expect_as_by_hand(x[:, ::2], by_hand[:, ::2])


@pytest.mark.parametrize("dtype", [gb.float16, gb.bfloat16, gb.float32, gb.float64])
def test_nan_and_the_smallest_number_are_true_and_minus_zero_is_not(dtype):
    smallest = gb.nextafter(gb.zeros(1, dtype=dtype), gb.ones(1, dtype=dtype)).item()
    for count in (1, 40, 300):
        x = gb.full((count,), -0.0, dtype=dtype)
        assert not x.any()
        for number in (float("nan"), smallest, -smallest, float("inf")):
            x[-1] = number
            assert x.any()
            assert not (x.all() and count > 1)
            assert gb.full((count,), number, dtype=dtype).all()


def test_either_part_makes_a_complex_number_true():
    x = gb.zeros(50, dtype=gb.complex64)
    assert not x.any()
    x[20] = 1j
    assert x.any()
    assert (x + 1j)[:20].all()


def test_of_nothing_all_is_true_and_any_is_not():
    x = gb.ones(3, 0)

    assert x.all()
    assert not x.any()
    assert x.all(1).tolist() == [True] * 3
    assert x.any(0).tolist() == []


@pytest.mark.parametrize("count", [1, 50, 3000])
def test_extremes_of_bools_are_any_and_all(count):
    x = gb.zeros(2, count, dtype=gb.bool)
    x[1, count // 2] = True

    assert x.amax(1).tolist() == [False, True]
    assert x.amin(1).tolist() == [False, count == 1]
    assert x.amax(0).tolist() == x.any(0).tolist()
    assert x.amin(0).tolist() == x.all(0).tolist()


def test_threads_find_the_same():
    before = gb.get_num_threads()
    x = gb.zeros(1 << 21, dtype=gb.uint8)
    try:
        for threads in (1, 2, 5):
            gb.set_num_threads(threads)
            assert not x.any()
            for place in (0, 1 << 20, -1):
                x[place] = 7
                assert x.any()
                x[place] = 0
    finally:
        gb.set_num_threads(before)
