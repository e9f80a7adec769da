"""Sparse matrices of diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError
from garboard._arguments.layouts import sparse_coo, sparse_csr
from garboard._arguments.texts import shown
from garboard._engine import DTypeError, ShapeError, Tensor
from garboard.sparse._rows import to_sparse_csr
from garboard.sparse._tensor import SparseTensor

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout

__all__ = ["spdiags"]


def spdiags(
    diagonals: Tensor, offsets: Tensor, shape: Sequence[int], layout: layout | None = None
) -> SparseTensor:
    """Return a sparse matrix some of whose diagonals are told, a row of `diagonals` each.

    The element at [i, j] is element j of the row whose offset is j - i: of a diagonal above the
    main one the first elements are left out, below it the last, as in SciPy and MATLAB.

    Args:
        diagonals: [count, length], or one diagonal [length].
        offsets: [count], int64, or a number: 0 is the main diagonal, 1 the one above it.
        shape: The two sizes of the matrix.
        layout: `gb.sparse_coo`, the default, or `gb.sparse_csr` for a matrix by rows.

    Returns:
        A sparse tensor. Gradients flow to `diagonals`.

    Raises:
        ShapeError: Sizes that do not fit.
        ValueError: An offset is told twice, or the layout is another.
        DTypeError: `offsets` is not of int64.
        TypeError: An argument of another type.

    >>> gb.sparse.spdiags(gb.tensor([[1, 2], [3, 4]]), gb.tensor([0, -1]), (3, 2)).to_dense()
    tensor([[1, 0],
            [3, 2],
            [0, 4]])
    """
    op = "spdiags"
    told, places = check.tensor(op, "diagonals", diagonals), check.tensor(op, "offsets", offsets)
    sizes = check.sizes(op, "shape", shape)
    if layout not in (None, sparse_coo, sparse_csr):
        raise ArgumentError(f"{op}: layout {shown(layout)}; gb.sparse_coo or sparse_csr is needed")
    if places.dtype != _engine.int64:
        raise DTypeError(f"{op}: offsets of dtype {places.dtype}; int64 is needed")
    told = told.unsqueeze(0) if told.ndim == 1 else told
    places = places.unsqueeze(0) if places.ndim == 0 else places
    if told.ndim != 2 or places.ndim != 1 or len(places) != len(told) or len(sizes) != 2:
        raise ShapeError(
            f"{op}: diagonals of sizes {list(diagonals.shape)}, offsets of {list(offsets.shape)} "
            f"and a shape of {len(sizes)} sizes; [count, length], [count] and 2 are needed"
        )
    if len(places.unique()) != len(places):
        raise ArgumentError(f"{op}: an offset is told twice; each is needed once")
    columns = _engine.arange(min(told.shape[1], sizes[1]), device=told.device).expand(
        len(places), -1
    )
    rows = columns - places.to(told.device).unsqueeze(1)
    which = ((rows >= 0) & (rows < sizes[0])).nonzero(as_tuple=True)
    indices = _engine.stack([rows[which], columns[which]])
    made = SparseTensor(indices, told[:, : columns.shape[1]][which], sizes)
    return to_sparse_csr(made) if layout == sparse_csr else made
