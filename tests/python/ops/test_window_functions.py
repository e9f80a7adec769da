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


SIGNALS = {
    "bartlett": np.bartlett,
    "blackman": np.blackman,
    "cosine": lambda m: np.sin(np.pi * (np.arange(m) + 0.5) / m),
    "exponential": lambda m: np.exp(-np.abs(np.arange(m) - (m - 1) / 2)),
    "gaussian": lambda m: np.exp(-((np.arange(m) - (m - 1) / 2) ** 2) / 2),
    "general_hamming": np.hamming,
    "hamming": np.hamming,
    "hann": np.hanning,
    "kaiser": lambda m: np.kaiser(m, 12.0),
}


@pytest.mark.parametrize("name", SIGNALS)
@pytest.mark.parametrize("count", [0, 1, 2, 7, 64])
def test_a_window_of_a_signal_is_numpys(name, count):
    make, reference = getattr(gb.signal.windows, name), SIGNALS[name]

    with gb.leaks.no_leaks():
        symmetric = make(count, dtype=gb.float64)
        periodic = make(count, sym=False, dtype=gb.float64)

        assert np.allclose(symmetric.numpy(), reference(count) if count != 1 else 1, atol=1e-8)
        expected = reference(count + 1)[:count] if count > 1 else np.ones(count)
        assert np.allclose(periodic.numpy(), expected, atol=1e-8)
        del symmetric, periodic


def test_windows_of_signals_obey_their_settings():
    windows = gb.signal.windows
    n = np.arange(9)

    fallen = windows.exponential(9, center=2, tau=3.0, sym=False, dtype=gb.float64)
    bell = windows.gaussian(9, std=2.5, dtype=gb.float64)
    summed = windows.general_cosine(9, a=(0.5, 0.3, 0.2), dtype=gb.float64)

    assert np.allclose(fallen.numpy(), np.exp(-np.abs(n - 2) / 3))
    assert np.allclose(bell.numpy(), np.exp(-(((n - 4) / 2.5) ** 2) / 2))
    turn = 2 * np.pi * n / 8
    assert np.allclose(summed.numpy(), 0.5 - 0.3 * np.cos(turn) + 0.2 * np.cos(2 * turn))
    middle = windows.nuttall(9, dtype=gb.float64, requires_grad=True)
    assert middle[4].item() == pytest.approx(1.0)
    assert middle.requires_grad
    assert windows.hann(4).dtype == gb.get_default_dtype()


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda w: w.hann(-1), gb.ShapeError, "M -1"),
        (lambda w: w.hann(2.5), TypeError, "M is of type float"),
        (lambda w: w.hann(3, dtype=gb.float16), gb.DTypeError, "float32 or float64"),
        (lambda w: w.hann(3, sym=2), TypeError, "sym"),
        (lambda w: w.kaiser(3, beta=-1), ValueError, "beta -1"),
        (lambda w: w.kaiser(3, dtype=gb.int64), gb.DTypeError, "float32 or float64"),
        (lambda w: w.exponential(3, tau=0), ValueError, r"tau 0\.0"),
        (lambda w: w.exponential(3, center=1), ValueError, "sym=False"),
        (lambda w: w.gaussian(3, std=-1.0), ValueError, r"std -1\.0"),
        (lambda w: w.general_cosine(3, a=[]), ValueError, "without weights"),
        (lambda w: w.general_cosine(3, a=0.5), TypeError, "a list of numbers"),
    ],
)
def test_windows_of_signals_refuse_what_cannot_be(call, error, told):
    with pytest.raises(error, match=rf"^signal\.windows\..*{told}"):
        call(gb.signal.windows)
