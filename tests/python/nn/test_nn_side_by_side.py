"""Softmax and cross entropy over the channels of images, whose numbers lie side by side."""

from __future__ import annotations

from typing import Any

import garboard as gb
import numpy as np
import pytest
from garboard.nn import functional

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

CHANNELS = [1, 2, 3, 21, 200]
LOSSES: dict[str, dict[str, Any]] = {
    "plain": {},
    "smoothed": {"label_smoothing": 0.1},
    "some ignored": {"ignore_index": 0},
    "each by itself": {"reduction": "none"},
    "all of it": {"reduction": "sum", "label_smoothing": 0.3, "ignore_index": 1},
}


def images(channels: int, dtype: str = "float64", places: tuple[int, ...] = (5, 30)) -> gb.Tensor:
    array = np.random.default_rng(channels).normal(size=(2, channels, *places)) * 3
    return gb.tensor(array, dtype=getattr(gb, dtype), requires_grad=True)


def rows_of(x: gb.Tensor) -> gb.Tensor:
    """The channels last, each row dense."""
    return x.movedim(1, -1).reshape(-1, x.shape[1]).clone()


def check(found: gb.Tensor, expected: gb.Tensor) -> None:
    room = {gb.float64: 1e-12, gb.float32: 3e-6, gb.float16: 2e-3}[found.dtype]
    assert gb.allclose(found, expected, rtol=room, atol=room, equal_nan=True)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_of_channels_is_that_of_rows(name: str, channels: int, dtype: str) -> None:
    op = getattr(functional, name)
    x = images(channels, dtype)
    slopes = gb.tensor(np.random.default_rng(1).normal(size=tuple(x.shape)), dtype=x.dtype)

    made = op(x, dim=1)
    made.backward(slopes)

    rows = rows_of(x.detach()).requires_grad_()
    expected = op(rows, dim=1)
    expected.backward(rows_of(slopes))
    check(rows_of(made.detach()), expected)
    check(rows_of(x.grad), rows.grad)


def test_softmax_of_channels_takes_infinities_and_nan_as_rows_do() -> None:
    array = np.zeros((1, 3, 16), np.float32)
    array[0, 0, 0], array[0, 1, 1], array[0, :, 2] = np.inf, np.nan, -np.inf
    array[0, 0, 3] = -np.inf

    found = functional.softmax(gb.tensor(array), dim=1)

    expected = functional.softmax(rows_of(gb.tensor(array)), dim=1)
    assert np.array_equal(rows_of(found).numpy(), expected.numpy(), equal_nan=True)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("channels", CHANNELS)
@pytest.mark.parametrize("options", LOSSES)
def test_cross_entropy_of_images_is_that_of_rows(
    options: str, channels: int, is_weighted: bool
) -> None:
    how = dict(LOSSES[options])
    rng = np.random.default_rng(2)
    x = images(channels)
    target = gb.tensor(rng.integers(0, channels, (2, 5, 30)))
    if is_weighted:
        how["weight"] = gb.tensor(rng.random(channels) + 0.5)

    loss = functional.cross_entropy(x, target, **how)
    loss.sum().backward()

    rows = rows_of(x.detach()).requires_grad_()
    expected = functional.cross_entropy(rows, target.reshape(-1), **how)
    expected.sum().backward()
    check(loss.reshape(expected.shape), expected)
    check(rows_of(x.grad), rows.grad)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_cross_entropy_of_images_takes_every_floating_dtype(dtype: str) -> None:
    x = images(4, dtype)
    target = gb.arange(300).reshape(2, 5, 30) % 4

    functional.cross_entropy(x, target).backward()

    rows = rows_of(x.detach()).requires_grad_()
    functional.cross_entropy(rows, target.reshape(-1)).backward()
    check(rows_of(x.grad), rows.grad)


def test_cross_entropy_reads_images_however_they_lie() -> None:
    x = images(4)
    target = gb.arange(300).reshape(2, 5, 30) % 4
    expected = functional.cross_entropy(x, target)

    last = x.detach().permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    apart = gb.zeros(2, 4, 5, 60, dtype=gb.float64)[..., ::2]
    apart.copy_(x.detach())

    for laid in (last, apart):
        check(functional.cross_entropy(laid, target.mT.contiguous().mT), expected)


def test_cross_entropy_of_images_has_second_gradients() -> None:
    x = images(3, places=(2, 8))
    target = gb.arange(32).reshape(2, 2, 8) % 3
    weight = gb.tensor([0.5, 1.0, 2.0], dtype=gb.float64)

    def loss(x: gb.Tensor) -> gb.Tensor:
        return functional.cross_entropy(x, target, weight, label_smoothing=0.2, ignore_index=1)

    assert gb.autograd.gradgradcheck(loss, [x])


def test_a_class_that_there_is_not_is_refused() -> None:
    target = gb.zeros(2, 5, 30, dtype=gb.int64)
    target[1, 2, 3] = 7

    with pytest.raises(gb.IndexOutOfRangeError, match=r"the target of row 213 is not in \[0, 3\)"):
        functional.cross_entropy(images(3), target)
    with pytest.raises(gb.ShapeError, match=r"\[2, 5, 30\]"):
        functional.cross_entropy(images(3), target[:, 1:])
