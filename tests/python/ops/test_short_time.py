"""Transforms of pieces of signals, beside what NumPy makes of each piece."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def signal(*sizes):
    return np.random.default_rng(0).normal(size=sizes)


def by_pieces(samples, size, hop, window):
    starts = range(0, samples.shape[-1] - size + 1, hop)
    return np.stack([np.fft.rfft(samples[..., at : at + size] * window) for at in starts], -1)


@pytest.mark.parametrize("rows", [(50,), (3, 50)])
def test_pieces_are_transformed_each_for_itself(rows, no_leaks):
    x = signal(*rows)
    window = np.hanning(8)

    found = gb.stft(gb.tensor(x), 8, 3, window=gb.tensor(window), center=False, return_complex=True)

    assert np.allclose(found.numpy(), by_pieces(x, 8, 3, window))


def test_a_signal_is_mirrored_at_both_ends():
    x = signal(30)
    window = np.hamming(8)

    for mode, numpys in (("reflect", "reflect"), ("constant", "constant"), ("replicate", "edge")):
        found = gb.stft(
            gb.tensor(x), 8, window=gb.tensor(window), pad_mode=mode, return_complex=True
        )
        assert np.allclose(found.numpy(), by_pieces(np.pad(x, 4, mode=numpys), 8, 2, window))


def test_a_short_window_stands_in_the_middle():
    x = signal(30)
    window = np.pad(np.hamming(5), (1, 2))

    found = gb.stft(
        gb.tensor(x), 8, 2, 5, gb.tensor(np.hamming(5)), center=False, return_complex=True
    )
    plain = gb.stft(gb.tensor(x), 8, 2, 4, center=False, normalized=True, return_complex=True)

    assert np.allclose(found.numpy(), by_pieces(x, 8, 2, window))
    ones = np.pad(np.ones(4), 2)
    assert np.allclose(plain.numpy(), by_pieces(x, 8, 2, ones) / np.sqrt(8))


def test_all_frequencies_or_their_parts_are_given_where_asked():
    x = gb.tensor(signal(20))

    whole = gb.stft(x, 8, onesided=False, return_complex=True)
    parts = x.stft(8, return_complex=False)
    of_complex = gb.stft(x * 1j, 8)

    assert (whole.shape, parts.shape, of_complex.shape) == ((8, 11), (5, 11, 2), (8, 11))
    gb.testing.assert_close(gb.view_as_complex(parts.contiguous()), whole[:5])
    gb.testing.assert_close(of_complex, whole * 1j)


@pytest.mark.parametrize("form", ["plain", "normalized", "not centred", "odd", "both sides"])
def test_the_way_back_undoes_it(form, no_leaks):
    size = 9 if form == "odd" else 16
    options = {
        "window": gb.hamming_window(size, dtype=gb.float64),
        "hop_length": 4,
        "normalized": form == "normalized",
        "center": form != "not centred",
        "onesided": form != "both sides",
    }
    x = gb.tensor(signal(2, 64))

    pieces = gb.stft(x, size, return_complex=True, **options)
    found = gb.istft(pieces, size, length=64, **options)

    gb.testing.assert_close(found, x)
    assert gb.istft(pieces[0], size, length=40, **options).shape == (40,)


def test_complex_signals_come_back():
    x = gb.tensor(signal(32) + 1j * signal(1, 32)[0])

    pieces = x.stft(8, onesided=False)
    found = pieces.istft(8, onesided=False, length=32, return_complex=True)

    gb.testing.assert_close(found, x)


def test_missing_samples_are_zeros():
    pieces = gb.stft(gb.ones(16), 8, return_complex=True)

    with pytest.warns(UserWarning, match="zeros are added"):
        found = gb.istft(pieces, 8, length=30)

    assert found.shape == (30,)
    assert found[25:].abs().max().item() == 0


def test_gradients_are_differences():
    x = gb.tensor(signal(12), requires_grad=True)
    window = gb.tensor(np.hamming(4), requires_grad=True)

    def there_and_back(x, window):
        pieces = gb.stft(x, 4, 2, window=window, return_complex=True)
        return gb.istft(pieces.abs() * pieces, 4, 2, window=window)

    assert gb.autograd.gradcheck(there_and_back, (x, window))


STFT = [
    (dict, ValueError, "return_complex"),
    (lambda: {"n_fft": 0}, gb.ShapeError, "n_fft 0"),
    (lambda: {"n_fft": 40, "return_complex": True}, gb.ShapeError, "pad"),
    (lambda: {"hop_length": 0, "return_complex": True}, gb.ShapeError, "hop_length 0"),
    (lambda: {"win_length": 5, "return_complex": True}, gb.ShapeError, "win_length 5"),
    (
        lambda: {"window": gb.ones(3), "return_complex": True},
        gb.ShapeError,
        r"window of sizes \[3\]",
    ),
    (lambda: {"pad_mode": "none", "return_complex": True}, ValueError, "pad_mode"),
    (lambda: {"input": gb.ones(2, 2, 2), "return_complex": True}, gb.ShapeError, "sizes"),
    (lambda: {"input": gb.arange(8), "return_complex": True}, gb.DTypeError, "int64"),
    (lambda: {"input": gb.ones(8) * 1j, "onesided": True}, ValueError, "halves differ"),
    (lambda: {"n_fft": "4", "return_complex": True}, TypeError, "n_fft"),
]


@pytest.mark.parametrize("place", range(len(STFT)))
def test_pieces_that_cannot_be_are_refused(place):
    named, error, told = STFT[place]

    with pytest.raises(error, match=told):
        gb.stft(**{"input": gb.ones(8), "n_fft": 4, **named()})


ISTFT = [
    (lambda: {"input": gb.ones(3, 4)}, gb.DTypeError, "complex one is needed"),
    (lambda: {"input": gb.ones(4, 4) * 1j, "onesided": True}, gb.ShapeError, "4 frequencies"),
    (lambda: {"input": gb.ones(5) * 1j}, gb.ShapeError, r"sizes \[5\]"),
    (lambda: {"input": gb.ones(3, 0) * 1j}, gb.ShapeError, "sizes"),
    (lambda: {"return_complex": True}, ValueError, "half of the frequencies"),
    (lambda: {"hop_length": 6}, gb.ShapeError, "leave samples out"),
    (lambda: {"window": gb.zeros(4)}, gb.ShapeError, "leave samples out"),
    (lambda: {"length": 0}, gb.ShapeError, "0 samples"),
]


@pytest.mark.parametrize("place", range(len(ISTFT)))
def test_what_cannot_be_put_together_is_refused(place):
    named, error, told = ISTFT[place]

    with pytest.raises(error, match=told):
        gb.istft(**{"input": gb.ones(3, 5) * (1 + 1j), "n_fft": 4, **named()})
