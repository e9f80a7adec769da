"""`axis`, `axes` and `keepdims`, as NumPy's users name dims."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

BOTH = {  # functions of garboard and of NumPy that are told so
    "flip": lambda it, x: it.flip(x, axis=1),
    "roll": lambda it, x: it.roll(x, 1, axis=0),
    "trapezoid": lambda it, x: it.trapezoid(x, axis=0),
    "linalg.norm": lambda it, x: it.linalg.norm(x, axis=1, keepdims=True),
    "fft.rfft": lambda it, x: it.fft.rfft(x, axis=0).real,
    "fft.fftshift": lambda it, x: it.fft.fftshift(x, axes=(1,)),
    "fft.fft2": lambda it, x: it.fft.fft2(x, axes=(0, 1)).imag,
    "tensordot": lambda it, x: it.tensordot(x, x, axes=2),
    "sum": lambda it, x: it.sum(x, axis=0, keepdims=True),
}


@pytest.mark.parametrize("call", BOTH.values(), ids=BOTH)
def test_are_taken_by_what_numpy_has_too(call):
    array = np.arange(6.0).reshape(2, 3)

    assert np.allclose(call(gb, gb.from_numpy(array)).numpy(), call(np, array))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: gb.linalg.norm(x, dim=1, axis=1),
        lambda x: gb.fft.fftn(x, axis=0, axes=1),
        lambda x: gb.flip(x, dims=0, axis=1),
        lambda x: gb.flip(x, axis=1, dims=0),
        lambda x: gb.flip(x, 0, axis=1),
        lambda x: gb.flip(x, 0, dims=1),
        lambda x: x.permute(0, 1, dims=(1, 0)),
        lambda x: gb.sum(x, 0, axis=0),
    ],
)
def test_are_refused_beside_ours(call):
    with pytest.raises(TypeError, match="is given twice"):
        call(gb.ones(2, 3))


def test_are_typed_errors_where_there_is_no_such_dim():
    with pytest.raises(gb.IndexOutOfRangeError, match="dim 5"):
        gb.linalg.norm(gb.ones(2, 3), axis=5)
