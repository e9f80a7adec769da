"""The arithmetic of places and values, in dense ops: gathers, scattered sums, and sorting.

A product with a dense matrix of n columns passes through [count, n] elements, which live for its
time; what its backward pass needs is the places and, where they ask for gradients, the factors.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, IndexOutOfRangeError, ShapeError, Tensor

if TYPE_CHECKING:
    from garboard.sparse._tensor import SparseTensor

__all__ = [
    "added_up",
    "by_dense",
    "dense_by",
    "dense_of",
    "is_sparse",
    "place_of",
    "product",
    "refuse_unfit",
    "refuse_unmet",
    "summed",
    "taken",
    "together",
    "total",
]


def is_sparse(given: object) -> bool:
    """Tell a SparseTensor from all else."""
    return hasattr(type(given), "_by_places")


def place_of(op: str, dim: Any, ndim: int) -> int:
    """A dim counted from 0, of a tensor of `ndim` dims."""
    place = check.integer(op, "dim", dim)
    if not -ndim <= place < ndim:
        raise IndexOutOfRangeError(f"{op}: dim {place} of a tensor of {shown(ndim)} dims")
    return place % ndim


def refuse_unfit(op: str, places: Tensor, values: Tensor, sizes: Sequence[int]) -> None:
    """Refuse places, values and sizes that do not belong together."""
    dims = places.shape[0] if places.ndim == 2 else -1
    if places.dtype != _engine.int64 or not values.ndim or not 0 <= dims <= len(sizes):
        raise ShapeError(
            f"{op}: places of {places.dtype} and sizes {list(places.shape)}, values of "
            f"{list(values.shape)}; int64 of [sparse dims, count], and [count, ...], are needed"
        )
    if values.shape[0] != places.shape[1] or list(values.shape[1:]) != list(sizes[dims:]):
        raise ShapeError(
            f"{op}: sizes {list(sizes)} for places of sizes {list(places.shape)} and values of "
            f"sizes {list(values.shape)}; they do not fit each other"
        )


def _flat(places: Tensor, sizes: Sequence[int]) -> Tensor:
    """The place of each value in the row-major order of the sparse dims."""
    if prod(sizes[: places.shape[0]]) >= 1 << 63:
        raise ShapeError(
            f"sparse tensor: sizes {list(sizes)}; to order its places, fewer than 2^63 are needed"
        )
    found = places[0]
    for dim in range(1, places.shape[0]):
        found = found * sizes[dim] + places[dim]
    return found


def dense_of(places: Tensor, values: Tensor, sizes: Sequence[int]) -> Tensor:
    """Values at their places, zeros elsewhere."""
    count = prod(sizes[: places.shape[0]])
    zeros = values.new_zeros([count, *values.shape[1:]])
    if values.dtype == _engine.bool:
        return zeros.long().index_add(0, _flat(places, sizes), values.long()).bool().view(*sizes)
    return zeros.index_add(0, _flat(places, sizes), values).view(*sizes)


def added_up(places: Tensor, values: Tensor, sizes: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Each place once, in order, with the sum of its values."""
    flat = _flat(places, sizes)
    once, which = _engine.unique(flat, return_inverse=True)
    zeros = values.new_zeros([once.shape[0], *values.shape[1:]])
    rows, rest = [], once
    for dim in reversed(range(places.shape[0])):
        size = max(sizes[dim], 1)
        rows.append(rest % size)
        rest = rest.div(size, rounding_mode="floor")
    return _engine.stack(rows[::-1], 0), zeros.index_add(0, which, values)


def refuse_unmet(op: str, matrix: SparseTensor, other: Any, inner: int) -> None:
    """Refuse a dense factor of other sizes or dtype; `inner` is the matrix's dim that meets it."""
    if matrix.ndim != 2 or matrix.dense_dim():
        raise ShapeError(
            f"{op}: a sparse tensor of sizes {list(matrix.shape)}, {matrix.dense_dim()} of its "
            "dims dense; two sparse dims are needed"
        )
    if not isinstance(other, Tensor) or is_sparse(other):
        raise TypeError(f"{op}: a factor is {shown(other)}; a Tensor is needed")
    if other.ndim not in (1, 2):
        raise ShapeError(f"{op}: sizes {list(other.shape)}; a matrix or a vector is needed")
    meets = other.shape[0 if inner == 1 else -1]
    if meets != matrix.shape[inner]:
        raise ShapeError(
            f"{op}: sizes {list(matrix.shape)}, sparse, and {list(other.shape)}; the inner sizes "
            "must be equal"
        )
    if other.dtype != matrix.dtype:
        raise DTypeError(f"{op}: {matrix.dtype}, sparse, and {other.dtype}; one dtype is needed")


def by_dense(op: str, matrix: SparseTensor, other: Tensor) -> Tensor:
    """A sparse matrix times a dense one, or times a vector."""
    refuse_unmet(op, matrix, other, 1)
    rows, columns = matrix._indices().unbind(0)
    values = matrix._values()
    met = other.index_select(0, columns)
    made = met * (values if other.ndim == 1 else values.unsqueeze(1))
    sizes = [matrix.shape[0], *other.shape[1:]]
    return _engine.zeros(sizes, dtype=made.dtype, device=made.device).index_add(0, rows, made)


def dense_by(op: str, other: Tensor, matrix: SparseTensor) -> Tensor:
    """A dense matrix, or a vector, times a sparse one."""
    refuse_unmet(op, matrix, other, 0)
    if other.ndim == 1:
        return by_dense(op, matrix.t(), other)
    return by_dense(op, matrix.t(), other.t()).t()


