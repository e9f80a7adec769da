"""What a mask takes and puts, however many are true and wherever a block or a vector of it ends."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

COUNTS = [0, 1, 15, 16, 17, 31, 33, 4095, 4096, 4097, 9001]
SHARES = [0.0, 0.01, 0.06, 0.07, 0.5, 0.99, 1.0]


def drawn(count: int, share: float) -> np.ndarray:
    return np.random.default_rng(count).random(count) < share


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.int64, np.complex128])
@pytest.mark.parametrize("share", SHARES)
def test_takes_and_puts_what_numpy_does(dtype, share):
    for count in COUNTS:
        mask, numbers = drawn(count, share), np.arange(count).astype(dtype)
        x, chosen = gb.tensor(numbers), gb.tensor(mask)

        taken = x[chosen]
        np.testing.assert_array_equal(taken.numpy(), numbers[mask])

        put = gb.zeros(count, dtype=x.dtype)
        put[chosen] = taken
        expected = np.zeros(count, dtype)
        expected[mask] = numbers[mask]
        np.testing.assert_array_equal(put.numpy(), expected)


@pytest.mark.parametrize("share", SHARES)
def test_touches_nothing_beside_what_it_puts(share):
    mask = drawn(5000, share)
    around = gb.full((5064,), -1.0)
    around[32:5032][gb.tensor(mask)] = gb.arange(float(mask.sum()))

    assert (around[:32] == -1).all()
    assert (around[5032:] == -1).all()
    expected = np.full(5000, -1.0)
    expected[mask] = np.arange(mask.sum())
    np.testing.assert_array_equal(around[32:5032].numpy(), expected)
