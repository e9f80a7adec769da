"""Order on CUDA devices, by each way that a length asks for: values and places are the CPU's."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

DTYPES = [gb.bool, gb.uint8, gb.int16, gb.int64, gb.float16, gb.bfloat16, gb.float32, gb.float64]
EVERY_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=str)
# Around the lengths at which the way changes: several slices a block, one, merging, digits.
LENGTHS = [255, 257, 1024, 1025, 4096, 4097]


def rows(dtype: gb.dtype, count: int, length: int) -> gb.Tensor:
    """Return rows with equal elements, NaN and both zeros, of which the last is in order."""
    random = np.random.default_rng(length)
    values = random.integers(-40, 40, size=(count, length)) / 4
    if dtype.is_floating_point:
        values[:, :: length // 5] = np.nan
        values[:, 1 :: length // 3] = -0.0
    values[-1].sort()
    if not dtype.is_floating_point:
        values = np.abs(values)
    return gb.tensor(values).to(dtype)


def assert_same(found: tuple[gb.Tensor, ...], expected: tuple[gb.Tensor, ...], what: str) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(
            one.cpu().double().numpy(), other.double().numpy(), err_msg=what
        )
        if other.dtype.is_floating_point:
            signs = one.cpu().signbit(), other.signbit()
            np.testing.assert_array_equal(*(sign.numpy() for sign in signs), err_msg=what)


@on_cuda
@EVERY_DTYPE
@pytest.mark.parametrize("length", LENGTHS)
def test_sorted_rows_of_any_length_are_those_of_the_cpu(dtype, length):
    x = rows(dtype, 2, length)
    for descending in (False, True):
        found, expected = (gb.sort(y, 1, descending) for y in (x.cuda(), x))

        assert_same(found, expected, f"descending={descending}")


@on_cuda
@EVERY_DTYPE
def test_the_first_of_long_rows_are_those_of_the_cpu(dtype):
    x = rows(dtype, 2, 9001)
    for k in (1, 10, 1024, 1100, 9000):
        found, expected = (gb.topk(y, k, 1, largest=k % 2 == 0) for y in (x.cuda(), x))

        assert_same(found, expected, f"k={k}")


@on_cuda
@EVERY_DTYPE
def test_what_is_chosen_of_long_rows_is_what_the_cpu_chooses(dtype):
    x = rows(dtype, 2, 5000)
    for k in (1, 2500, 4999, 5000):
        assert_same(gb.kthvalue(x.cuda(), k, 1), gb.kthvalue(x, k, 1), f"k={k}")
    for op in (gb.median, gb.nanmedian):
        assert_same(op(x.cuda(), 1), op(x, 1), str(op))


@on_cuda
@pytest.mark.parametrize("dtype", [gb.uint8, gb.float16, gb.float32], ids=str)
def test_one_slice_for_the_whole_grid_is_ordered_as_by_the_cpu(dtype):
    x = rows(dtype, 1, 140_000)[0]
    y = x.cuda()

    assert_same(gb.sort(y), gb.sort(x), "sort")
    for largest in (False, True):
        assert_same(gb.topk(y, 100, largest=largest), gb.topk(x, 100, largest=largest), "topk")
    assert_same(gb.kthvalue(y, 70_000), gb.kthvalue(x, 70_000), "kthvalue")
    assert_same((gb.unique(y[y == y]),), (gb.unique(x[x == x]),), "unique")


@on_cuda
def test_rows_are_ordered_wherever_they_lie():
    x = rows(gb.float32, 6, 5000)
    for given in (lambda y: y.t()[:, ::2], lambda y: y.t()[300:, 1:], lambda y: y[::3].t()):
        for dim in (0, 1):
            k = given(x).shape[dim] // 2
            found, expected = (given(y).topk(k, dim) for y in (x.cuda(), x))
            assert_same(found, expected, "topk")
            found, expected = (given(y).sort(dim) for y in (x.cuda(), x))
            assert_same(found, expected, "sort")
