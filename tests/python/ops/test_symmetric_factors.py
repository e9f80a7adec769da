"""Factors of symmetric matrices that are not definite, polar factors and roots."""

from __future__ import annotations

import garboard as gb
import numpy as np
import pytest

pytestmark = pytest.mark.no_leaks


def drawn(rows, *, batch=(), is_complex=False, hermitian=False, seed=0):
    r = np.random.default_rng(seed)
    x = r.normal(size=(*batch, rows, rows))
    if is_complex:
        x = x + 1j * r.normal(size=x.shape)
    return x + (x.conj() if hermitian else x).swapaxes(-1, -2)


@pytest.mark.parametrize("rows", [1, 2, 5, 20])
@pytest.mark.parametrize(("is_complex", "hermitian"), [(False, False), (True, False), (True, True)])
def test_a_system_is_solved_by_its_factors(rows, is_complex, hermitian):
    a = drawn(rows, batch=(3,), is_complex=is_complex, hermitian=hermitian, seed=rows)
    b = drawn(rows, is_complex=is_complex)[:, :2]

    factors = gb.linalg.ldl_factor(gb.from_numpy(a), hermitian=hermitian)
    x = gb.linalg.ldl_solve(*factors, gb.from_numpy(b), hermitian=hermitian)

    np.testing.assert_allclose(a @ x.numpy(), np.broadcast_to(b, (3, *b.shape)), atol=1e-9)


def test_pivots_are_lapacks():
    a = gb.tensor([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]], dtype=gb.float64)

    found, pivots, info = gb.linalg.ldl_factor_ex(a)

    assert pivots.tolist() == [-3, -3, 3]
    assert pivots.dtype == info.dtype == gb.int32
    assert info.item() == 0
    np.testing.assert_allclose(found.diagonal().tolist(), [0, 0, -3], atol=1e-12)


def test_what_has_no_inverse_is_told():
    with pytest.raises(gb.linalg.LinAlgError, match="diagonal of D is 0"):
        gb.linalg.ldl_factor(gb.zeros(2, 2))
    with pytest.raises(gb.linalg.LinAlgError, match="at \\[1\\]"):
        gb.linalg.ldl_factor(gb.stack([gb.eye(2), gb.zeros(2, 2)]))

    assert gb.linalg.ldl_factor_ex(gb.stack([gb.eye(2), gb.zeros(2, 2)])).info.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: gb.linalg.ldl_factor(gb.ones(2, 3)), gb.ShapeError),
        (lambda: gb.linalg.ldl_factor(gb.ones(2, 2, dtype=gb.int64)), gb.DTypeError),
        (lambda: gb.linalg.ldl_solve(gb.eye(2), gb.ones(2), gb.ones(2, 1)), gb.DTypeError),
        (lambda: gb.linalg.ldl_solve(gb.eye(2), gb.ones(2, dtype=gb.int32), [[1.0]]), TypeError),
        (
            lambda: gb.linalg.ldl_solve(gb.eye(2), gb.ones(2, dtype=gb.int32), gb.ones(3, 1)),
            gb.ShapeError,
        ),
        (
            lambda: gb.linalg.ldl_solve(gb.eye(2), gb.zeros(2, dtype=gb.int32), gb.ones(2, 1)),
            gb.ShapeError,
        ),
        (lambda: gb.linalg.polar(gb.ones(2, 3)), gb.ShapeError),
        (lambda: gb.linalg.matrix_sqrth([1.0]), TypeError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("is_complex", [False, True])
def test_polar_factors_are_orthonormal_and_positive(is_complex):
    a = gb.from_numpy(drawn(4, batch=(2,), is_complex=is_complex)[..., :3])

    turned, scaled = gb.linalg.polar(a)

    assert gb.allclose(turned @ scaled, a)
    assert gb.allclose(turned.mH @ turned, gb.eye(3, dtype=a.dtype).expand(2, 3, 3))
    assert (gb.linalg.eigvalsh(scaled) > 0).all()
    assert gb.autograd.gradcheck(gb.linalg.polar, (a.requires_grad_(),))


def test_a_root_of_a_matrix_squares_to_it():
    a = gb.from_numpy(drawn(4, seed=3)) + 9 * gb.eye(4, dtype=gb.float64)

    root = gb.linalg.matrix_sqrth(a)

    assert gb.allclose(root @ root, a)
