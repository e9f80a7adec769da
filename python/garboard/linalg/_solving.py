# ruff: noqa: N803 -- PyTorch's names of arguments
"""What is solved with a matrix: solutions, inverses, determinants."""

from __future__ import annotations

from typing import NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import ShapeError, Tensor

__all__ = [
    "InvEx",
    "SlogDet",
    "SolveEx",
    "det",
    "inv",
    "inv_ex",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
]


@shown_as("linalg_solve_ex")
class SolveEx(NamedTuple):
    """What `solve_ex` returns."""

    result: Tensor
    info: Tensor


@shown_as("linalg_inv_ex")
class InvEx(NamedTuple):
    """What `inv_ex` returns."""

    inverse: Tensor
    info: Tensor


@shown_as("linalg_slogdet")
class SlogDet(NamedTuple):
    """What `slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """Solve A X = B, or X A = B, by an LU factorization with partial pivoting.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        B: Tensor [..., n, k] of the same dtype, or vectors: [n], or of the sizes of `A` without the
            last.
        left: False solves X A = B, for `B` [..., k, n].
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes of `B`, its batch broadcast with that of `A`. Until backward the
        graph keeps `A`, its factors and the solution.

    Raises:
        LinAlgError: A matrix is singular.
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.solve(gb.tensor([[2.0, 0.0], [0.0, 4.0]]), gb.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    return written("linalg.solve", _solved(A, B, left, True, "linalg.solve").result, out)


def solve_ex(
    A: Tensor,
    B: Tensor,
    *,
    left: bool = True,
    check_errors: bool = False,
) -> SolveEx:
    """Solve A X = B as `solve` does, and tell of singular matrices instead of raising.

    Args:
        A: As for `solve`.
        B: Likewise.
        left: Likewise.
        check_errors: True raises as `solve` does.

    Returns:
        A pair `result`, `info`: the second int32 and of the sizes of the batch of `A`: 0, or the
        place from 1 on the diagonal of U that is 0.

    Raises:
        LinAlgError: A matrix is singular, and `check_errors`.
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.solve_ex(gb.zeros(2, 2), gb.ones(2)).info
    tensor(1, dtype=garboard.int32)
    """
    checks = check.flag("linalg.solve_ex", "check_errors", check_errors)
    return _solved(A, B, left, checks, "linalg.solve_ex")


def _solved(a: Tensor, b: Tensor, left: bool, checks: bool, op: str) -> SolveEx:
    check.tensor(op, "A", a)
    check.tensor(op, "B", b)
    from_left = check.flag(op, "left", left)
    is_vector = b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])
    if is_vector:
        if not from_left:
            raise ShapeError(
                f"{op}: left=False with a vector of sizes {[*b.shape]}; matrices are needed there"
            )
        found, info = _engine._linalg_solve(a, b.unsqueeze(-1), checks, op)
        return SolveEx(found.squeeze(-1), info)
    if from_left:
        return SolveEx(*_engine._linalg_solve(a, b, checks, op))
    if a.ndim < 2 or b.ndim < 2:
        raise ShapeError(
            f"{op}: sizes {[*a.shape]} and {[*b.shape]}; at least two dims are needed of each"
        )
    found, info = _engine._linalg_solve(a.transpose(-2, -1), b.transpose(-2, -1), checks, op)
    return SolveEx(found.transpose(-2, -1), info)


def solve_triangular(
    A: Tensor,
    B: Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Solve A X = B, or X A = B, for a triangle A.

    Nothing looks whether the triangle is singular: then the solution is not finite.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex, of which one triangle is read.
        B: Tensor [..., n, k] of the same dtype.
        upper: Which triangle: that above the diagonal, or that below.
        left: False solves X A = B, for `B` [..., k, n].
        unitriangular: True takes the diagonal for ones, unread.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes of `B`, its batch broadcast with that of `A`. Until backward the
        graph keeps `A` and the solution.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> x = gb.tensor([[2.0, 0.0], [2.0, 1.0]])
    >>> gb.linalg.solve_triangular(x, gb.tensor([[2.0], [5.0]]), upper=False).tolist()
    [[1.0], [3.0]]
    """
    op = "linalg.solve_triangular"
    check.tensor(op, "A", A)
    check.tensor(op, "B", B)
    return written(
        op,
        _engine._linalg_solve_triangular(
            A,
            B,
            check.flag(op, "upper", upper),
            check.flag(op, "left", left),
            check.flag(op, "unitriangular", unitriangular),
            op,
        ),
        out,
    )


def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Invert matrices.

    Where the inverse is multiplied by something, `solve` is faster and more exact.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps `A`, its factors and the
        inverse.

    Raises:
        LinAlgError: A matrix is singular.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.inv(gb.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    return written("linalg.inv", _inverse(A, True, "linalg.inv").inverse, out)


def inv_ex(A: Tensor, *, check_errors: bool = False) -> InvEx:
    """Invert matrices, and tell of singular ones instead of raising.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        check_errors: True raises as `inv` does.

    Returns:
        A pair `inverse`, `info`: the second int32 and of the sizes of the batch: 0, or the place
        from 1 on the diagonal of U that is 0.

    Raises:
        LinAlgError: A matrix is singular, and `check_errors`.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.inv_ex(gb.zeros(2, 2)).info
    tensor(1, dtype=garboard.int32)
    """
    return _inverse(A, check.flag("linalg.inv_ex", "check_errors", check_errors), "linalg.inv_ex")


def _inverse(a: Tensor, checks: bool, op: str) -> InvEx:
    check.tensor(op, "A", a)
    size = a.shape[-1] if a.ndim else 0
    one = _engine.eye(size, dtype=a.dtype, device=a.device)
    return InvEx(*_engine._linalg_solve(a, one, checks, op))


def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute determinants.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes before the last two. Until backward the graph keeps `A` and its
        factors; the gradient holds for singular matrices, too.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.det(gb.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(8.)
    """
    return written(
        "linalg.det", _engine._linalg_det(check.tensor("linalg.det", "A", A), "linalg.det"), out
    )


def slogdet(A: Tensor) -> SlogDet:
    """Compute signs of determinants, and logarithms of their absolute values.

    Args:
        A: Tensor [..., n, n], float32, float64 or complex.

    Returns:
        A pair `sign`, `logabsdet` of the sizes before the last two: 0 and -inf for a singular
        matrix. Only the second has a gradient; until backward the graph keeps `A` and its factors.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.slogdet(gb.tensor([[-1.0]])).sign
    tensor(-1.)
    """
    op = "linalg.slogdet"
    sign, logarithm = _engine._linalg_slogdet(check.tensor(op, "A", A), op)
    return SlogDet(sign, logarithm)


all_overridable(globals())
