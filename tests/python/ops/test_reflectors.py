"""Products of Householder reflections."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_the_product_is_that_of_the_reflections(dtype):
    random = np.random.RandomState(0)
    a = random.randn(2, 4, 3) + (1j * random.randn(2, 4, 3) if dtype == np.complex128 else 0)
    tau = random.randn(2, 2).astype(dtype)
    expected = np.stack([np.eye(4, dtype=dtype)] * 2)
    for number in range(2):
        v = np.tril(a, -1)[..., number] + np.eye(4)[number]
        outer = v[..., :, None] * v[..., None, :].conj()
        expected = expected @ (np.eye(4) - tau[:, number, None, None] * outer)

    found = gb.linalg.householder_product(gb.tensor(a.astype(dtype)), gb.tensor(tau))

    assert np.allclose(found.numpy(), expected[..., :3])


def test_the_product_has_gradients():
    a = gb.rand(3, 2, dtype=gb.float64, requires_grad=True)
    tau = gb.rand(2, dtype=gb.float64, requires_grad=True)

    assert gb.autograd.gradcheck(gb.linalg.householder_product, (a, tau))


def test_sizes_and_dtypes_must_fit():
    with pytest.raises(gb.ShapeError, match=r"A of sizes \[2, 3\] and tau of \[2\]"):
        gb.linalg.householder_product(gb.ones(2, 3), gb.ones(2))
    with pytest.raises(gb.DTypeError, match="one floating or complex dtype"):
        gb.linalg.householder_product(gb.ones(3, 2), gb.ones(2, dtype=gb.float64))
