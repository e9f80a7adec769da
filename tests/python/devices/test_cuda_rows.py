"""Rows and columns of every length on CUDA devices: what the CPU gives, wherever they begin."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest

from tests.support.cuda_agreement import on_cuda
from tests.support.live_memory import balanced  # noqa: F401

LENGTHS = [1, 3, 8, 33, 64, 129, 257, 1025, 2049, 4097, 8192, 8193]  # around what a plan changes at
EVERY_LENGTH = pytest.mark.parametrize("length", LENGTHS)
DTYPES = {gb.float32: 4e-6, gb.float64: 1e-13, gb.float16: 4e-3}
EVERY_DTYPE = pytest.mark.parametrize("dtype", DTYPES, ids=str)

SUMS: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "sum": lambda x: x.sum(1),
    "mean of all": lambda x: x.mean(),
    "sum of columns": lambda x: x.sum(0),
    "var": lambda x: gb.var(x, 1, correction=0),
    "var of columns": lambda x: gb.var(x, 0, correction=0),
    "softmax": lambda x: gb.softmax(x, 1),
    "log_softmax": lambda x: gb.log_softmax(x, 1),
    "layer_norm": lambda x: gb.nn.functional.layer_norm(x, (x.shape[1],)),
    "cumsum": lambda x: x.cumsum(1),
}
FINDS: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "amax": lambda x: x.amax(1),
    "argmax": lambda x: x.argmax(1),
    "argmin": lambda x: x.argmin(1),
    "argmax of columns": lambda x: x.argmax(0),
    "cummax": lambda x: gb.cummax(x, 1)[1],
}


def rows(length: int, dtype: gb.dtype, seed: int = 0) -> gb.Tensor:
    random = np.random.default_rng(seed)
    return gb.tensor(random.normal(size=(3, length))).to(dtype)


def moved(x: gb.Tensor, elements: int) -> gb.Tensor:
    """Return the same rows on the device, from an address that suits no packs."""
    padding = gb.zeros(elements, dtype=x.dtype)
    return gb.cat([padding, x.reshape(-1)]).cuda()[elements:].view(*x.shape)


@on_cuda
@EVERY_DTYPE
@EVERY_LENGTH
def test_sums_over_rows_of_any_length_are_those_of_the_cpu(dtype, length):
    x = rows(length, dtype)
    for name, op in SUMS.items():
        if name == "layer_norm" and length == 1:
            continue  # nothing but rounding

        found, expected = op(x.cuda()).cpu().double(), op(x).double()

        np.testing.assert_allclose(
            found.numpy(), expected.numpy(), DTYPES[dtype], 4 * DTYPES[dtype], err_msg=name
        )


@on_cuda
@EVERY_LENGTH
def test_bits_of_sums_do_not_depend_on_the_address(length):
    x = rows(length, gb.float32)
    for name, op in SUMS.items():
        expected = op(x.cuda()).cpu().numpy()
        for elements in (1, 2):
            found = op(moved(x, elements)).cpu().numpy()

            np.testing.assert_array_equal(found, expected, err_msg=name)


@on_cuda
@pytest.mark.parametrize("special", [None, float("nan"), float("inf"), float("-inf")])
@EVERY_LENGTH
def test_what_is_found_in_rows_of_any_length_is_what_the_cpu_finds(length, special):
    x = rows(length, gb.float32).mul(2).round()  # equal elements: the first, or the last, wins
    if special is not None:
        x[1, length // 2] = x[1, length // 3] = special
    for name, op in FINDS.items():
        for given in (x.cuda(), moved(x, 1)):
            np.testing.assert_array_equal(op(given).cpu().numpy(), op(x).numpy(), err_msg=name)


@on_cuda
@EVERY_DTYPE
@pytest.mark.parametrize("length", [1, 64, 257, 1025, 4097, 8193])
def test_gradients_of_rows_are_those_of_the_cpu(dtype, length):
    x, slopes, weight = (rows(length, dtype, seed) for seed in range(3))
    for name, op in {
        "softmax": lambda x, w: gb.softmax(x, 1),
        "log_softmax": lambda x, w: gb.log_softmax(x, 1),
        "layer_norm": lambda x, w: gb.nn.functional.layer_norm(x, (length,), w[0], w[1]),
    }.items():
        if name == "layer_norm" and length == 1:
            continue
        gradients = []
        for device in ("cuda", "cpu"):
            given = x.detach().to(device).requires_grad_()
            op(given, weight.to(device)).backward(slopes.to(device))
            assert given.grad is not None
            gradients.append(given.grad.cpu().double().numpy())

        tolerance = 20 * DTYPES[dtype]
        np.testing.assert_allclose(*gradients, tolerance, tolerance, err_msg=name)
