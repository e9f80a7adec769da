"""Linear algebra of complex matrices, beside NumPy's; gradients beside differences."""

from __future__ import annotations

from collections.abc import Callable

import garboard as gb
import numpy as np
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

la = gb.linalg


def matrices(*sizes: int, seed: int = 3) -> np.ndarray:
    parts = np.random.default_rng(seed).normal(size=(2, *sizes))
    return parts[0] + 1j * parts[1]


def hermitian(*sizes: int, seed: int = 3) -> np.ndarray:
    x = matrices(*sizes, seed=seed)
    return x @ np.conj(np.swapaxes(x, -1, -2)) + 0.5 * np.eye(sizes[-1])


def near(found: gb.Tensor, expected: np.ndarray, bound: float = 1e-10) -> bool:
    return np.allclose(found.detach().numpy(), expected, rtol=bound, atol=bound)


def even(x: gb.Tensor) -> gb.Tensor:
    return (x + x.mH) * 0.5


FOUND: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    "cholesky": lambda x: (lambda f: f @ f.mH)(la.cholesky(even(x @ x.mH))),
    "upper cholesky": lambda x: (lambda f: f.mH @ f)(la.cholesky(even(x @ x.mH), upper=True)),
    "lu": lambda x: (lambda f: f.P.to(x.dtype) @ f.L @ f.U)(la.lu(x)),
    "qr": lambda x: (lambda f: f.Q @ f.R)(la.qr(x)),
    "eigh": lambda x: (lambda f: f.eigenvectors * f.eigenvalues.unsqueeze(-2) @ f.eigenvectors.mH)(
        la.eigh(even(x))
    ),
    "eig": lambda x: (
        lambda f: f.eigenvectors @ gb.diag_embed(f.eigenvalues) @ la.inv(f.eigenvectors)
    )(la.eig(x)),
    "svd": lambda x: (lambda f: f.U * f.S.unsqueeze(-2) @ f.Vh)(la.svd(x, full_matrices=False)),
}


@pytest.mark.parametrize("batch", [(), (3,), (0,), (2, 1)])
@pytest.mark.parametrize("name", FOUND)
def test_factors_make_the_matrix(name, batch, no_leaks):
    array = matrices(*batch, 4, 4)
    adjoint = np.conj(np.swapaxes(array, -1, -2))
    expected = {
        "cholesky": array @ adjoint,
        "upper cholesky": array @ adjoint,
        "eigh": (array + adjoint) / 2,
    }

    with gb.dispose_scope():
        assert near(FOUND[name](gb.from_numpy(array)), expected.get(name, array))


@pytest.mark.parametrize("sizes", [(5, 3), (3, 5)])
def test_qr_and_svd_take_any_sides(sizes, no_leaks):
    array = matrices(*sizes)

    with gb.dispose_scope():
        x = gb.from_numpy(array)
        q, r = la.qr(x, "complete")
        u, s, vh = la.svd(x)
        k = min(sizes)

        assert near(q @ r, array)
        assert near(q.mH @ q, np.eye(sizes[0]))
        assert near(u[:, :k] * s @ vh[:k], array)
        assert near(u.mH @ u, np.eye(sizes[0]))
        assert near(la.svdvals(x), np.linalg.svd(array, compute_uv=False))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_eigenvectors_are_stretched_by_their_values(dtype, no_leaks):
    array = matrices(3, 5, 5)
    given = array.real.astype(dtype) if "float" in dtype else array.astype(dtype)

    with gb.dispose_scope():
        x = gb.from_numpy(given)
        values, vectors = la.eig(x)
        bound = 1e-4 if dtype in ("float32", "complex64") else 1e-10

        assert values.dtype == x.dtype.to_complex() == vectors.dtype
        assert near(x.to(vectors.dtype) @ vectors, (vectors * values.unsqueeze(-2)).numpy(), bound)
        assert near(vectors.abs().square().sum(-2), np.ones((3, 5)), bound)
        assert near(la.eigvals(x).sum(-1), np.trace(given, axis1=-2, axis2=-1), bound)


