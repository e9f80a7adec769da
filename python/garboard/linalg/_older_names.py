# ruff: noqa: N803 -- PyTorch's names of arguments
"""PyTorch's older names for linear algebra, as functions and methods.

`garboard.linalg` is imported when one of them is called: programs without it start sooner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.returned import shown_as
from garboard._engine import Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.linalg._factors import QR
    from garboard.linalg._solving import SlogDet

__all__ = [
    "chain_matmul",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "det",
    "inverse",
    "logdet",
    "matrix_exp",
    "matrix_power",
    "pinverse",
    "qr",
    "slogdet",
    "svd",
    "triangular_solve",
]


@shown_as("svd")
class SvdOfThree(NamedTuple):
    """What `svd` returns."""

    U: Tensor
    S: Tensor
    V: Tensor


@shown_as("triangular_solve")
class TriangularSolve(NamedTuple):
    """What `triangular_solve` returns."""

    solution: Tensor
    cloned_coefficient: Tensor


def chain_matmul(*matrices: Tensor) -> Tensor:
    """Multiply a chain of matrices in the order of the fewest products.

    Args:
        *matrices: Tensors [n, k], [k, m], ...; the first and the last may be vectors.

    Returns:
        A new tensor, or another handle on the only one. Until backward the graph keeps what each
        product keeps.

    Raises:
        ShapeError: The sizes do not fit, or there is no tensor.
        DTypeError: The dtypes differ, or are bool.
        DeviceError: The tensors are on several devices.
        TypeError: An argument is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.chain_matmul(gb.ones(2, 3), gb.ones(3, 4), gb.ones(4, 1)).tolist()
    [[12.0], [12.0]]
    """
    from garboard.linalg._products import chained

    return chained("chain_matmul", matrices, least=1)


def inverse(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Invert matrices, as `linalg.inv`.

    Args:
        input: Tensor [..., n, n], float32, float64 or complex.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps `input`, its factors and the
        inverse.

    Raises:
        LinAlgError: A matrix is singular.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: `input` is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.inverse(gb.tensor([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    from garboard import linalg

    return written("inverse", linalg.inv(check.tensor("inverse", "input", input)), out)


def det(input: Tensor) -> Tensor:
    """Compute determinants, as `linalg.det`.

    Args:
        input: Tensor [..., n, n], float32, float64 or complex.

    Returns:
        A new tensor of the sizes before the last two. Until backward the graph keeps `input` and
        its factors.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `input` is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.det(gb.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(8.)
    """
    from garboard import linalg

    return linalg.det(check.tensor("det", "input", input))


def slogdet(input: Tensor) -> SlogDet:
    """Compute signs and logarithms of determinants, as `linalg.slogdet`.

    Args:
        input: Tensor [..., n, n], float32, float64 or complex.

    Returns:
        A pair `sign`, `logabsdet` of the sizes before the last two. Until backward the graph keeps
        `input` and its factors.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `input` is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.slogdet(gb.tensor([[-1.0]])).sign
    tensor(-1.)
    """
    from garboard import linalg

    return linalg.slogdet(check.tensor("slogdet", "input", input))


def logdet(input: Tensor) -> Tensor:
    """Compute logarithms of determinants: NaN of a negative one, -inf of 0.

    Args:
        input: Tensor [..., n, n], float32, float64 or complex.

    Returns:
        A new tensor of the sizes before the last two. Until backward the graph keeps `input` and
        its factors.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `input` is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.logdet(gb.eye(3))
    tensor(0.)
    """
    sign, logarithm = _engine._linalg_slogdet(check.tensor("logdet", "input", input), "logdet")
    if sign.dtype.is_complex:
        return logarithm + sign.log()
    return _engine.where(sign < 0, float("nan"), logarithm)


def cholesky(input: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Return the triangle L of a symmetric positive definite L L^T, as `linalg.cholesky`.

    Args:
        input: Tensor [..., n, n], float32, float64 or complex, of which one triangle is read.
        upper: True returns U of U^T U, and reads the upper triangle.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps it.

    Raises:
        LinAlgError: A matrix is not positive definite.
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.cholesky(gb.tensor([[4.0, 2.0], [2.0, 5.0]])).tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    from garboard import linalg

    return written(
        "cholesky", linalg.cholesky(check.tensor("cholesky", "input", input), upper=upper), out
    )


def cholesky_solve(
    B: Tensor, L: Tensor, upper: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Solve A X = B with the triangle that `cholesky` found of A.

    Args:
        B: Tensor [..., n, k], float32, float64 or complex.
        L: Tensor [..., n, n] of the same dtype.
        upper: True takes `L` for U of A = U^H U.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the sizes of `B`, its batch broadcast. Until backward the graph keeps `L`
        and the solution. The gradient is that of the product of whole matrices L L^H, as in
        PyTorch: what stands beyond the triangle has one, too.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.cholesky_solve(gb.tensor([[8.0]]), gb.tensor([[2.0]]))
    tensor([[2.]])
    """
    op = "cholesky_solve"
    check.tensor(op, "B", B)
    check.tensor(op, "L", L)
    if L.ndim < 2:
        raise _engine.ShapeError(f"{op}: L of sizes {[*L.shape]}; at least two dims are needed")
    lower = L.mH if check.flag(op, "upper", upper) else L
    return written(op, _engine._linalg_cholesky_solve(lower, B, op), out)


def cholesky_inverse(L: Tensor, upper: bool = False, *, out: Tensor | None = None) -> Tensor:
    """Invert A by the triangle that `cholesky` found of it.

    Args:
        L: Tensor [..., n, n], float32, float64 or complex.
        upper: True takes `L` for U of A = U^H U.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps `L` and what it solved.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: Another dtype.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `L` is disposed.

    >>> gb.cholesky_inverse(gb.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check.tensor("cholesky_inverse", "L", L)
    size = L.shape[-1] if L.ndim else 0
    return written(
        "cholesky_inverse",
        cholesky_solve(_engine.eye(size, dtype=L.dtype, device=L.device), L, upper),
        out,
    )


def qr(input: Tensor, some: bool = True) -> QR:
    """Factorize into orthogonal columns and an upper triangle, as `linalg.qr`.

    Args:
        input: Tensor [..., m, n], float32, float64 or complex.
        some: False returns a square `Q`.

    Returns:
        A pair `Q`, `R`. Until backward the graph keeps `input` and both.

    Raises:
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.qr(gb.tensor([[3.0], [4.0]])).R.abs()
    tensor([[5.]])
    """
    from garboard import linalg

    reduces = check.flag("qr", "some", some)
    return linalg.qr(check.tensor("qr", "input", input), "reduced" if reduces else "complete")


def svd(input: Tensor, some: bool = True, compute_uv: bool = True) -> SvdOfThree:
    """Factorize into U diag(S) V^T: as `linalg.svd`, but for V, which is not turned.

    Args:
        input: Tensor [..., m, n], float32, float64 or complex.
        some: False returns square `U` and `V`.
        compute_uv: False returns zeros for both, square.

    Returns:
        `U` [..., m, k], `S` [..., k], descending, `V` [..., n, k]. Until backward the graph keeps
        `input` and all of them.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.svd(gb.tensor([[0.0, 2.0], [1.0, 0.0]])).S
    tensor([2., 1.])
    """
    from garboard import linalg

    check.tensor("svd", "input", input)
    reduces = check.flag("svd", "some", some)
    if check.flag("svd", "compute_uv", compute_uv):
        u, s, vh = linalg.svd(input, not reduces)
        return SvdOfThree(u, s, vh.mH)
    values = linalg.svdvals(input)
    rows, columns = input.shape[-2:]
    left = _engine.zeros(*input.shape[:-1], rows, dtype=input.dtype, device=input.device)
    sizes = (*input.shape[:-2], columns, columns)
    return SvdOfThree(left, values, _engine.zeros(sizes, dtype=input.dtype, device=input.device))


def pinverse(input: Tensor, rcond: float = 1e-15) -> Tensor:
    """Compute the Moore-Penrose pseudo-inverse, as `linalg.pinv`.

    Args:
        input: Tensor [..., m, n], float32, float64 or complex.
        rcond: Singular values up to this share of the largest count as 0.

    Returns:
        A new tensor [..., n, m]. Until backward the graph keeps `input` and the result.

    Raises:
        LinAlgError: A matrix has elements that are not finite, or does not converge.
        ShapeError: There are fewer than two dims.
        DTypeError: Another dtype.
        ValueError: `rcond` is negative.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.pinverse(gb.tensor([[2.0, 0.0], [0.0, 0.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    from garboard import linalg

    return linalg.pinv(check.tensor("pinverse", "input", input), rtol=rcond)


def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices by themselves, as `linalg.matrix_power`.

    Args:
        input: Tensor [..., m, m] of any dtype but bool.
        n: The power; below 0, that of the inverse.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps what each product keeps.

    Raises:
        LinAlgError: A matrix is singular, and `n` negative.
        ShapeError: The matrices are not square.
        DTypeError: The dtype is bool, or is not floating and `n` negative.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `input` is disposed.

    >>> gb.matrix_power(gb.tensor([[1, 1], [0, 1]]), 5).tolist()
    [[1, 5], [0, 1]]
    """
    from garboard import linalg

    return written(
        "matrix_power", linalg.matrix_power(check.tensor("matrix_power", "input", input), n), out
    )


def matrix_exp(input: Tensor) -> Tensor:
    """Compute e to the power of matrices, as `linalg.matrix_exp`.

    Args:
        input: Tensor [..., n, n], float32, float64 or complex.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps what each product on the way
        keeps.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `input` is no Tensor.
        DisposedError: `input` is disposed.

    >>> gb.matrix_exp(gb.zeros(2, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    from garboard import linalg

    return linalg.matrix_exp(check.tensor("matrix_exp", "input", input))


def triangular_solve(
    b: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> TriangularSolve:
    """Solve A X = b for a triangle A, as `linalg.solve_triangular`.

    Args:
        b: Tensor [..., n, k], float32, float64 or complex.
        A: Tensor [..., n, n] of the same dtype, of which one triangle is read.
        upper: Which triangle: that above the diagonal, or that below.
        transpose: True solves A^T X = b.
        unitriangular: True takes the diagonal for ones, unread.

    Returns:
        A pair `solution`, `cloned_coefficient`, a copy of `A`. Until backward the graph keeps `A`
        and the solution.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are others.
        DeviceError: The tensors are on two devices.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.triangular_solve(gb.tensor([[8.0]]), gb.tensor([[2.0]])).solution
    tensor([[4.]])
    """
    op = "triangular_solve"
    check.tensor(op, "b", b)
    check.tensor(op, "A", A)
    is_upper, is_turned = check.flag(op, "upper", upper), check.flag(op, "transpose", transpose)
    unit = check.flag(op, "unitriangular", unitriangular)
    solve = _engine._linalg_solve_triangular
    if is_turned and A.ndim >= 2:
        found = solve(A.transpose(-2, -1), b, not is_upper, True, unit, op)
    else:
        found = solve(A, b, is_upper, True, unit, op)
    return TriangularSolve(found, A.clone())


add_methods(
    Tensor,
    {name: globals()[name] for name in __all__ if name != "chain_matmul"},
)

all_overridable(globals())
