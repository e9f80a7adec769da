"""What tests of CUDA devices share: tensors to compute with, and the results of the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest

DTYPES = [gb.bool, gb.uint8, gb.int32, gb.int64, gb.float32, gb.float64]
FLOATS = [gb.float32, gb.float64]
HALVES = [gb.float16, gb.bfloat16]
EVERY_FLOAT = pytest.mark.parametrize("dtype", [*FLOATS, *HALVES], ids=str)
DIGITS = {gb.float64: 1e-11, gb.float32: 2e-5, gb.float16: 4e-3, gb.bfloat16: 3e-2}


def on_cuda(test):
    """Mark what needs a device; without one it is skipped, and the reason says why."""
    skip = pytest.mark.skipif(not gb.cuda.is_available(), reason=str(gb.cuda.why_unavailable()))
    return pytest.mark.cuda(pytest.mark.usefixtures("balanced")(skip(test)))


def drawn(dtype: gb.dtype, *sizes: int, seed: int = 0, small: bool = False) -> gb.Tensor:
    """Draw a tensor on the CPU; floats begin with what is special about them."""
    random = np.random.default_rng(seed)
    if dtype.is_floating_point:
        values = random.normal(size=sizes) * 3
        special = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40, 1e30]
        if not small:
            flat = values.reshape(-1)
            flat[: len(special)] = special[: flat.size]
    else:
        values = random.integers(0, 9, size=sizes) - (3 if dtype in (gb.int32, gb.int64) else 0)
    return gb.tensor(values).to(dtype)


def outcome(compute: Callable[[], gb.Tensor]) -> np.ndarray | type:
    """Return what a computation gives, or the type of error it raises."""
    try:
        return compute().cpu().numpy().copy()
    except gb.GarboardError as error:
        return type(error)


def assert_alike(
    computed: np.ndarray | type, expected: np.ndarray | type, cancels: bool = False
) -> None:
    if isinstance(expected, type) or isinstance(computed, type):
        assert computed is expected
        return
    assert computed.dtype == expected.dtype
    assert computed.shape == expected.shape
    if expected.dtype.kind == "f":
        digits = 8 * np.finfo(expected.dtype).eps
        absolute = digits if cancels else 1e-44
        np.testing.assert_allclose(computed, expected, rtol=digits, atol=absolute)
    else:
        np.testing.assert_array_equal(computed, expected)


def both(function: Callable[..., gb.Tensor], *given: object, cancels: bool = False) -> None:
    """Assert that a function gives on a device what it gives on the CPU; where it `cancels`, to
    the digits of 1, not to those of what is left."""
    moved = [value.cuda() if isinstance(value, gb.Tensor) else value for value in given]
    assert_alike(outcome(lambda: function(*moved)), outcome(lambda: function(*given)), cancels)


def values_and_slopes(
    device: str, function: Callable[..., gb.Tensor], given: tuple[Any, ...]
) -> list[np.ndarray]:
    """Return what a function gives on a device, and the gradients of its floating tensors."""
    moved = [x.detach().to(device) if isinstance(x, gb.Tensor) else x for x in given]
    leaves = [
        x.requires_grad_() for x in moved if isinstance(x, gb.Tensor) and x.is_floating_point()
    ]
    out = function(*moved)
    assert out.device == leaves[0].device
    weights = drawn(gb.float64, *out.shape, seed=99, small=True).to(out.dtype)
    (out * weights.to(device)).sum().backward()
    results = [out, *(leaf.grad for leaf in leaves)]
    return [x.detach().to("cpu").to(gb.float64).numpy().copy() for x in results]


def agree(function: Callable[..., gb.Tensor], *given: Any, loss_of_digits: float = 1) -> None:
    """Assert that values and gradients on a device are the CPU's, and that nothing stays there."""
    dtype = next(x.dtype for x in given if isinstance(x, gb.Tensor) and x.is_floating_point())
    with gb.dispose_scope():
        here = values_and_slopes("cpu", function, given)
    with gb.leaks.no_leaks(), gb.dispose_scope():
        there = values_and_slopes("cuda", function, given)
    tolerance = DIGITS[dtype] * loss_of_digits
    for one, other in zip(there, here, strict=True):
        finite = np.abs(other[np.isfinite(other)])
        np.testing.assert_allclose(one, other, tolerance, tolerance * finite.max(initial=1))


def planes(dtype: gb.dtype, *sizes: int, seed: int = 1) -> gb.Tensor:
    return drawn(gb.float64, *sizes, seed=seed, small=True).to(dtype)
