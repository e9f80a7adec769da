# ruff: noqa: N803 -- PyTorch's names of arguments
"""Products of matrices and vectors, powers and exponentials."""

from __future__ import annotations

from math import ceil, isfinite, log2
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import items_of
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard._ops.vectors import powers
from garboard.linalg._solving import inv

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "multi_dot",
    "vander",
    "vecdot",
]


def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Multiply vectors, matrices, or batches of them, as `gb.matmul`.

    Args:
        input: Tensor [..., n, k] or [k] of any dtype but bool.
        other: Tensor [..., k, m] or [k] of the same dtype.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor [..., n, m]. Until backward the graph keeps each tensor whose partner requires
        grad.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ, or are bool.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is no Tensor.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.matmul(gb.ones(2, 3), gb.ones(3)).tolist()
    [3.0, 3.0]
    """
    return written("linalg.matmul", _engine.matmul(input, other), out)


@takes_axis
def cross(input: Tensor, other: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Multiply vectors of three elements to what stands upright on both.

    Args:
        input: Tensor that has size 3 along `dim`.
        other: Tensor whose sizes broadcast with `input`'s; the dtypes are promoted.
        dim: Where the vectors lie.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the broadcast shape. Until backward the graph keeps copies of both.

    Raises:
        ShapeError: `dim` has another size, or the sizes do not broadcast.
        IndexOutOfRangeError: `dim` lies outside.
        DTypeError: Both are bool.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.cross(gb.tensor([1, 0, 0]), gb.tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    op, along = "linalg.cross", check.integer("linalg.cross", "dim", dim)
    for name, given in (("input", input), ("other", other)):
        shape = check.tensor(op, name, given).shape
        if -len(shape) <= along < len(shape) and shape[along] != 3:
            raise ShapeError(
                f"{op}: {name} of sizes {[*shape]}; size 3 along dim {shown(along)} is needed"
            )
    if input.ndim != other.ndim:
        raise ShapeError(
            f"{op}: sizes {[*input.shape]} and {[*other.shape]}; as many dims are needed"
        )
    return written(op, _engine.cross(input, other, along), out)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return the diagonals of matrices, a view.

    Args:
        A: Tensor of at least two dims and of any dtype.
        offset: How far above the diagonal; below for a negative one.
        dim1: The dim of rows.
        dim2: The dim of columns.

    Returns:
        A view, the diagonals along its last dim.

    Raises:
        ShapeError: Both dims are one.
        IndexOutOfRangeError: A dim lies outside.
        TypeError: An argument is of another type.
        DisposedError: `A` is disposed.

    >>> gb.linalg.diagonal(gb.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    return check.tensor("linalg.diagonal", "A", A).diagonal(offset, dim1, dim2)


@takes_axis
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Multiply vectors along a dim, and add up; complex ones of `x` are conjugated.

    Args:
        x: Tensor of any dtype.
        y: Tensor whose sizes broadcast with those of `x`; the dtypes are promoted.
        dim: Where the vectors lie.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor of the broadcast sizes without `dim`. Until backward the graph keeps each
        tensor whose partner requires grad.

    Raises:
        ShapeError: The sizes do not broadcast.
        IndexOutOfRangeError: `dim` lies outside.
        DeviceError: The tensors are on two devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.vecdot(gb.tensor([[1, 2], [3, 4]]), gb.tensor([10, 1]))
    tensor([12, 34])
    """
    op = "linalg.vecdot"
    check.tensor(op, "x", x)
    check.tensor(op, "y", y)
    product = (x.conj() if x.dtype.is_complex else x) * y
    return written(op, product.sum(check.integer(op, "dim", dim), dtype=product.dtype), out)


