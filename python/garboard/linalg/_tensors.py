# ruff: noqa: N803 -- PyTorch's names of arguments
"""Linear equations whose unknowns and right-hand sides are tensors of any number of dims."""

from __future__ import annotations

from math import prod

from garboard._arguments import check
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor
from garboard.linalg._solving import inv, solve

__all__ = ["tensorinv", "tensorsolve"]


@takes_axis
def tensorsolve(
    A: Tensor,
    B: Tensor,
    dims: tuple[int, ...] | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Solve A X = B, summed over all dims of X: `tensordot(A, X, X.ndim)` is B.

    Args:
        A: Tensor [*B.shape, *X.shape] with as many elements before as behind, float32, float64 or
            complex; as PyTorch has it, its first sizes need only have the product of B's.
        B: Tensor of the same dtype.
        dims: Dims of `A` that are moved to its end first, in this order.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor X. Until backward the graph keeps `A`, its factors and the solution.

    Raises:
        LinAlgError: The equations have no single solution.
        ShapeError: The sizes do not fit.
        IndexOutOfRangeError: There is no such dim.
        DTypeError: The dtypes differ, or are others.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.tensorsolve(gb.eye(4).reshape(2, 2, 4), gb.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    op = "linalg.tensorsolve"
    whole, given = check.tensor(op, "A", A), check.tensor(op, "B", B)
    if dims is not None:
        moved = _places(op, dims, whole.ndim)
        kept = [at for at in range(whole.ndim) if at not in moved]
        whole = whole.permute([*kept, *moved])
    sizes, count = whole.shape[given.ndim :], given.numel()
    if prod(whole.shape[: given.ndim]) != count or prod(sizes) != count:
        raise ShapeError(
            f"{op}: A of sizes {[*whole.shape]} for B of {[*given.shape]}; as many elements as B "
            "has in the first dims, and as many behind them, are needed"
        )
    solved = solve(whole.reshape(count, count), given.reshape(count))
    return written(op, solved.reshape(sizes), out)


def _places(op: str, dims: tuple[int, ...], count: int) -> list[int]:
    given = [dims] if isinstance(dims, int) else list(dims)
    found = [check.integer(op, "dims", one) for one in given]
    for one in found:
        if not -count <= one < count:
            raise IndexOutOfRangeError(
                f"{op}: dim {one} of a tensor of {shown(count)} dims; it must lie in "
                f"[{-count}, {count - 1}]"
            )
    found = [one % count for one in found]
    if len(set(found)) < len(found):
        raise ShapeError(f"{op}: dims {found}; each at most once is needed")
    return found


def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """Invert a tensor as the matrix of its first `ind` dims by the others.

    Args:
        A: Tensor with as many elements before as behind, float32, float64 or complex.
        ind: How many dims stand for rows, 1 or more.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor [*A.shape[ind:], *A.shape[:ind]]. Until backward the graph keeps `A`, its
        factors and the inverse.

    Raises:
        LinAlgError: It has no inverse.
        ShapeError: The numbers of elements differ.
        ValueError: `ind` is below 1.
        DTypeError: Another dtype.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.tensorinv(gb.eye(4).reshape(2, 2, 4)).shape
    (4, 2, 2)
    """
    op = "linalg.tensorinv"
    given, rows = check.tensor(op, "A", A), check.count(op, "ind", ind, 1)
    before, behind = given.shape[:rows], given.shape[rows:]
    count = prod(before)
    if prod(behind) != count:
        raise ShapeError(
            f"{op}: sizes {[*given.shape]} cut behind {rows} dims; as many elements before as "
            "behind are needed"
        )
    return written(op, inv(given.reshape(count, count)).reshape((*behind, *before)), out)


all_overridable(globals())
