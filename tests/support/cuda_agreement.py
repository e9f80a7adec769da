"""What tests of CUDA devices share: tensors to compute with, and the results of the CPU."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest

DTYPES = [gb.bool, gb.uint8, gb.int32, gb.int64, gb.float32, gb.float64]
FLOATS = [gb.float32, gb.float64]


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
