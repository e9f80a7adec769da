# ruff: noqa: N803 -- PyTorch's names of arguments
"""Norms of vectors and matrices."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._engine import ShapeError, Tensor
from garboard.linalg._factors import svdvals

if TYPE_CHECKING:
    from garboard.types import DType, Number, Size

__all__ = ["matrix_norm", "norm", "vector_norm"]


@takes_axis
def vector_norm(
    x: Tensor,
    ord: Number = 2,
    dim: int | Size | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute (sum |x|^ord)^(1/ord) along dims, or of all elements.

    Args:
        x: Tensor of any shape and of a floating dtype.
        ord: The power; inf takes the largest |x|, -inf the least, 0 counts what is not 0.
        dim: The dims to reduce; None stands for all of them.
        keepdim: True leaves the reduced dims in the result, with size 1.
        dtype: What `x` is converted to first.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor without the reduced dims. Until backward the graph keeps `x` and what the steps
        on the way keep. Where it is 0, the gradient of `ord` 2 is 0.

    Raises:
        IndexOutOfRangeError: A dim lies outside.
        ShapeError: A dim is named twice.
        DTypeError: The dtype is no floating one.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `x` is disposed.

    >>> gb.linalg.vector_norm(gb.tensor([3.0, 4.0]))
    tensor(5.)
    """
    op = "linalg.vector_norm"
    check.tensor(op, "x", x)
    return written(op, x.norm(check.worth(op, "ord", ord), dim, keepdim, dtype), out)


@takes_axis
def matrix_norm(
    A: Tensor,
    ord: Number | str = "fro",
    dim: Size = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute a norm of matrices.

    Args:
        A: Tensor of at least two dims and of a floating dtype.
        ord: "fro", the root of the sum of squares; "nuc", the sum of singular values; 2 and -2, the
            largest and least of these; 1 and -1, of the sums of |A| in columns; inf and -inf, of
            those in rows.
        dim: Which two dims are those of the matrices.
        keepdim: True leaves both in the result, with size 1.
        dtype: What `A` is converted to first.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor without both dims. Until backward the graph keeps what the steps on the way
        keep.

    Raises:
        IndexOutOfRangeError: A dim lies outside.
        ShapeError: There are not two different dims.
        DTypeError: The dtype is no floating one, or singular values are not had of it.
        LinAlgError: Singular values do not converge.
        ValueError: Another `ord`.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.matrix_norm(gb.tensor([[1.0, -2.0], [3.0, 4.0]]), 1)
    tensor(6.)
    """
    op = "linalg.matrix_norm"
    check.tensor(op, "A", A)
    return written(op, _matrix_norm(op, A, ord, dim, keepdim, dtype), out)


def _matrix_norm(
    op: str, a: Tensor, order: Any, dim: Any, keepdim: bool, dtype: DType | None
) -> Tensor:
    keeps = check.flag(op, "keepdim", keepdim)
    if a.ndim < 2:
        raise ShapeError(f"{op}: sizes {[*a.shape]}; at least two dims are needed")
    pair = [check.integer(op, "dim", it) for it in dim] if isinstance(dim, (list, tuple)) else []
    if len(pair) != 2 or pair[0] % a.ndim == pair[1] % a.ndim:
        raise ShapeError(f"{op}: dims {pair}; two different ones are needed")
    if not isinstance(order, str) and check.worth(op, "ord", order) not in (
        1,
        -1,
        2,
        -2,
        inf,
        -inf,
    ):
        raise ArgumentError(
            f"{op}: ord {check.worth(op, 'ord', order)}; 'fro', 'nuc', 1, -1, 2, -2, inf or -inf "
            "is needed"
        )
    if isinstance(order, str) and check.choice(op, "ord", order, "fro", "nuc") == "fro":
        return a.norm(2, pair, keeps, dtype)
    given = a if dtype is None else a.to(dtype)
    moved = given.movedim(pair, (-2, -1))
    if isinstance(order, str) or abs(order) == 2:
        values = svdvals(moved)
        found = (
            values.sum(-1) if order == "nuc" else _largest(values) if order > 0 else values.amin(-1)
        )
    else:
        # norm() refuses what is not floating
        sums = moved.norm(1, -2 if abs(order) == 1 else -1)
        found = _largest(sums) if order > 0 else sums.amin(-1)
    if not keeps:
        return found
    for place in sorted(it % a.ndim for it in pair):
        found = found.unsqueeze(place)
    return found


def _largest(values: Tensor) -> Tensor:
    """Return the largest along the last dim of what is never below 0; that of none is 0."""
    return values.amax(-1) if values.shape[-1] else values.sum(-1)


@takes_axis
def norm(
    A: Tensor,
    ord: Number | str | None = None,
    dim: int | Size | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute a norm of vectors, or of matrices.

    Args:
        A: Tensor of any shape and of a floating dtype.
        ord: As for `vector_norm` along one dim, as for `matrix_norm` along two; None is the root of
            the sum of squares along any dims.
        dim: The dims to reduce. None stands for all of them; with `ord`, `A` then has one or two.
        keepdim: True leaves the reduced dims in the result, with size 1.
        dtype: What `A` is converted to first.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor without the reduced dims. Until backward the graph keeps what the steps on the
        way keep.

    Raises:
        IndexOutOfRangeError: A dim lies outside.
        ShapeError: Dims are named twice, or `A` has more than two and none is named.
        DTypeError: The dtype is no floating one.
        ValueError: Another `ord` of matrices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.norm(gb.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    op = "linalg.norm"
    check.tensor(op, "A", A)
    if ord is None:
        return written(op, A.norm(2, dim, keepdim, dtype), out)
    if dim is None and A.ndim not in (1, 2):
        raise ShapeError(
            f"{op}: sizes {[*A.shape]} with ord and without dim; one or two dims are needed"
        )
    dims = (-2, -1) if dim is None and A.ndim == 2 else dim
    if isinstance(dims, (list, tuple)) and len(dims) == 2:
        return written(op, _matrix_norm(op, A, ord, dims, keepdim, dtype), out)
    if isinstance(ord, str):
        raise ArgumentError(f"{op}: ord of a matrix along one dim; a number is needed there")
    return written(op, A.norm(check.worth(op, "ord", ord), dims, keepdim, dtype), out)


all_overridable(globals())
