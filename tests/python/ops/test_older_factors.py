"""PyTorch's older names for factors of matrices."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def matrices(*sizes: int) -> gb.Tensor:
    return gb.rand(*sizes, dtype=gb.float64) - 0.5


class TestFactors:
    @pytest.mark.parametrize("sizes", [(3, 3), (2, 4, 3), (2, 1, 3, 4), (0, 2, 2)])
    def test_are_unpacked_into_what_gives_the_matrix(self, sizes):
        a = matrices(*sizes)

        p, lower, upper = gb.lu_unpack(*gb.lu(a))

        gb.testing.assert_close(p @ lower @ upper, a)
        for found, expected in zip((p, lower, upper), gb.linalg.lu(a), strict=True):
            gb.testing.assert_close(found, expected)

    def test_are_those_of_the_newer_names(self):
        a = matrices(2, 3, 3)

        for found, expected in (
            (a.lu(), gb.linalg.lu_factor(a)),
            (gb.lu(a, get_infos=True), gb.linalg.lu_factor_ex(a)),
        ):
            gb.testing.assert_close(list(found), list(expected))
            assert type(found) is type(expected)

    def test_solve_systems(self):
        a, b = matrices(2, 3, 3), matrices(2, 3, 2)

        x = b.lu_solve(*a.lu())

        gb.testing.assert_close(a @ x, b)
        out = gb.empty(2, 3, 2, dtype=gb.float64)
        assert gb.lu_solve(b, *a.lu(), out=out) is out
        gb.testing.assert_close(out, x)

    def test_are_unpacked_in_part(self):
        factors = gb.lu(matrices(3, 3))

        without_data = gb.lu_unpack(*factors, unpack_data=False)
        without_pivots = gb.lu_unpack(*factors, unpack_pivots=False)

        assert [it.shape for it in without_data] == [(3, 3), (0,), (0,)]
        assert [it.shape for it in without_pivots] == [(0,), (3, 3), (3, 3)]

    def test_pass_gradients(self):
        a = matrices(3, 3).requires_grad_()

        p, lower, upper = gb.lu_unpack(*gb.lu(a))
        (p @ lower @ upper).square().sum().backward()

        gb.testing.assert_close(a.grad, 2 * a.detach())

    def test_of_singular_matrices_are_told(self):
        assert gb.zeros(2, 2).lu(get_infos=True).info.item() == 1
        with pytest.raises(gb.LinAlgError):
            gb.lu(gb.zeros(2, 2))

    def test_refuse_what_does_not_fit(self):
        factors, pivots = gb.lu(matrices(3, 3))

        with pytest.raises(gb.ShapeError, match=r"lu_unpack: LU_pivots of sizes \[2\]"):
            gb.lu_unpack(factors, pivots[:2])
        with pytest.raises(gb.ShapeError, match="lu_unpack: LU_data of 1 dims"):
            gb.lu_unpack(factors[0], pivots)
        with pytest.raises(IndexError, match="lu_unpack: LU_pivots beyond the 3 rows"):
            gb.lu_unpack(factors, pivots + 7)
        with pytest.raises(gb.DTypeError):
            gb.lu_unpack(factors, pivots.double())
        with pytest.raises(TypeError, match="lu_unpack: LU_pivots is of type list"):
            gb.lu_unpack(factors, [1, 2, 3])
        with pytest.raises(TypeError, match="lu_unpack: unpack_data is of type str"):
            gb.lu_unpack(factors, pivots, "no")
        with pytest.raises(TypeError, match="lu: A is of type int"):
            gb.lu(3)
        with pytest.raises(TypeError, match="lu: get_infos is of type int"):
            gb.lu(factors, get_infos=3)
        with pytest.raises(ValueError, match="pivot False"):
            gb.lu(factors, pivot=False)
        with pytest.raises(TypeError, match="lu_solve: LU_data is of type NoneType"):
            gb.lu_solve(factors, None, pivots)


@pytest.mark.parametrize("dtype", [gb.float64, gb.complex128])
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky_solve_has_the_gradient_of_the_product_of_whole_matrices(dtype, upper):
    gb.manual_seed(0)
    lower = (gb.rand(3, 3, dtype=dtype) + 3 * gb.eye(3, dtype=dtype)).tril().requires_grad_()
    b = gb.rand(2, 3, 2, dtype=dtype)
    factor = lower.mH if upper else lower

    x = gb.cholesky_solve(b, factor, upper)
    y = gb.linalg.solve(factor.mH @ factor if upper else factor @ factor.mH, b)

    gb.testing.assert_close(x, y)
    first = [gb.autograd.grad((it * it).abs().sum(), lower, create_graph=True)[0] for it in (x, y)]
    gb.testing.assert_close(*first)
    assert first[0][0, 2].abs().item() > 0
    gb.testing.assert_close(*(gb.autograd.grad(it.abs().sum(), lower)[0] for it in first))


@pytest.mark.parametrize("sizes", [(4, 6), (1, 4, 6), (5, 1, 3, 4, 6)])
def test_lu_solve_takes_fewer_dims_than_the_factors_have(sizes):
    gb.manual_seed(0)
    given = matrices(1, 2, 3, 4, 4) + 2 * gb.eye(4, dtype=gb.float64)
    b = matrices(*sizes)
    factors, pivots = gb.linalg.lu_factor(given)

    gb.testing.assert_close(gb.lu_solve(b, factors, pivots), gb.linalg.solve(given, b))
    gb.testing.assert_close(
        gb.linalg.lu_solve(factors, pivots, b, adjoint=True), gb.linalg.solve(given.mH, b)
    )
    gb.testing.assert_close(
        gb.linalg.lu_solve(factors, pivots, b.mT, left=False), gb.linalg.solve(given.mT, b).mT
    )
