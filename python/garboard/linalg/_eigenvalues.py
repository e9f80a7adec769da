# ruff: noqa: N803 -- PyTorch's names of arguments
"""Eigenvalues and eigenvectors, of Hermitian matrices and of any square ones."""

from __future__ import annotations

from typing import Literal, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import Tensor

__all__ = ["Eig", "Eigh", "eig", "eigh", "eigvals", "eigvalsh"]


@shown_as("linalg_eig")
class Eig(NamedTuple):
    """What `eig` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


@shown_as("linalg_eigh")
class Eigh(NamedTuple):
    """What `eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


def eig(A: Tensor) -> Eig:
    """Compute eigenvalues and eigenvectors of square matrices.

    Vectors are of length 1, and determined up to a factor of length 1: the gradient is that of a
    loss to which this factor makes no difference. It is not finite where values are equal.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.

    Returns:
        A pair `eigenvalues` [..., n], in no order, `eigenvectors` [..., n, n], a column each; both
        complex. Until backward the graph keeps `A` and both.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge; in backward:
            the vectors are linearly dependent.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.eig(gb.tensor([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    tensor([0.+1.j, 0.-1.j])
    """
    op = "linalg.eig"
    check.tensor(op, "A", A)
    values, vectors = _engine._linalg_eig(A, True, op)
    return Eig(values, vectors)


def eigvals(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute eigenvalues of square matrices.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        out: Where to write the result, and what is returned then: a complex tensor of its sizes on
            its device.

    Returns:
        A new complex tensor [..., n], in no order. Until backward the graph keeps `A` and its
        eigenvectors.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge; in backward:
            the vectors are linearly dependent.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.eigvals(gb.tensor([[0.0, 4.0], [-1.0, 0.0]])).imag
    tensor([ 2.0000, -2.0000])
    """
    op = "linalg.eigvals"
    check.tensor(op, "A", A)
    return written(op, _engine._linalg_eig(A, False, op)[0], out)


def eigh(A: Tensor, UPLO: Literal["L", "U", "l", "u"] = "L") -> Eigh:
    """Compute eigenvalues and eigenvectors of Hermitian matrices, real symmetric ones among them.

    Values are real. Vectors are determined up to their sign or, of complex numbers, a factor of
    length 1, and of equal values up to a rotation, where the
    gradient of the vectors is not finite.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        UPLO: Which triangle is read: "L" or "l", below the diagonal, or "U" or "u".

    Returns:
        A pair `eigenvalues` [..., n], ascending, `eigenvectors` [..., n, n], a column each. Until
        backward the graph keeps `A` and both.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        ValueError: Another triangle.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.eigh(gb.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    op = "linalg.eigh"
    check.tensor(op, "A", A)
    upper = check.choice(op, "UPLO", UPLO, "L", "U", "l", "u") in "Uu"
    values, vectors = _engine._linalg_eigh(A, upper, True, op)
    return Eigh(values, vectors)


def eigvalsh(
    A: Tensor, UPLO: Literal["L", "U", "l", "u"] = "L", *, out: Tensor | None = None
) -> Tensor:
    """Compute eigenvalues of Hermitian matrices, which are real.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        UPLO: Which triangle is read: "L" or "l", below the diagonal, or "U" or "u".
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor [..., n], ascending. Until backward the graph keeps `A` and its eigenvectors.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        ValueError: Another triangle.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.eigvalsh(gb.tensor([[2.0, 0.0], [0.0, 1.0]]))
    tensor([1., 2.])
    """
    op = "linalg.eigvalsh"
    check.tensor(op, "A", A)
    upper = check.choice(op, "UPLO", UPLO, "L", "U", "l", "u") in "Uu"
    return written(op, _engine._linalg_eigh(A, upper, False, op)[0], out)


all_overridable(globals())
