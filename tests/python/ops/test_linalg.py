"""Linear algebra: what factors come to, what is solved, gradients, and what is refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import garboard as gb
import numpy as np
import pytest

from tests.support.finite_differences import check_first_order, check_second_order

la = gb.linalg
FLOATS = [gb.float32, gb.float64]
BATCHES = [(), (3,), (2, 1), (0,)]


def matrices(*shape: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def positive(*shape: int, seed: int = 5) -> np.ndarray:
    x = matrices(*shape, seed=seed)
    return x @ np.swapaxes(x, -1, -2) + 0.5 * np.eye(shape[-1])


def even(x: gb.Tensor) -> gb.Tensor:
    """Return the symmetric part: differences move one element, and only one triangle is read."""
    return (x + x.mT) * 0.5


def close(got: gb.Tensor, expected: Any, dtype: gb.dtype = gb.float64) -> None:
    if isinstance(expected, gb.Tensor):
        expected = expected.detach().numpy()
    tolerance = 1e-4 if dtype == gb.float32 else 1e-9
    np.testing.assert_allclose(got.detach().numpy(), expected, rtol=tolerance, atol=tolerance)


# Each brings back the matrix it was made of.
def by_cholesky(x: gb.Tensor) -> gb.Tensor:
    factor = la.cholesky(x)
    return factor @ factor.mT


def by_upper_cholesky(x: gb.Tensor) -> gb.Tensor:
    factor = la.cholesky(x, upper=True)
    return factor.mT @ factor


def by_lu(x: gb.Tensor) -> gb.Tensor:
    found = la.lu(x)
    return found.P @ found.L @ found.U


def by_lu_factor(x: gb.Tensor) -> gb.Tensor:
    return la.lu_solve(*la.lu_factor(x), x @ x)


def by_qr(x: gb.Tensor) -> gb.Tensor:
    found = la.qr(x)
    return found.Q @ found.R


def by_complete_qr(x: gb.Tensor) -> gb.Tensor:
    q, r = la.qr(x, "complete")
    assert q.shape[-1] == q.shape[-2]
    return q @ r


def by_eigh(x: gb.Tensor) -> gb.Tensor:
    found = la.eigh(x)
    assert (found.eigenvalues.diff() >= 0).all()
    return found.eigenvectors * found.eigenvalues.unsqueeze(-2) @ found.eigenvectors.mT


def by_svd(x: gb.Tensor) -> gb.Tensor:
    found = la.svd(x, full_matrices=False)
    assert (found.S.diff() <= 0).all()
    return found.U * found.S.unsqueeze(-2) @ found.Vh


def by_full_svd(x: gb.Tensor) -> gb.Tensor:
    u, s, vh = la.svd(x)
    k = s.shape[-1]
    return u[..., :k] * s.unsqueeze(-2) @ vh[..., :k, :]


def by_old_svd(x: gb.Tensor) -> gb.Tensor:
    u, s, v = gb.svd(x)
    return u * s.unsqueeze(-2) @ v.mT


def by_inverse(x: gb.Tensor) -> gb.Tensor:
    return la.inv(la.inv(x))


def by_pinv(x: gb.Tensor) -> gb.Tensor:
    return x @ la.pinv(x) @ x


def by_lstsq(x: gb.Tensor) -> gb.Tensor:
    return x @ la.lstsq(x, x).solution


def by_solutions(x: gb.Tensor) -> gb.Tensor:
    return la.solve(la.inv(x), gb.eye(x.shape[-1], dtype=x.dtype).expand(x.shape))


OF_POSITIVE = [by_cholesky, by_upper_cholesky, by_eigh]
OF_SQUARE = [by_lu_factor, by_inverse, by_solutions]
OF_ANY = [by_lu, by_qr, by_complete_qr, by_svd, by_full_svd, by_old_svd, by_pinv, by_lstsq]


class TestFactors:
    @pytest.mark.parametrize("dtype", FLOATS)
    @pytest.mark.parametrize("batch", BATCHES)
    @pytest.mark.parametrize("size", [0, 1, 4])
    @pytest.mark.parametrize("back", [*OF_POSITIVE, *OF_SQUARE, *OF_ANY])
    def test_bring_square_matrices_back(self, back, size, batch, dtype):
        make = positive if back in OF_POSITIVE else matrices
        x = gb.tensor(make(*batch, size, size), dtype=dtype)

        with gb.leaks.no_leaks():
            result = back(x)
            close(result, x, dtype)
            assert result.dtype == dtype
            del result

    @pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 5, 3), (2, 3, 5), (4, 0), (0, 4)])
    @pytest.mark.parametrize("back", OF_ANY)
    def test_bring_matrices_of_two_sides_back(self, back, shape):
        x = gb.tensor(matrices(*shape))

        close(back(x), x)

    @pytest.mark.parametrize("back", [*OF_POSITIVE, *OF_SQUARE, *OF_ANY])
    def test_read_strided_matrices(self, back):
        make = positive if back in OF_POSITIVE else matrices
        wide = np.zeros((6, 8, 3))
        wide[1:5, ::2] = np.moveaxis(make(3, 4, 4), 0, -1)
        x = gb.tensor(wide)[1:5, ::2].permute(2, 0, 1)

        close(back(x), x)

    def test_of_large_matrices_agree_with_numpy(self):
        x, y = positive(150, 150), matrices(150, 90)

        close(la.cholesky(gb.tensor(x)), np.linalg.cholesky(x))
        close(la.eigvalsh(gb.tensor(x)), np.linalg.eigvalsh(x))
        close(la.svdvals(gb.tensor(y)), np.linalg.svd(y, compute_uv=False))
        close(by_svd(gb.tensor(y)), y)
        close(by_qr(gb.tensor(y)), y)
        close(la.solve(gb.tensor(x), gb.tensor(y)), np.linalg.solve(x, y))

    def test_are_orthogonal_where_they_say_so(self):
        x = gb.tensor(matrices(2, 5, 3))

        for vectors in (la.svd(x).U, la.svd(x).Vh, la.qr(x, "complete").Q):
            close(vectors.mT @ vectors, np.broadcast_to(np.eye(vectors.shape[-1]), vectors.shape))

    def test_read_one_triangle_alone(self):
        x = positive(4, 4)
        lower, upper = np.tril(x), np.triu(x)

        close(la.cholesky(gb.tensor(lower)), np.linalg.cholesky(x))
        close(la.cholesky(gb.tensor(upper), upper=True), np.linalg.cholesky(x).T)
        close(la.eigvalsh(gb.tensor(lower)), np.linalg.eigvalsh(x))
        close(la.eigvalsh(gb.tensor(upper), "u"), np.linalg.eigvalsh(x))
        upper[3, 0] = np.nan
        close(la.eigvalsh(gb.tensor(upper), "U"), np.linalg.eigvalsh(x))


def weighing(function: Callable[[gb.Tensor], gb.Tensor]) -> Callable[[gb.Tensor], gb.Tensor]:
    return lambda x: function(even(x))


def signless(vectors: gb.Tensor) -> gb.Tensor:
    """Return what does not depend on the sign of columns."""
    return vectors.unsqueeze(-1) * vectors.unsqueeze(-2)


GRADIENTS: dict[str, tuple[Callable[..., Any], list[np.ndarray]]] = {
    "cholesky": (weighing(la.cholesky), [positive(3, 3)]),
    "cholesky upper": (lambda x: la.cholesky(even(x), upper=True), [positive(2, 2, 2)]),
    "solve": (la.solve, [matrices(3, 3), matrices(3, 2, seed=2)]),
    "solve a vector": (la.solve, [matrices(2, 2, 2), matrices(2, seed=2)]),
    "solve broadcast": (la.solve, [matrices(2, 1, 2, 2), matrices(3, 2, 2, seed=2)]),
    "solve from the right": (
        lambda a, b: la.solve(a, b, left=False),
        [matrices(3, 3), matrices(2, 3, seed=2)],
    ),
    "solve_triangular": (
        lambda a, b: la.solve_triangular(a, b, upper=False),
        [matrices(3, 3) + 3 * np.eye(3), matrices(2, 3, 2, seed=2)],
    ),
    "solve_triangular right": (
        lambda a, b: la.solve_triangular(a, b, upper=True, left=False, unitriangular=True),
        [matrices(3, 3), matrices(2, 3, seed=2)],
    ),
    "lu_solve": (
        lambda a, b: la.lu_solve(*la.lu_factor(a), b, adjoint=True),
        [matrices(3, 3), matrices(3, 2, seed=2)],
    ),
    "inv": (la.inv, [matrices(2, 2, 2)]),
    "det": (la.det, [matrices(2, 3, 3)]),
    "slogdet": (lambda x: la.slogdet(x).logabsdet, [matrices(3, 3)]),
    "logdet": (gb.logdet, [positive(3, 3)]),
    "lu_factor": (lambda x: la.lu_factor(x).LU, [matrices(3, 3)]),
    "lu tall": (lambda x: la.lu(x)[1:], [matrices(4, 2)]),
    "lu wide": (lambda x: la.lu(x)[1:], [matrices(2, 2, 3)]),
    "qr": (la.qr, [matrices(3, 3)]),
    "qr tall": (la.qr, [matrices(4, 2)]),
    "qr wide": (la.qr, [matrices(2, 2, 3)]),
    "qr's r": (lambda x: la.qr(x).R, [matrices(2, 4)]),
    "eigh": (weighing(lambda x: signless(la.eigh(x).eigenvectors)), [positive(3, 3)]),
    "eigvalsh": (weighing(la.eigvalsh), [positive(3, 3)]),
    "svd": (lambda x: (signless(la.svd(x).U), la.svd(x).S), [matrices(3, 3)]),
    "svd tall": (lambda x: signless(la.svd(x, False).U), [matrices(4, 2)]),
    "svd wide": (lambda x: signless(la.svd(x, False).Vh.mT), [matrices(2, 4)]),
    "svd both": (by_svd, [matrices(3, 2)]),
    "svdvals": (la.svdvals, [matrices(2, 3)]),
    "pinv tall": (la.pinv, [matrices(3, 2)]),
    "pinv wide": (la.pinv, [matrices(2, 3)]),
    "lstsq": (
        lambda a, b: la.lstsq(a, b, driver="gels")[:2],
        [matrices(4, 2), matrices(4, 1, seed=2)],
    ),
    "cond": (la.cond, [matrices(3, 3)]),
    "nuclear norm": (lambda x: la.matrix_norm(x, "nuc"), [matrices(2, 3)]),
    "matrix_exp": (la.matrix_exp, [matrices(2, 2)]),
    "matrix_power": (lambda x: la.matrix_power(x, -3), [matrices(2, 2)]),
    "multi_dot": (
        lambda a, b, c: la.multi_dot([a, b, c]),
        [matrices(2, 3), matrices(3, 2), matrices(2)],
    ),
    "cholesky_solve": (
        lambda b, factor: gb.cholesky_solve(b, factor.tril()),
        [matrices(3, 2), matrices(3, 3) + 3 * np.eye(3)],
    ),
}


class TestGradients:
    @pytest.mark.parametrize("name", GRADIENTS)
    def test_are_those_of_finite_differences(self, name):
        function, given = GRADIENTS[name]

        check_first_order(function, given)

    @pytest.mark.parametrize("name", GRADIENTS)
    def test_have_gradients(self, name):
        function, given = GRADIENTS[name]

        check_second_order(function, given)

    @pytest.mark.parametrize("name", GRADIENTS)
    def test_leave_nothing_behind(self, name):
        function, given = GRADIENTS[name]

        with gb.leaks.no_leaks():
            leaves = [gb.tensor(it, requires_grad=True) for it in given]
            result = function(*leaves)
            total = sum(it.sum() for it in (result if isinstance(result, tuple) else (result,)))
            first = gb.autograd.grad(total, leaves, create_graph=True)
            sum(it.square().sum() for it in first).backward()
            del leaves, result, total, first

    def test_of_det_hold_for_singular_matrices(self):
        x = gb.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=gb.float64, requires_grad=True)

        la.det(x).backward()

        close(x.grad, [[4, -2], [-2, 1]])

    def test_of_a_q_that_is_more_than_the_matrix_are_refused(self):
        x = gb.ones(3, 2, requires_grad=True)

        with pytest.raises(gb.GradientError, match=r"^linalg.qr: no gradient of mode 'complete'"):
            la.qr(x, "complete").Q.sum().backward()
        with pytest.raises(gb.GradientError, match=r"^linalg.qr: no gradient of mode 'r'"):
            la.qr(x, "r").R.sum().backward()


class TestSolutions:
    @pytest.mark.parametrize(
        ("a", "b"),
        [
            ((3, 3), (3,)),
            ((3, 3), (3, 2)),
            ((2, 3, 3), (2, 3)),
            ((2, 3, 3), (3,)),
            ((2, 1, 3, 3), (4, 3, 2)),
            ((3, 3), (5, 3, 2)),
            ((0, 3, 3), (3, 2)),
            ((0, 0), (0, 2)),
        ],
    )
    @pytest.mark.parametrize("dtype", FLOATS)
    def test_solve(self, a, b, dtype):
        x, y = gb.tensor(matrices(*a), dtype=dtype), gb.tensor(matrices(*b), dtype=dtype)

        found = la.solve(x, y)

        is_vector = len(b) == 1 or b == a[:-1]
        met = (x @ found.unsqueeze(-1)).squeeze(-1) if is_vector else x @ found
        close(met, np.broadcast_to(y.numpy(), met.shape), dtype)

    @pytest.mark.parametrize("size", [2, 3, 8, 9])  # those to 8 are no matter for LAPACK
    def test_of_every_side_and_order_agree_with_numpy(self, size):
        for x in (matrices(5, size, size), matrices(5, size, size) * 1j + matrices(size, 1)):
            x[1], y = np.eye(size)[::-1], matrices(5, size, 3).astype(x.dtype)
            factors = la.lu_factor(gb.tensor(x))
            for adjoint in (False, True):
                a = np.conj(np.swapaxes(x, 1, 2)) if adjoint else x
                close(la.lu_solve(*factors, gb.tensor(y), adjoint=adjoint), np.linalg.solve(a, y))
                close(la.inv(gb.tensor(a)), np.linalg.inv(a))
                close(la.det(gb.tensor(a)), np.linalg.det(a))

    def test_det_and_slogdet_agree_with_numpy(self):
        x = matrices(4, 5, 5)
        x[1] = np.eye(5)[[1, 0, 2, 3, 4]]
        x[2, 0] = x[2, 1]

        sign, logarithm = la.slogdet(gb.tensor(x))

        close(la.det(gb.tensor(x)), np.linalg.det(x))
        close(sign * logarithm.exp(), np.linalg.det(x))
        assert gb.logdet(gb.tensor(x))[1].isnan().item()
        assert gb.det(gb.ones(0, 0)).item() == 1

    def test_pinv_rank_and_cond_agree_with_numpy(self):
        x = matrices(4, 3)
        flat = np.outer(x[:, 0], [1, 2, 3])

        for given in (x, x.T, flat):
            close(la.pinv(gb.tensor(given)), np.linalg.pinv(given))
            assert la.matrix_rank(gb.tensor(given)).item() == np.linalg.matrix_rank(given)
        close(la.pinv(gb.tensor(positive(3, 3)), hermitian=True), np.linalg.inv(positive(3, 3)))
        assert la.matrix_rank(gb.diag(gb.tensor([1.0, 0.1])), atol=0.5).item() == 1
        square = matrices(3, 3)
        for p in (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf):
            if p == "nuc":
                expected = np.linalg.norm(square, p) * np.linalg.norm(np.linalg.inv(square), p)
            else:
                expected = np.linalg.cond(square, p)
            close(la.cond(gb.tensor(square), p), expected)
        assert la.cond(gb.ones(2, 2), 1).item() == float("inf")

    def test_lstsq_tells_what_its_driver_does(self):
        a, b = matrices(5, 3), matrices(5, 2, seed=2)
        solution, residuals, rank, values = np.linalg.lstsq(a, b, rcond=None)

        found = la.lstsq(gb.tensor(a), gb.tensor(b), driver="gelsd")

        close(found.solution, solution)
        close(found.residuals, residuals)
        close(found.singular_values, values)
        assert found.rank.item() == rank
        assert la.lstsq(gb.tensor(a), gb.tensor(b)).singular_values.shape == (0,)
        assert la.lstsq(gb.tensor(a.T), gb.tensor(b[:3])).residuals.shape == (0,)

    def test_matrix_exp_agrees_with_its_series(self):
        x = matrices(3, 3)
        scaled = x / 64
        series = sum(
            np.linalg.matrix_power(scaled, k) / float(np.prod(range(1, k + 1), dtype=float))
            for k in range(20)
        )

        close(la.matrix_exp(gb.tensor(x)), np.linalg.matrix_power(series, 64))
        close(la.matrix_exp(gb.tensor(20 * np.diag([1.0, 0.5]))), np.diag(np.exp([20.0, 10.0])))

    def test_older_names_are_functions_and_methods(self):
        x = gb.tensor(positive(3, 3))
        factor = x.cholesky()
        one = gb.eye(3, dtype=gb.float64)

        close(gb.cholesky_solve(one, factor), x.inverse())
        close(factor.cholesky_inverse(), gb.inverse(x))
        close(gb.cholesky_inverse(factor.mT, upper=True), x.pinverse())
        close(gb.triangular_solve(one, factor, upper=False).solution, factor.inverse())
        close(one.triangular_solve(factor, False, True)[0], factor.mT.inverse())
        close(x.qr().Q @ x.qr().R, x)
        close(x.matrix_power(3), x @ x @ x)
        close(x.matrix_exp(), la.matrix_exp(x))
        close(x.slogdet().logabsdet, x.logdet())
        close(x.det(), gb.det(x))
        assert gb.svd(x, compute_uv=False).U.shape == (3, 3)
        close(gb.chain_matmul(x, x, x), x @ x @ x)


class TestNorms:
    @pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf])
    @pytest.mark.parametrize("keepdim", [False, True])
    def test_of_matrices_agree_with_numpy(self, order, keepdim):
        x = matrices(2, 3, 4)

        for dims in ((-2, -1), (2, 0)):
            expected = np.linalg.norm(x, order, axis=dims, keepdims=keepdim)
            close(la.matrix_norm(gb.tensor(x), order, dims, keepdim), expected)
            close(la.norm(gb.tensor(x), order, dims, keepdim), expected)

    @pytest.mark.parametrize("order", [0, 0.5, 1, 2, 3, np.inf, -np.inf])
    def test_of_vectors_agree_with_numpy(self, order):
        x = matrices(3, 4)

        close(la.vector_norm(gb.tensor(x), order, 1), np.linalg.norm(x, order, axis=1))
        close(la.vector_norm(gb.tensor(x), order), np.linalg.norm(x.ravel(), order))
        close(la.norm(gb.tensor(x), order, 0), np.linalg.norm(x, order, axis=0))

    def test_without_an_order_take_all_elements(self):
        x = matrices(2, 3, 4)

        close(la.norm(gb.tensor(x)), np.linalg.norm(x))
        close(la.norm(gb.tensor(x), dim=(0, 2)), np.sqrt((x**2).sum((0, 2))))

    def test_refuse_what_is_none(self):
        with pytest.raises(ValueError, match=r"^linalg.matrix_norm: ord 3"):
            la.matrix_norm(gb.ones(2, 2), 3)
        with pytest.raises(gb.ShapeError, match=r"^linalg.matrix_norm: dims \[0, 0\]"):
            la.matrix_norm(gb.ones(2, 2), 1, (0, 0))
        with pytest.raises(gb.ShapeError, match=r"^linalg.norm: sizes"):
            la.norm(gb.ones(2, 2, 2), 2)


class TestProducts:
    def test_multi_dot_takes_vectors_at_the_ends(self):
        chain = [matrices(4), matrices(4, 5), matrices(5, 2), matrices(2)]

        close(la.multi_dot([gb.tensor(it) for it in chain]), np.linalg.multi_dot(chain))
        with pytest.raises(gb.ShapeError, match=r"^linalg.multi_dot: 1 tensors"):
            la.multi_dot([gb.ones(2, 2)])
        with pytest.raises(gb.ShapeError, match=r"^linalg.multi_dot: sizes .* at 0"):
            la.multi_dot([gb.ones(2, 2), gb.ones(3, 2)])

    def test_vecdot_cross_vander_and_diagonal(self):
        a, b = matrices(2, 3), matrices(2, 3, seed=2)

        close(la.vecdot(gb.tensor(a), gb.tensor(b)), (a * b).sum(-1))
        close(la.cross(gb.tensor(a), gb.tensor(b)), np.cross(a, b))
        close(la.vander(gb.tensor(a)), a[..., None] ** np.arange(3))
        close(la.diagonal(gb.tensor(a)), np.diagonal(a))
        close(la.vander(gb.tensor(3.0), N=2), np.array([[1.0, 3.0]]))

    def test_power_0_is_one_whose_gradient_is_0(self):
        x = gb.tensor([[[2.0, math.nan], [1.0, 3.0]]], requires_grad=True)

        found = la.matrix_power(x, 0)
        found.sum().backward()

        close(found.detach(), np.eye(2)[None])
        close(x.grad, np.zeros((1, 2, 2)))

    @pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0)])
    @pytest.mark.parametrize("order", ["nuc", "fro", 1, 2, math.inf])
    def test_the_norm_of_an_empty_matrix_is_0(self, sizes, order):
        assert la.norm(gb.ones(sizes), order).item() == 0


SINGULAR = np.array([np.eye(2), np.ones((2, 2)), np.eye(2)])
INDEFINITE = np.array([[np.eye(2)], [-np.eye(2)]])


class TestRefusals:
    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: la.inv(gb.tensor(SINGULAR)), r"^linalg.inv: matrix \[1\] of the batch is sin"),
            (
                lambda: la.solve(gb.zeros(2, 2), gb.ones(2)),
                r"^linalg.solve: the matrix is singular",
            ),
            (lambda: la.lu_factor(gb.zeros(2, 2)), r"^linalg.lu_factor: the matrix is singular"),
            (lambda: la.cholesky(gb.tensor(INDEFINITE)), r"^linalg.cholesky: matrix \[1, 0\] of"),
            (lambda: la.cholesky(gb.full((2, 2), float("nan"))), r"^linalg.cholesky: the matrix"),
            (lambda: la.eigh(gb.full((2, 2), float("nan"))), r"^linalg.eigh: .* not finite"),
            (lambda: la.svd(gb.full((3, 2), float("inf"))), r"^linalg.svd: .* not finite"),
            (lambda: la.pinv(gb.full((3, 2), float("nan"))), r"^linalg.pinv: .* not finite"),
        ],
    )
    def test_name_the_matrix_that_is_to_blame(self, call, message):
        with gb.leaks.no_leaks(), pytest.raises(gb.LinAlgError, match=message):
            call()

    def test_writes_the_factor_and_what_it_tells_where_they_are_wanted(self, no_leaks):
        out = gb.empty(2, 2), gb.empty((), dtype=gb.int32)

        factor, info = la.cholesky_ex(gb.eye(2) * 4, out=out)

        assert factor is out[0]
        assert info is out[1]
        assert (factor.tolist(), info.item()) == ([[2, 0], [0, 2]], 0)
        with pytest.raises(TypeError, match=r"^linalg.cholesky_ex: out .*; a tuple is needed"):
            la.cholesky_ex(gb.eye(2), out=out[0])

    def test_are_told_by_infos_where_those_are_asked_for(self):
        assert la.inv_ex(gb.tensor(SINGULAR)).info.tolist() == [0, 2, 0]
        assert la.cholesky_ex(gb.tensor(INDEFINITE)).info.tolist() == [[0], [1]]
        assert la.lu_factor_ex(gb.zeros(2, 2)).info.item() == 1
        assert la.solve_ex(gb.tensor(SINGULAR), gb.ones(2).double()).info.tolist() == [0, 2, 0]
        with pytest.raises(la.LinAlgError, match=r"^linalg.inv_ex: "):
            la.inv_ex(gb.zeros(2, 2), check_errors=True)

    @pytest.mark.parametrize(
        "function",
        [
            *(la.cholesky, la.inv, la.det, la.slogdet, la.lu, la.qr, la.eigh, la.svd, la.pinv),
            *(la.matrix_rank, la.svdvals, la.eigvalsh, la.lu_factor, la.cond),
        ],
    )
    def test_of_dtypes_and_dims(self, function):
        before = gb.memory.live()

        for dtype in (gb.int64, gb.bool, gb.float16):
            with pytest.raises(gb.DTypeError, match=r"^linalg.*; float32, float64 or complex is"):
                function(gb.ones(2, 2).to(dtype))
        for sizes in ((), (3,)):
            with pytest.raises(gb.ShapeError, match=r"^linalg"):
                function(gb.ones(sizes))
        with pytest.raises(TypeError, match=r"^linalg"):
            function([[1.0]])

        assert gb.memory.live() == before

    @pytest.mark.parametrize("function", [la.cholesky, la.inv, la.det, la.slogdet, la.eigh])
    def test_of_sides_that_differ(self, function):
        with pytest.raises(gb.ShapeError, match=r"; square ones are needed"):
            function(gb.ones(2, 3))

    def test_of_right_sides_that_do_not_fit(self):
        with pytest.raises(gb.ShapeError, match=r"^linalg.solve: "):
            la.solve(gb.eye(2), gb.ones(3))
        with pytest.raises(gb.DTypeError, match=r"^linalg.solve: dtypes"):
            la.solve(gb.eye(2), gb.ones(2).double())
        with pytest.raises(gb.ShapeError, match=r"^linalg.solve_triangular: "):
            la.solve_triangular(gb.eye(2), gb.ones(3, 1), upper=True)
        with pytest.raises(gb.ShapeError, match=r"^linalg.lstsq: "):
            la.lstsq(gb.ones(3, 2), gb.ones(2, 2))


def test_an_out_of_memory_on_the_way_leaves_nothing():
    x = gb.tensor(matrices(64, 64), requires_grad=True)
    before = gb.memory.live()

    for limit in (1 << 10, 40_000, 70_000, 100_000, 140_000, 200_000):
        for function in (la.svd, la.qr, la.inv, la.det, la.lu_factor):
            try:
                with gb.dispose_scope(limit=limit):
                    function(x)
            except gb.OutOfMemoryError:
                pass
            assert gb.memory.live() == before


def test_threads_do_not_change_results():
    x = gb.tensor(matrices(9, 40, 40))
    results = []

    threads = gb.get_num_threads()
    for count in (1, 2):
        gb.set_num_threads(count)
        results.append([it.tolist() for it in (*la.svd(x), *la.qr(x), la.inv(x), la.det(x))])
    gb.set_num_threads(threads)

    assert results[0] == results[1]


class TestTensorEquations:
    def test_solutions_and_inverses_are_numpys(self):
        rng = np.random.default_rng(0)
        a, b = rng.normal(size=(2, 3, 6)), rng.normal(size=(2, 3))

        found = gb.linalg.tensorsolve(gb.tensor(a), gb.tensor(b))

        assert np.allclose(found.numpy(), np.linalg.tensorsolve(a, b))
        turned = np.moveaxis(a, 2, 0)
        assert np.allclose(
            gb.linalg.tensorsolve(gb.tensor(turned), gb.tensor(b), dims=(0,)).numpy(),
            np.linalg.tensorsolve(turned, b, axes=(0,)),
        )
        inverse = gb.linalg.tensorinv(gb.tensor(a))
        assert np.allclose(inverse.numpy(), np.linalg.tensorinv(a))
        assert np.allclose(gb.linalg.tensorinv(gb.tensor(turned), 1).shape, (2, 3, 6))

    @pytest.mark.parametrize(
        ("call", "error", "match"),
        [
            (lambda a: gb.linalg.tensorsolve(a, gb.ones(3)), gb.ShapeError, "as many elements"),
            (lambda a: gb.linalg.tensorsolve(a, a, (9,)), gb.IndexOutOfRangeError, "dim 9"),
            (lambda a: gb.linalg.tensorsolve(a, a, (0, -3)), gb.ShapeError, "at most once"),
            (lambda a: gb.linalg.tensorinv(a, 1), gb.ShapeError, "as many elements"),
            (lambda a: gb.linalg.tensorinv(a, 0), ValueError, "ind"),
            (lambda a: gb.linalg.tensorinv([1.0]), TypeError, "A"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, call, error, match):
        with pytest.raises(error, match=match):
            call(gb.ones(2, 3, 6))
