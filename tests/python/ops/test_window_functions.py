"""Windows beside NumPy's, symmetric and periodic."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

WINDOWS = {
    "hann_window": np.hanning,
    "hamming_window": np.hamming,
    "blackman_window": np.blackman,
    "bartlett_window": np.bartlett,
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 8, 65])
def test_a_window_is_numpys(name, count):
    make, reference = getattr(gb, name), WINDOWS[name]

    symmetric = make(count, periodic=False, dtype=gb.float64)
    periodic = make(count, dtype=gb.float64)

    assert np.allclose(symmetric.numpy(), reference(count), atol=1e-15)
    expected = reference(count + 1)[:count] if count > 1 else np.ones(count)
    assert np.allclose(periodic.numpy(), expected, atol=1e-15)


def test_a_hamming_window_takes_both_weights():
    made = gb.hamming_window(4, False, alpha=0.5, beta=0.5, dtype=gb.float64)

    assert np.allclose(made.numpy(), np.hanning(4), atol=1e-15)


@pytest.mark.parametrize("beta", [0.0, 2.5, 12.0, 900.0])
@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_a_kaiser_window_falls_as_fast_as_it_is_told(count, beta):
    made = gb.kaiser_window(count, False, beta, dtype=gb.float64)
    turning = gb.kaiser_window(count, beta=beta, dtype=gb.float64)

    if beta < 700:
        assert np.allclose(made.numpy(), np.kaiser(count, beta), atol=1e-8)
        assert np.allclose(turning.numpy(), np.kaiser(count + 1, beta)[:count] if count > 1 else 1)
    assert bool(made.isfinite().all())


def test_dtype_device_and_flag_are_obeyed():
    assert gb.hann_window(3).dtype == gb.get_default_dtype()
    assert gb.hann_window(3, dtype=gb.float16, requires_grad=True).requires_grad
    with pytest.raises(gb.DTypeError, match=r"hann_window: dtype .*int64; a floating"):
        gb.hann_window(3, dtype=gb.int64)
    with pytest.raises(gb.ShapeError, match="window_length"):
        gb.bartlett_window(-1)
    with pytest.raises(TypeError, match="window_length"):
        gb.blackman_window(2.5)
    with pytest.raises(TypeError, match="beta"):
        gb.kaiser_window(3, beta="a")
    with pytest.raises(TypeError, match="alpha"):
        gb.hamming_window(3, alpha="a")