def _by_sparse(op: str, a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """A product of sparse matrices: each element of the first meets a row of the second."""
    for one in (a, b):
        refuse_unmet(op, one, one._values()[:0].new_zeros([one.shape[1]]), 1)
    if a.shape[1] != b.shape[0]:
        raise ShapeError(
            f"{op}: sizes {list(a.shape)} and {list(b.shape)}; the inner sizes must be equal"
        )
    if a.dtype != b.dtype:
        raise DTypeError(f"{op}: {a.dtype} and {b.dtype}; one dtype is needed")
    b = b.coalesce()
    rows, inner = a._indices().unbind(0)
    in_row = _engine.bincount(b._indices()[0], minlength=b.shape[0])
    first = in_row.cumsum(0) - in_row
    counts = in_row.index_select(0, inner)
    which = _engine.repeat_interleave(_engine.arange(len(rows), device=a.device), counts)
    starts = counts.cumsum(0) - counts
    step = _engine.arange(len(which), device=a.device) - starts.index_select(0, which)
    met = first.index_select(0, inner.index_select(0, which)) + step
    places = _engine.stack([rows.index_select(0, which), b._indices()[1].index_select(0, met)], 0)
    values = a._values().index_select(0, which) * b._values().index_select(0, met)
    return a.made(places, values, [a.shape[0], b.shape[1]]).coalesce()


def product(op: str, a: Any, b: Any) -> Any:
    """A product of matrices of which one is sparse, or both are."""
    if not is_sparse(a):
        return dense_by(op, a, b)
    if not is_sparse(b):
        return by_dense(op, a, b)
    return a._like(_by_sparse(op, a._by_places(), b._by_places()))


def taken(op: str, a: SparseTensor, other: Tensor) -> Tensor:
    """The elements of a dense tensor, which may be expanded, at the places of a sparse one."""
    lacking = a.ndim - other.ndim
    sizes = [1] * lacking + list(other.shape)
    if lacking < 0 or any(one not in (1, size) for one, size in zip(sizes, a.shape, strict=True)):
        raise ShapeError(
            f"{op}: sizes {list(a.shape)}, sparse, and {list(other.shape)}; equal ones are needed, "
            "or such as can be expanded to the first"
        )
    places, first = a._indices(), a.sparse_dim()
    if list(a.shape) == sizes:
        flat = _flat(places, a.shape)
        return other.reshape(-1, *a._values().shape[1:]).index_select(0, flat)
    kept = [dim for dim in range(first) if sizes[dim] != 1]
    rest = other.reshape([sizes[dim] for dim in kept] + sizes[first:])
    if not kept:
        return rest.unsqueeze(0).expand(places.shape[1], *a.shape[first:])
    return rest[tuple(places[dim] for dim in kept)]


def together(op: str, a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """The elements of two sparse tensors, multiplied: at the places that both of them tell."""
    if a.shape != b.shape or a.sparse_dim() != b.sparse_dim():
        raise ShapeError(
            f"{op}: sparse tensors of sizes {list(a.shape)} and {list(b.shape)}; the same are "
            "needed, as many of them sparse"
        )
    a, b = a._by_places().coalesce(), b._by_places().coalesce()
    mine, others = _flat(a._indices(), a.shape), _flat(b._indices(), b.shape)
    at = _engine.searchsorted(others, mine).clamp(max=max(len(others) - 1, 0))
    both = others.index_select(0, at) == mine if len(others) else mine != mine
    values = a._values()[both] * b._values().index_select(0, at[both])
    made: SparseTensor = a.made(a._indices()[:, both], values, a.shape)
    return made.coalesce()


def total(op: str, a: SparseTensor, other: Any, alpha: float) -> Any:
    """A sum with `alpha` times another tensor: sparse where both are."""
    if isinstance(other, Tensor) and not is_sparse(other):
        return _engine.add(a.to_dense(), other, alpha=alpha)
    if not is_sparse(other):
        raise TypeError(f"{op}: other is {shown(other)}; a tensor, sparse or dense, is needed")
    if a.shape != other.shape or a.sparse_dim() != other.sparse_dim():
        raise ShapeError(
            f"{op}: sparse tensors of sizes {list(a.shape)} and {list(other.shape)}; the same are "
            "needed, as many of them sparse"
        )
    a, other = a._by_places(), other._by_places()
    places = _engine.cat([a._indices(), other._indices()], 1)
    values = other._values() if alpha == 1 else other._values() * alpha
    return a.made(places, _engine.cat([a._values(), values], 0), a.shape).coalesce()


def summed(a: SparseTensor, dim: int | Sequence[int], keepdim: bool = False) -> Any:
    """The sums over dims: sparse where a sparse dim is left, or all dims are kept."""
    given = [dim] if isinstance(dim, int) else list(dim)
    dims = {place_of("sum", one, a.ndim) for one in given}
    first = a.sparse_dim()
    values = a._values()
    if dense := [one - first + 1 for one in dims if one >= first]:
        values = values.sum(dense, keepdim)
    left = [one for one in range(first) if one not in dims]
    sizes = [size for one, size in enumerate(a.shape) if one not in dims]
    if keepdim:
        places = a._indices().clone()
        for one in dims:
            if one < first:
                places[one] = 0
        sizes = [1 if one in dims else size for one, size in enumerate(a.shape)]
        return a.made(places, values, sizes).coalesce()
    if not left:
        return values.sum(0)
    rows = _engine.tensor(left, device=a.device)
    return a.made(a._indices().index_select(0, rows), values, sizes).coalesce()