def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Return the powers x^0, x^1, ... of each element along a new last dim.

    Args:
        x: Tensor [..., n] of any dtype; a number counts as one element.
        N: How many powers; n by default.

    Returns:
        A new tensor [..., n, N]. Until backward the graph keeps `x` and its powers.

    Raises:
        ShapeError: `N` is negative.
        TypeError: An argument is of another type.
        DisposedError: `x` is disposed.

    >>> gb.linalg.vander(gb.tensor([2, 3]), N=3).tolist()
    [[1, 2, 4], [1, 3, 9]]
    """
    op = "linalg.vander"
    check.tensor(op, "x", x)
    row = x if x.ndim else x.reshape(1)
    return powers(row, row.shape[-1] if N is None else check.size(op, "N", N))


def multi_dot(tensors: list[Tensor] | tuple[Tensor, ...], *, out: Tensor | None = None) -> Tensor:
    """Multiply a chain of matrices in the order of the fewest products.

    The order is found by dynamic programming (Cormen et al., "Introduction to Algorithms", 15.2).

    Args:
        tensors: Two or more tensors [n, k], [k, m], ...; the first and the last may be vectors.
        out: Where to write the result, and what is returned then: a tensor of its sizes on its
            device, of its category (bool, integer, floating) or one above.

    Returns:
        A new tensor: a matrix, or without the dims of vectors. Until backward the graph keeps what
        each product keeps.

    Raises:
        ShapeError: The sizes do not fit, or there are fewer than two tensors.
        DTypeError: The dtypes differ, or are bool.
        DeviceError: The tensors are on several devices.
        GradientError: Grad mode is on, `out` is given, and a tensor requires grad.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.linalg.multi_dot([gb.ones(2, 3), gb.ones(3, 4), gb.ones(4)]).tolist()
    [12.0, 12.0]
    """
    return written("linalg.multi_dot", chained("linalg.multi_dot", tensors, least=2), out)


def chained(op: str, given: Any, least: int) -> Tensor:
    """Multiply a chain of matrices; see `multi_dot`."""
    if not isinstance(given, (list, tuple)):
        raise TypeError(
            f"{op}: tensors is of type {type(given).__name__}; a list or tuple of tensors is needed"
        )
    matrices = [check.tensor(op, f"tensors[{i}]", it) for i, it in enumerate(items_of(given))]
    if len(matrices) < least:
        raise ShapeError(f"{op}: {len(matrices)} tensors; {least} or more are needed")
    is_row, is_column = matrices[0].ndim == 1, matrices[-1].ndim == 1
    if is_row and len(matrices) > 1:
        matrices[0] = matrices[0].unsqueeze(0)
    if is_column and len(matrices) > 1:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    for place, matrix in enumerate(matrices):
        if matrix.ndim != 2:
            raise ShapeError(
                f"{op}: tensor {place} has sizes {[*matrix.shape]}; matrices are needed, "
                "vectors at the ends alone"
            )
        if place and matrix.shape[0] != matrices[place - 1].shape[1]:
            raise ShapeError(
                f"{op}: sizes {[*matrices[place - 1].shape]} and {[*matrix.shape]} at {place - 1}; "
                "as many columns of one as rows of the next are needed"
            )
    if len(matrices) == 1:
        return matrices[0].alias()
    found = _multiplied(matrices, _splits(matrices), 0, len(matrices) - 1)
    if is_column:
        found = found.squeeze(-1)
    return found.squeeze(0) if is_row else found


def _splits(matrices: list[Tensor]) -> dict[tuple[int, int], int]:
    """Return where each part of the chain is cut best: behind which matrix."""
    count = len(matrices)
    sides = [matrices[0].shape[0], *(it.shape[1] for it in matrices)]
    costs = {(i, i): 0 for i in range(count)}
    splits: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for first in range(count - length):
            last = first + length
            options = [
                (
                    costs[first, cut]
                    + costs[cut + 1, last]
                    + sides[first] * sides[cut + 1] * sides[last + 1],
                    cut,
                )
                for cut in range(first, last)
            ]
            costs[first, last], splits[first, last] = min(options)
    return splits


def _multiplied(
    matrices: list[Tensor], splits: dict[tuple[int, int], int], first: int, last: int
) -> Tensor:
    if first == last:
        return matrices[first]
    cut = splits[first, last]
    left = _multiplied(matrices, splits, first, cut)
    return _engine.mm(left, _multiplied(matrices, splits, cut + 1, last))


def _check_square(op: str, a: Tensor) -> None:
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ShapeError(f"{op}: sizes {[*a.shape]}; square matrices are needed")


def matrix_power(A: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """Multiply matrices by themselves, by squaring.

    Args:
        A: Tensor [..., m, m] of any dtype but bool.
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
        DisposedError: `A` is disposed.

    >>> gb.linalg.matrix_power(gb.tensor([[1, 1], [0, 1]]), 5).tolist()
    [[1, 5], [0, 1]]
    """
    op = "linalg.matrix_power"
    check.tensor(op, "A", A)
    count = check.integer(op, "n", n)
    _check_square(op, A)
    if count == 0:
        one = _engine.eye(A.shape[-1], dtype=A.dtype, device=A.device)
        # a gradient of 0 rather than none
        none = _engine.zeros([], dtype=_engine.bool, device=A.device)
        return written(op, _engine.where(none, A, one), out)
    square = inv(A) if count < 0 else A
    left, found = abs(count), None
    while left:
        if left & 1:
            found = square if found is None else found @ square
        left >>= 1
        if left:
            square = square @ square
    assert found is not None
    return written(op, found.clone() if found is A else found, out)


# Of the approximant of degree 13 (Higham, "The scaling and squaring method for the matrix
# exponential revisited", 2005), and up to which norm it is exact.
_PADE = (
    *(64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000),
    *(10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1),
)
_EXACT_NORM = 5.371920351148152


def matrix_exp(A: Tensor) -> Tensor:
    """Compute e^A = I + A + A^2 / 2 + ... of matrices.

    By scaling, a Pade approximant of degree 13 and squaring (Higham, "The scaling and squaring
    method for the matrix exponential revisited", 2005); a batch is scaled by its largest norm.

    Args:
        A: Tensor [..., n, n], floating or complex; of half types it is computed in float32.

    Returns:
        A new tensor of the same sizes. Until backward the graph keeps what each product on the way
        keeps, six of them and the squarings.

    Raises:
        ShapeError: The matrices are not square.
        DTypeError: Another dtype.
        TypeError: `A` is no Tensor.
        DisposedError: `A` is disposed.

    >>> gb.linalg.matrix_exp(gb.zeros(2, 2)).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    op = "linalg.matrix_exp"
    check.tensor(op, "A", A)
    _check_square(op, A)
    if A.dtype in (_engine.float16, _engine.bfloat16):
        return matrix_exp(A.float()).to(A.dtype)
    if not (A.dtype.is_floating_point or A.dtype.is_complex):
        raise DTypeError(f"{op}: dtype {A.dtype}; a floating one is needed, convert with to()")
    if A.numel() == 0:
        return _engine._linalg_solve(A, A, False, op)[0]
    largest = A.detach().abs().sum(-2).amax().item()
    squarings = 0
    if isfinite(largest) and largest > _EXACT_NORM:
        squarings = ceil(log2(largest / _EXACT_NORM))
    x = A * 2.0**-squarings
    b = [it / _PADE[0] for it in _PADE]
    one = _engine.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    x2 = x @ x
    x4 = x2 @ x2
    x6 = x4 @ x2
    odd = x6 @ (x6 * b[13] + x4 * b[11] + x2 * b[9])
    odd = x @ (odd + x6 * b[7] + x4 * b[5] + x2 * b[3] + one * b[1])
    even = x6 @ (x6 * b[12] + x4 * b[10] + x2 * b[8])
    even = even + x6 * b[6] + x4 * b[4] + x2 * b[2] + one
    found = _engine._linalg_solve(even - odd, even + odd, False, op)[0]
    for _ in range(squarings):
        found = found @ found
    return found


all_overridable(globals())
