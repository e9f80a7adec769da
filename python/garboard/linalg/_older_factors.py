# ruff: noqa: N803 -- PyTorch's names of arguments
"""PyTorch's older names for factors of matrices, as functions and methods.

`garboard.linalg` is imported when one of them is called: programs without it start sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._engine import DisposeScope, IndexOutOfRangeError, ShapeError, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.linalg._factors import LU, LUFactor, LUFactorEx

__all__ = ["lu", "lu_solve", "lu_unpack"]


@overload
def lu(A: Tensor, pivot: bool = True, get_infos: Literal[False] = False) -> LUFactor: ...
@overload
def lu(A: Tensor, pivot: bool, get_infos: Literal[True]) -> LUFactorEx: ...
@overload
def lu(A: Tensor, pivot: bool = True, *, get_infos: Literal[True]) -> LUFactorEx: ...
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False) -> LUFactor | LUFactorEx:
    """Factorize A = P L U, both triangles in one tensor, as `linalg.lu_factor`.

    Args:
        A: Tensor [..., m, n], float32, float64 or complex.
        pivot: True; a device that needs no pivots is not there.
        get_infos: Tell singular matrices by numbers, as `linalg.lu_factor_ex`.

    Returns:
        `LU` and `pivots`, of which `lu_unpack` makes three matrices; with `get_infos` `info` too, 0
        for a matrix that is not singular. Until backward the graph keeps the factors.

    Raises:
        LinAlgError: A matrix is singular, and `get_infos` False.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: `pivot` is False.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.lu(gb.tensor([[0.0, 1.0], [2.0, 0.0]])).pivots.tolist()
    [2, 2]
    """
    from garboard import linalg

    check.tensor("lu", "A", A)
    if check.flag("lu", "get_infos", get_infos):
        return linalg.lu_factor_ex(A, pivot=pivot)
    return linalg.lu_factor(A, pivot=pivot)


def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> LU:
    """Make a permutation and two triangles of what `lu` or `linalg.lu_factor` found.

    Args:
        LU_data: Tensor [..., m, n], float32, float64 or complex.
        LU_pivots: Tensor [..., min(m, n)], int32.
        unpack_data: False leaves the triangles empty.
        unpack_pivots: False leaves the permutation empty.

    Returns:
        `P` [..., m, m], `L` [..., m, k] with ones on its diagonal, `U` [..., k, n], where k is the
        shorter side: their product is the matrix.

    Raises:
        ShapeError: There are fewer than two dims, or the sizes do not fit.
        IndexOutOfRangeError: A pivot is no row, from 1.
        DTypeError: Pivots of another dtype than int32.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> P, L, U = gb.lu_unpack(*gb.lu(gb.tensor([[0.0, 1.0], [2.0, 0.0]])))
    >>> P @ L @ U
    tensor([[0., 1.],
            [2., 0.]])
    """
    from garboard.linalg._factors import LU, permutation_of, triangles_of

    op = "lu_unpack"
    both = check.tensor(op, "LU_data", LU_data)
    pivots = check.tensor(op, "LU_pivots", LU_pivots)
    wants_data = check.flag(op, "unpack_data", unpack_data)
    wants_pivots = check.flag(op, "unpack_pivots", unpack_pivots)
    if both.ndim < 2:
        raise ShapeError(f"{op}: LU_data of {both.ndim} dims; 2 or more are needed")
    rows, columns = both.shape[-2:]
    if pivots.shape != (*both.shape[:-2], min(rows, columns)):
        raise ShapeError(
            f"{op}: LU_pivots of sizes {list(pivots.shape)} for LU_data of {list(both.shape)}; "
            f"{[*both.shape[:-2], min(rows, columns)]} is needed"
        )
    with DisposeScope(op):
        if wants_pivots and bool(((pivots < 1) | (pivots > rows)).any()):
            raise IndexOutOfRangeError(
                f"{op}: LU_pivots beyond the {rows} rows of LU_data; those of one factorization "
                "are needed"
            )
    empty = [_engine.empty(0, dtype=both.dtype, device=both.device) for _ in range(3)]
    permutation = permutation_of(both, pivots, op) if wants_pivots else empty[0]
    return LU(permutation, *(triangles_of(both) if wants_data else empty[1:]))


def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Solve A X = b with the factors that `lu` found of A, as `linalg.lu_solve`.

    Args:
        b: Tensor [..., n, k], float32, float64 or complex.
        LU_data: Tensor [..., n, n] of the same dtype.
        LU_pivots: Tensor [..., n], int32.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes of `b`, its batch broadcast. Until backward the graph keeps the
        factors and the solutions of both triangles.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> LU, pivots = gb.lu(gb.tensor([[2.0, 0.0], [0.0, 4.0]]))
    >>> gb.lu_solve(gb.tensor([[2.0], [2.0]]), LU, pivots).tolist()
    [[1.0], [0.5]]
    """
    from garboard import linalg

    for name, given in (("b", b), ("LU_data", LU_data), ("LU_pivots", LU_pivots)):
        check.tensor("lu_solve", name, given)
    return linalg.lu_solve(LU_data, LU_pivots, b, out=out)


add_methods(Tensor, {"lu": lu, "lu_solve": lu_solve})

all_overridable(globals())