def test_real_eigenvalues_have_no_imaginary_part_and_others_come_in_pairs():
    values = la.eigvals(gb.tensor([[2.0, 1.0, 0.0], [-1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]))

    assert values.tolist() == [2 + 1j, 2 - 1j, 3]


SOLVED = {
    "inv": (la.inv, np.linalg.inv),
    "det": (la.det, np.linalg.det),
    "pinv": (la.pinv, np.linalg.pinv),
    "hermitian pinv": (lambda x: la.pinv(even(x), hermitian=True), None),
    "matrix_rank": (la.matrix_rank, np.linalg.matrix_rank),
    "cond": (la.cond, np.linalg.cond),
    "slogdet": (lambda x: la.slogdet(x)[0], lambda x: np.linalg.slogdet(x)[0]),
    "slogdet's size": (lambda x: la.slogdet(x)[1], lambda x: np.linalg.slogdet(x)[1]),
    "nuclear norm": (
        lambda x: la.matrix_norm(x, "nuc"),
        lambda x: np.linalg.norm(x, "nuc", axis=(-2, -1)),
    ),
    "matrix_power": (lambda x: la.matrix_power(x, -2), lambda x: np.linalg.matrix_power(x, -2)),
}


@pytest.mark.parametrize("name", SOLVED)
def test_what_is_solved_is_numpys(name, no_leaks):
    array = matrices(2, 4, 4)
    ours, theirs = SOLVED[name]
    if theirs is None:
        even_one = (array + np.conj(np.swapaxes(array, -1, -2))) / 2
        expected = np.linalg.pinv(even_one)
    else:
        expected = theirs(array)

    with gb.dispose_scope():
        assert near(ours(gb.from_numpy(array)), expected, 1e-9)


@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize("is_adjoint", [True, False])
def test_lu_solve_solves_on_both_sides_and_with_the_adjoint(left, is_adjoint, no_leaks):
    array, right = matrices(4, 4), matrices(4, 4, seed=8)
    turned = array.conj().T if is_adjoint else array

    with gb.dispose_scope():
        factors = la.lu_factor(gb.from_numpy(array))
        x = la.lu_solve(*factors, gb.from_numpy(right), left=left, adjoint=is_adjoint).numpy()

        assert np.allclose(turned @ x if left else x @ turned, right)


@pytest.mark.parametrize("upper", [True, False])
def test_triangles_are_solved(upper, no_leaks):
    array, right = matrices(4, 4), matrices(4, 2, seed=8)
    triangle = np.triu(array) if upper else np.tril(array)

    with gb.dispose_scope():
        b = gb.from_numpy(right)
        x = la.solve_triangular(gb.from_numpy(array), b, upper=upper)
        factor = gb.from_numpy(np.triu(array) if upper else np.tril(array))
        y = gb.cholesky_solve(b, factor, upper)
        whole = triangle.conj().T @ triangle if upper else triangle @ triangle.conj().T

        assert near(x, np.linalg.solve(triangle, right))
        assert near(y, np.linalg.solve(whole, right), 1e-7)


def test_least_squares_are_numpys(no_leaks):
    a, b = matrices(6, 3), matrices(6, 2, seed=8)

    with gb.dispose_scope():
        found = la.lstsq(gb.from_numpy(a), gb.from_numpy(b), driver="gelsd")
        solution, residuals, rank, values = np.linalg.lstsq(a, b, rcond=None)

        assert near(found.solution, solution)
        assert near(found.residuals, residuals)
        assert int(found.rank) == rank
        assert near(found.singular_values, values)


def test_the_exponential_of_a_skew_matrix_is_unitary(no_leaks):
    array = matrices(4, 4)

    with gb.dispose_scope():
        found = la.matrix_exp(gb.from_numpy(array - array.conj().T))

        assert near(found @ found.mH, np.eye(4), 1e-9)


# Of what the turn of a vector in the complex plane makes no difference to.
SMOOTH: dict[str, Callable[[gb.Tensor], gb.Tensor]] = {
    **FOUND,
    "inv": la.inv,
    "det": la.det,
    "slogdet": lambda x: la.slogdet(x)[0] * (1 + la.slogdet(x)[1]),
    "pinv": lambda x: la.pinv(x[:, :2]),
    "solve": lambda x: la.solve(x, x.mT @ x),
    "solve_triangular": lambda x: la.solve_triangular(x, x.mT, upper=True),
    "wide qr": lambda x: (lambda f: f.Q.mH @ x[1:] @ f.R.mH)(la.qr(x[1:])),
    "tall qr": lambda x: (lambda f: f.Q @ f.R.mH @ f.R)(la.qr(x[:, 1:])),
    "eigh's sizes": lambda x: (lambda f: f[1].abs() * f[0])(la.eigh(even(x))),
    "eig's sizes": lambda x: la.eig(x).eigenvectors.abs(),
    "eigvals": lambda x: la.eigvals(x).abs(),
    "svd's sizes": lambda x: (lambda f: f.U.abs() + f.S)(la.svd(x)),
    "svd's right sizes": lambda x: la.svd(x[1:], full_matrices=False).Vh.abs(),
    "svd's turned pair": lambda x: (lambda f: f.U @ f.Vh)(la.svd(x)),
    "svdvals": la.svdvals,
    "lu_solve": lambda x: la.lu_solve(*la.lu_factor(x), x.mT, adjoint=True),
    "lstsq": lambda x: la.lstsq(x[:, 1:], x[:, :1]).solution,
    "matrix_exp": la.matrix_exp,
}


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients_are_differences(name):
    x = gb.from_numpy(matrices(3, 3, seed=11)).requires_grad_()

    assert gb.autograd.gradcheck(SMOOTH[name], (x,), atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("name", ["eig", "eig's sizes", "eigvals"])
def test_gradients_of_real_matrices_are_real_differences(name):
    x = gb.from_numpy(matrices(4, 4, seed=11).real.copy()).requires_grad_()

    assert gb.autograd.gradcheck(SMOOTH[name], (x,), atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize(
    "name", ["cholesky", "det", "eig", "eigh", "inv", "pinv", "qr", "slogdet", "svd", "svdvals"]
)
def test_gradients_have_gradients(name):
    x = gb.from_numpy(matrices(3, 3, seed=11)).requires_grad_()

    assert gb.autograd.gradgradcheck(SMOOTH[name], (x,), atol=1e-3, rtol=1e-2)


def test_what_cannot_be_factored_is_refused_and_nothing_is_left(no_leaks):
    endless = gb.full((2, 2), complex(0, float("nan")), dtype=gb.complex128)
    with endless, gb.zeros(2, 2, dtype=gb.complex64) as zeros:
        for name in ("eig", "eigvals", "eigh", "svd"):
            with pytest.raises(la.LinAlgError, match=f"{name}: the matrix has elements that are"):
                getattr(la, name)(endless)
        for name, words in (("cholesky", "not positive-definite"), ("inv", "is singular")):
            with pytest.raises(la.LinAlgError, match=words):
                getattr(la, name)(zeros)

    with gb.ones(2, 3) as wide, pytest.raises(gb.ShapeError, match=r"linalg\.eig: matrices of"):
        la.eig(wide)
    with gb.ones(2, 2, dtype=gb.int64) as whole, pytest.raises(gb.DTypeError, match="float32"):
        la.eigvals(whole)
    with pytest.raises(TypeError, match="a Tensor is needed"):
        la.eig([[1.0]])
