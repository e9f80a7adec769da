"""3 x 3 taps of many channels, which are multiplied by patches of four places."""

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

functional = gb.nn.functional


def _drawn(*sizes: int, seed: int = 1) -> gb.Tensor:
    return gb.randn(sizes, generator=gb.Generator().manual_seed(seed))


@pytest.mark.parametrize(
    ("samples", "high", "wide"), [(1, 28, 28), (3, 13, 15), (2, 30, 47), (5, 12, 64), (1, 16, 200)]
)
@pytest.mark.parametrize("padding", [0, 1, 2, (1, 0), (4, 3)])
@pytest.mark.parametrize(("rows", "channels", "groups"), [(64, 72, 1), (97, 67, 1), (48, 50, 2)])
def test_they_are_as_near_to_the_formula_as_sums_are(
    samples: int,
    high: int,
    wide: int,
    padding: int | tuple[int, int],
    rows: int,
    channels: int,
    groups: int,
) -> None:
    x = _drawn(samples, channels * groups, high, wide).requires_grad_()
    weight = _drawn(rows * groups, channels, 3, 3, seed=2) / 24
    bias = _drawn(rows * groups, seed=3)
    exact = x.detach().double().requires_grad_()

    out = functional.conv2d(x, weight, bias, padding=padding, groups=groups)
    right = functional.conv2d(exact, weight.double(), bias.double(), padding=padding, groups=groups)
    g = _drawn(*out.shape, seed=4)
    out.backward(g)
    right.backward(g.double())

    np.testing.assert_allclose(out.detach().numpy(), right.detach().numpy(), atol=5e-6, rtol=5e-6)
    assert x.grad is not None
    assert exact.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), exact.grad.numpy(), atol=5e-6, rtol=5e-6)


def test_whole_numbers_stay_whole() -> None:
    drawing = gb.Generator().manual_seed(1)
    x = gb.randint(-9, 9, (2, 64, 21, 22), generator=drawing).float()
    weight = gb.randint(-9, 9, (64, 64, 3, 3), generator=drawing).float()

    made = functional.conv2d(x, weight, padding=1)

    right = functional.conv2d(x.double(), weight.double(), padding=1)
    np.testing.assert_array_equal(made.numpy(), right.numpy())


@pytest.mark.parametrize("large", [float("inf"), float("nan"), 1e38])
def test_what_is_not_moderate_reaches_only_what_meets_it(large: float) -> None:
    x, weight = gb.ones(2, 64, 28, 28, requires_grad=True), gb.ones(64, 64, 3, 3)
    with gb.no_grad():
        x[1, 63, 0, 27] = large

    made = functional.conv2d(x, weight, padding=1)
    (slope,) = gb.autograd.grad(made, x, x.detach())

    right = np.full((28, 28), 576.0)
    right[[0, -1]] = right[:, [0, -1]] = 384.0
    right[[0, 0, -1, -1], [0, -1, 0, -1]] = 256.0
    for found in (made.detach(), slope):
        np.testing.assert_array_equal(found[0, 5].numpy(), right)
        differs = found[1, 5].numpy() != right
        assert np.argwhere(differs).tolist() == [[0, 26], [0, 27], [1, 26], [1, 27]]


def test_weights_that_are_not_moderate_reach_only_their_rows() -> None:
    x, weight = gb.ones(2, 64, 28, 28), gb.ones(64, 64, 3, 3)
    weight[7, 3, 0, 0] = float("inf")

    made = functional.conv2d(x, weight, padding=1)

    assert made[:, 7, 1:, 1:].isinf().all()
    assert made[:, :7].isfinite().all()
    assert made[:, 8:].isfinite().all()


def test_neither_threads_nor_other_samples_change_a_bit() -> None:
    x, weight = _drawn(6, 64, 15, 30), _drawn(64, 64, 3, 3, seed=2)
    order = [4, 2, 5, 0, 3, 1]
    before = gb.get_num_threads()
    try:
        gb.set_num_threads(1)
        expected = functional.conv2d(x, weight, padding=1)
        for threads in (2, 5):
            gb.set_num_threads(threads)
            moved = functional.conv2d(x[order], weight, padding=1)
            np.testing.assert_array_equal(moved.numpy(), expected[order].numpy())
    finally:
        gb.set_num_threads(before)
