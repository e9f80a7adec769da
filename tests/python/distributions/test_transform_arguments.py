"""What transforms are given that is no tensor: refused before anything is computed."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

T = gb.distributions.transforms

MADE = {
    "AffineTransform": lambda: T.AffineTransform(1.0, 2.0),
    "ExpTransform": T.ExpTransform,
    "PowerTransform": lambda: T.PowerTransform(0.5),
    "SigmoidTransform": T.SigmoidTransform,
    "SoftplusTransform": T.SoftplusTransform,
    "TanhTransform": T.TanhTransform,
}


@pytest.mark.parametrize("name", MADE)
def test_a_vast_array_is_refused(name):
    vast = np.broadcast_to(np.float32(1), (2**20, 2**20))  # whose sum with anything is 4 TiB
    transform = MADE[name]()

    with pytest.raises(TypeError, match=f"{name}: x is of type ndarray"):
        transform.log_abs_det_jacobian(vast, vast)


def test_so_it_is_where_only_the_result_is_one():
    vast = np.broadcast_to(np.float32(1), (2**20, 2**20))

    with pytest.raises(TypeError, match="PowerTransform: y is of type ndarray"):
        T.PowerTransform(0.5).log_abs_det_jacobian(gb.ones(3), vast)
