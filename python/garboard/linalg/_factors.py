# ruff: noqa: N803 -- PyTorch's names of arguments
"""Factors of matrices: Cholesky, LU, QR, singular values."""

from __future__ import annotations

from typing import Literal, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.classes import classed
from garboard._arguments.errors import ArgumentError
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import Tensor

__all__ = [
    "LU",
    "QR",
    "SVD",
    "CholeskyEx",
    "LUFactor",
    "LUFactorEx",
    "cholesky",
    "cholesky_ex",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "qr",
    "svd",
    "svdvals",
]


@shown_as("linalg_cholesky_ex")
class CholeskyEx(NamedTuple):
    """What `cholesky_ex` returns."""

    L: Tensor
    info: Tensor


@shown_as("linalg_lu_factor")
class LUFactor(NamedTuple):
    """What `lu_factor` returns."""

    LU: Tensor
    pivots: Tensor


@shown_as("linalg_lu_factor_ex")
class LUFactorEx(NamedTuple):
    """What `lu_factor_ex` returns."""

    LU: Tensor
    pivots: Tensor
    info: Tensor


@shown_as("linalg_lu")
class LU(NamedTuple):
    """What `lu` returns."""

    P: Tensor
    L: Tensor
    U: Tensor


@shown_as("linalg_qr")
class QR(NamedTuple):
    """What `qr` returns."""

    Q: Tensor
    R: Tensor


