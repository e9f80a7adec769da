"""Reductions of many short rows, which are turned into columns, and of a few long results."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

LENGTHS = [2, 3, 5, 7, 8, 15, 16, 17, 23, 24, 25, 31, 32, 43, 44, 45, 64]


@pytest.mark.parametrize("dtype", ["uint8", "float16", "int32", "float32", "float64", "int64"])
@pytest.mark.parametrize("length", LENGTHS)
def test_rows_of_any_length_are_reduced(length: int, dtype: str) -> None:
    array = np.random.default_rng(length).integers(0, 9, (301, length)).astype(dtype)
    x = gb.from_numpy(array)

    np.testing.assert_array_equal(x.sum(1).numpy(), array.astype(np.int64).sum(1))
    np.testing.assert_array_equal(x.amax(1), array.max(1))
    np.testing.assert_array_equal(x[:, ::2].amin(1), array[:, ::2].min(1))
    np.testing.assert_array_equal((x > 7).any(1), (array > 7).any(1))


@pytest.mark.parametrize("length", LENGTHS)
def test_a_row_comes_to_the_same_wherever_it_stands(length: int) -> None:
    row = np.random.default_rng(0).normal(size=length).astype(np.float32)
    rows = np.repeat(row[None], 301, 0)

    sums = gb.from_numpy(rows).sum(1)

    assert sums.unique().numel() == 1
    np.testing.assert_allclose(sums[0].item(), row.astype(np.float64).sum(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("sizes", "dims"),
    [
        ((64, 16, 32, 32), (0, 2, 3)),
        ((300, 2, 300), (0, 2)),
        ((3, 5, 9000), (0, 2)),
        ((9000, 5, 3), (0, 2)),
        ((16, 1024, 33), (0, 2)),
        ((1024, 128, 8), (1,)),
    ],
)
def test_few_sums_are_the_same_for_any_number_of_threads(
    sizes: tuple[int, ...], dims: tuple[int, ...]
) -> None:
    array = np.random.default_rng(1).normal(size=sizes).astype(np.float32)
    x, before = gb.from_numpy(array), gb.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 3):
            gb.set_num_threads(threads)
            found.append(x.sum(dims).numpy())
    finally:
        gb.set_num_threads(before)

    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
    np.testing.assert_allclose(found[0], array.astype(np.float64).sum(dims), rtol=1e-5, atol=1e-3)


def test_a_mean_of_whole_numbers_is_their_quotient_rounded_once():
    counts = gb.arange(1, 101)
    for dtype, numpy_dtype in ((gb.float32, np.float32), (gb.float64, np.float64)):
        found = gb.stack([(gb.arange(100)[:n] < n - 1).to(dtype).mean() for n in counts.tolist()])
        rows = gb.stack([gb.ones(7, dtype=dtype) * n for n in range(50)])
        rows[:, 0] += 1

        wanted = [numpy_dtype(n - 1) / numpy_dtype(n) for n in range(1, 101)]
        assert found.tolist() == [float(it) for it in wanted]
        wanted = [numpy_dtype(7 * n + 1) / numpy_dtype(7) for n in range(50)]
        assert rows.mean(1).tolist() == [float(it) for it in wanted]
        assert rows.T.contiguous().mean(0).tolist() == [float(it) for it in wanted]


def test_a_loss_of_whole_numbers_and_its_gradient_are_quotients_rounded_once():
    x = gb.ones(10, requires_grad=True)
    target = gb.ones(10)
    target[0] = 10.0

    loss = gb.nn.functional.l1_loss(x, target)
    (3 * x[:7].mean()).backward()

    assert loss.item() == float(np.float32(9) / np.float32(10))
    assert x.grad[:7].tolist() == [float(np.float32(3) / np.float32(7))] * 7
