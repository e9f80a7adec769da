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


@pytest.mark.parametrize("dtype", [gb.float64, gb.complex128])
@pytest.mark.parametrize("sizes", [(4, 3), (3, 5), (2, 4, 4), (3, 1), (1, 1), (0, 2)])
def test_reflections_and_a_triangle_make_the_matrix_again(sizes, dtype):
    x = gb.randn(*sizes, dtype=dtype)
    rows, least = sizes[-2], min(sizes[-2:])

    a, tau = gb.geqrf(x)

    whole = gb.eye(rows, dtype=dtype).expand(*sizes[:-2], rows, rows)
    q = gb.ormqr(a[..., :least], tau, whole)
    assert gb.allclose(gb.ormqr(a[..., :least], tau, a.triu()), x)
    assert gb.allclose(q.mH @ q, whole)
    assert gb.allclose(gb.ormqr(a[..., :least], tau, q, transpose=True), whole)
    assert gb.allclose(gb.ormqr(a[..., :least], tau, q.mH, left=False), whole)
    assert gb.allclose(gb.ormqr(a[..., :least], tau, q, left=False, transpose=True), whole)
    assert gb.allclose(a[..., :least].orgqr(tau), q[..., :least])


def test_a_column_that_is_done_needs_no_reflection():
    a, tau = gb.geqrf(gb.tensor([[-3.0, 1.0], [0.0, 2.0]]))

    assert a.tolist() == [[-3.0, 1.0], [0.0, 2.0]]
    assert tau.tolist() == [0.0, 0.0]


def test_reflections_must_fit_what_they_multiply():
    a, tau = gb.geqrf(gb.randn(4, 3))

    with pytest.raises(gb.ShapeError, match=r"^ormqr: input of sizes \[4, 3\], tau of \[3\]"):
        gb.ormqr(a, tau, gb.ones(3, 2))
    with pytest.raises(gb.DTypeError, match=r"^ormqr: dtypes"):
        gb.ormqr(a, tau, gb.ones(4, 2, dtype=gb.float64))
    with pytest.raises(gb.ShapeError, match=r"^geqrf: input of sizes"):
        gb.geqrf(gb.ones(2))