@shown_as("linalg_svd")
class SVD(NamedTuple):
    """What `svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def cholesky(A: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """Return the triangle L of a Hermitian positive definite A = L L^H.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex, of which one triangle is read.
        upper: True returns U of A = U^H U, and reads the upper triangle.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same sizes, 0 beyond the triangle. Until backward the graph keeps it.

    Raises:
        LinAlgError: A matrix is not positive definite.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.cholesky(gb.tensor([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    op = "linalg.cholesky"
    check.tensor(op, "A", A)
    return written(
        op, _engine._linalg_cholesky(A, check.flag(op, "upper", upper), True, op)[0], out
    )


def cholesky_ex(
    A: Tensor,
    *,
    upper: bool = False,
    check_errors: bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> CholeskyEx:
    """Factorize as `cholesky` does, and tell of what is not positive definite.

    Args:
        A: As for `cholesky`.
        upper: Likewise.
        check_errors: True raises as `cholesky` does.
        out: Where to write both, and what is returned then; the second is of integers.

    Returns:
        A pair `L`, `info`: the second int32 and of the sizes of the batch: 0, or the order of the
        minor that is not positive, where the first says nothing.

    Raises:
        LinAlgError: A matrix is not positive definite, and `check_errors`.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.cholesky_ex(gb.zeros(2, 2)).info
    tensor(1, dtype=garboard.int32)
    """
    op = "linalg.cholesky_ex"
    check.tensor(op, "A", A)
    checks = check.flag(op, "check_errors", check_errors)
    found, info = _engine._linalg_cholesky(A, check.flag(op, "upper", upper), checks, op)
    if out is None:
        return CholeskyEx(found, info)
    to_found, to_info = check.of_type(tuple, op, "out", out)
    return CholeskyEx(written(op, found, to_found), written(op, info, to_info))


def lu_factor(A: Tensor, *, pivot: bool = True) -> LUFactor:
    """Factorize A = P L U, both triangles in one tensor.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        pivot: True; a device that needs no pivots is not there.

    Returns:
        A pair `LU`, `pivots`: U from the diagonal on and L below it, whose diagonal is 1; and int32
        [..., min(m, n)], the row, from 1, that each row was swapped with. Until backward the graph
        keeps both.

    Raises:
        LinAlgError: A matrix is singular.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: `pivot` is False.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.lu_factor(gb.tensor([[0.0, 1.0], [2.0, 0.0]])).pivots.tolist()
    [2, 2]
    """
    found = _factored(A, pivot, True, "linalg.lu_factor")
    return LUFactor(found.LU, found.pivots)


def lu_factor_ex(
    A: Tensor,
    *,
    pivot: bool = True,
    check_errors: bool = False,
) -> LUFactorEx:
    """Factorize as `lu_factor` does, and tell of singular matrices instead of raising.

    Args:
        A: As for `lu_factor`.
        pivot: Likewise.
        check_errors: True raises as `lu_factor` does.

    Returns:
        `LU`, `pivots` and `info`, int32 and of the sizes of the batch: 0, or the place from 1 on
        the diagonal of U that is 0.

    Raises:
        LinAlgError: A matrix is singular, and `check_errors`.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: `pivot` is False.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.lu_factor_ex(gb.zeros(2, 2)).info
    tensor(1, dtype=garboard.int32)
    """
    op = "linalg.lu_factor_ex"
    return _factored(A, pivot, check.flag(op, "check_errors", check_errors), op)


def _factored(a: Tensor, pivot: bool, checks: bool, op: str) -> LUFactorEx:
    check.tensor(op, "A", a)
    if not check.flag(op, "pivot", pivot):
        raise ArgumentError(f"{op}: pivot False; the CPU's factorization has pivots, leave it True")
    return LUFactorEx(*_engine._linalg_lu(a, checks, op))


def lu(A: Tensor, *, pivot: bool = True) -> LU:
    """Factorize A = P L U into a permutation and two triangles.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        pivot: True; a device that needs no pivots is not there.

    Returns:
        `P` [..., m, m], `L` [..., m, k] with ones on its diagonal, `U` [..., k, n], where k is the
        shorter side. Until backward the graph keeps both triangles in one tensor.

    Raises:
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: `pivot` is False.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.lu(gb.tensor([[0.0, 1.0], [2.0, 0.0]])).P.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    op = "linalg.lu"
    both, pivots, _ = _factored(A, pivot, False, op)
    return LU(permutation_of(both, pivots, op), *triangles_of(both))


def permutation_of(both: Tensor, pivots: Tensor, op: str) -> Tensor:
    """Return the permutation that the pivots of a factorization stand for."""
    rows = both.shape[-2]
    places = _engine._linalg_lu_places(pivots, rows, op)
    one = _engine.eye(rows, dtype=both.dtype, device=both.device)
    return classed(one[places].transpose(-2, -1), both)


def triangles_of(both: Tensor) -> tuple[Tensor, Tensor]:
    """Return the two triangles that a factorization has in one tensor."""
    rows, columns = both.shape[-2:]
    short = min(rows, columns)
    one = _engine.eye(rows, short, dtype=both.dtype, device=both.device)
    return both[..., :short].tril(-1) + one, both[..., :short, :].triu()


def lu_solve(
    LU: Tensor,
    pivots: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve A X = B with the factors that `lu_factor` found of A.

    Args:
        LU: Tensor [..., n, n], float32, float64 or complex.
        pivots: Tensor [..., n], int32.
        B: Tensor [..., n, k] of the same dtype.
        left: False solves X A = B, for `B` [..., k, n].
        adjoint: True solves with A^H instead, which is A^T of real numbers.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes of `B`, its batch broadcast. Until backward the graph keeps the
        factors and the solutions of both triangles.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> LU, pivots = gb.linalg.lu_factor(gb.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> gb.linalg.lu_solve(LU, pivots, gb.tensor([[2.0], [2.0]])).tolist()
    [[1.0], [0.5]]
    """
    op = "linalg.lu_solve"
    check.tensor(op, "LU", LU)
    check.tensor(op, "pivots", pivots)
    check.tensor(op, "B", B)
    is_turned = check.flag(op, "adjoint", adjoint)
    if not check.flag(op, "left", left):
        found = lu_solve(LU, pivots, B.mH, adjoint=not is_turned)
        return written(op, found.mH, out)
    solve = _engine._linalg_solve_triangular
    places = _engine._linalg_lu_places(pivots, LU.shape[-1] if LU.ndim else 0, op)
    if is_turned:
        turned = LU.mH
        found = solve(turned, B, False, True, False, op)
        found = solve(turned, found, True, True, True, op)
        return written(op, _rows_taken(found, places.argsort(-1)), out)
    found = solve(LU, _rows_taken(B, places), False, True, True, op)
    return written(op, solve(LU, found, True, True, False, op), out)


def _rows_taken(x: Tensor, places: Tensor) -> Tensor:
    """Return rows of matrices in another order, batches broadcast."""
    if places.ndim == 1:
        return x.index_select(-2, places)
    if x.ndim <= places.ndim:  # broadcast among the matrices
        x = x.reshape(*[1] * (places.ndim + 1 - x.ndim), *x.shape)
    return x.take_along_dim(places.unsqueeze(-1), -2)


def qr(A: Tensor, mode: Literal["reduced", "complete", "r"] = "reduced") -> QR:
    """Factorize A = Q R into orthogonal columns and an upper triangle.

    By Householder's reflections; the diagonal of R may be negative.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        mode: "reduced" for `Q` of the shorter side's columns, "complete" for m, "r" for none.

    Returns:
        A pair `Q` [..., m, k], `R` [..., k, n]; `Q` is of size 0 for "r". Until backward the graph
        keeps `A` and both. There is no gradient of "r", nor of "complete" where m > n.

    Raises:
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: Another mode.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.qr(gb.tensor([[3.0], [4.0]])).R.abs()
    tensor([[5.]])
    """
    op = "linalg.qr"
    check.tensor(op, "A", A)
    return QR(
        *_engine._linalg_qr(A, check.choice(op, "mode", mode, "reduced", "complete", "r"), op)
    )


def svd(A: Tensor, full_matrices: bool = True) -> SVD:
    """Factorize A = U diag(S) Vh into singular vectors and values, by divide and conquer.

    Values are real. Vectors are determined up to their sign or, of complex numbers, a factor of
    length 1, and of equal values up to a rotation, where the
    gradient of the vectors is not finite.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        full_matrices: False returns as many vectors as there are values.

    Returns:
        `U` [..., m, m], `S` [..., k], descending, where k is the shorter side, `Vh` [..., n, n]; or
        `U` [..., m, k] and `Vh` [..., k, n]. Until backward the graph keeps `A` and all of them.
        Vectors beyond the first k have no gradient.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.svd(gb.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])
    """
    op = "linalg.svd"
    check.tensor(op, "A", A)
    full = check.flag(op, "full_matrices", full_matrices)
    return SVD(*_engine._linalg_svd(A, full, True, op))


def svdvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute singular values.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor [..., k], descending, where k is the shorter side. Until backward the graph
        keeps `A` and its singular vectors.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.svdvals(gb.tensor([[0.0, 2.0], [1.0, 0.0]]))
    tensor([2., 1.])
    """
    op = "linalg.svdvals"
    return written(op, _engine._linalg_svd(check.tensor(op, "A", A), False, False, op)[0], out)


all_overridable(globals())
