# ruff: noqa: N803 -- PyTorch's names of arguments
"""Roots of positive matrices, and what is left of a matrix beside one."""

from __future__ import annotations

from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import ShapeError, Tensor
from garboard.linalg._eigenvalues import eigh
from garboard.linalg._factors import svd

__all__ = ["Polar", "matrix_sqrth", "polar"]


@shown_as("linalg_polar")
class Polar(NamedTuple):
    """What `polar` returns."""

    U: Tensor
    H: Tensor


def polar(A: Tensor) -> Polar:
    """Factorize A = U H: orthonormal columns, times a Hermitian matrix that is not negative.

    Args:
        A: Tensor [..., m, n], m >= n, float32, float64 or complex.

    Returns:
        A pair: `U` [..., m, n], the nearest matrix with orthonormal columns, and `H` [..., n, n].
        They are made of the singular values, whose gradient has no bounds where two are equal.

    Raises:
        ShapeError: Fewer than two dims, or fewer rows than columns.
        DTypeError: Another dtype.
        TypeError: `A` is no Tensor.
        DisposedError: It is disposed.

    >>> U, H = gb.linalg.polar(gb.tensor([[0.0, -2.0], [3.0, 0.0]]))
    >>> H
    tensor([[3., 0.],
            [0., 2.]])
    """
    if check.tensor("linalg.polar", "A", A).ndim < 2 or A.shape[-2] < A.shape[-1]:
        raise ShapeError(
            f"linalg.polar: A of sizes {[*A.shape]}; [..., m, n] with m >= n is needed"
        )
    with _engine.DisposeScope("linalg.polar") as scope:
        left, values, right = svd(A, full_matrices=False)
        scaled = (right.mH * values[..., None, :]) @ right
        scope.move_to_outer(turned := left @ right, scaled)
    return Polar(turned, scaled)


def matrix_sqrth(A: Tensor) -> Tensor:
    """Return the positive root of a Hermitian positive matrix: X with X X = A.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex. What lies below the diagonal is read.

    Returns:
        A new tensor [..., n, n]. The gradient has no bounds where two eigenvalues are equal.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `A` is no Tensor.
        DisposedError: It is disposed.

    >>> gb.linalg.matrix_sqrth(gb.tensor([[4.0, 0.0], [0.0, 9.0]]))
    tensor([[2., 0.],
            [0., 3.]])
    """
    with _engine.DisposeScope("linalg.matrix_sqrth") as scope:
        values, vectors = eigh(check.tensor("linalg.matrix_sqrth", "A", A))
        made = (vectors * values.sqrt()[..., None, :]) @ vectors.mH
        return scope.move_to_outer(made)


all_overridable(globals())
