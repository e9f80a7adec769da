"""Which kinds of errors functions raise: PyTorch's is among them, so that programs catch it."""

from __future__ import annotations

import garboard as gb
import pytest
from garboard.nn import functional

CALLS = {
    "stft": lambda: gb.ones(100, dtype=gb.complex64).stft(10, onesided=True, return_complex=True),
    "istft": lambda: gb.istft(gb.ones(6, 5) + 0j, 10, return_complex=True, onesided=True),
    "gradient": lambda: gb.gradient(gb.ones(3), edge_order=3),
    "renorm": lambda: gb.renorm(gb.ones(2, 2), -1, 0, 1.0),
    "histogram": lambda: gb.histogram(gb.ones(2), 4, range=(2.0, 1.0)),
    "cdist": lambda: gb.cdist(gb.ones(2, 2), gb.ones(2, 2), p=-1),
    "pdist": lambda: functional.pdist(gb.ones(2, 2), p=-1),
    "norm": lambda: gb.linalg.norm(gb.ones(2, 2), "max"),
    "lu_factor": lambda: gb.linalg.lu_factor(gb.ones(2, 2), pivot=False),
    "cross_entropy": lambda: functional.cross_entropy(gb.ones(2, 2), gb.ones(2, 2), ignore_index=1),
    "rrelu": lambda: functional.rrelu(gb.ones(2), 0.5, 0.1),
    "manual_seed": lambda: gb.manual_seed(2**64),
    "einsum": lambda: gb.einsum("ij"),
    "fft": lambda: gb.fft.fftfreq(-1),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_pytorch_tells_by_a_runtime_error_is_one_and_a_value_error(name):
    with pytest.raises(RuntimeError) as caught:
        CALLS[name]()

    assert isinstance(caught.value, ValueError)
