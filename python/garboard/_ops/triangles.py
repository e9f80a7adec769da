"""Places in the triangles of a matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check

if TYPE_CHECKING:
    from garboard._engine import Tensor
    from garboard.types import Device, DType

__all__ = ["tril_indices", "triu_indices"]


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
) -> Tensor:
    """Return where the lower triangle of a matrix is: a row of rows and a row of columns.

    Args:
        row: How many rows the matrix has.
        col: How many columns.
        offset: By how many places the diagonal lies right of the main one; below 0, left.
        dtype: That of the result, int64 by default.
        device: That of the result; the CPU by default.

    Returns:
        A new tensor [2, places], row by row; its halves index the matrix.

    Raises:
        ShapeError: A count is negative.
        DTypeError: `dtype` is no dtype of numbers.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.tril_indices(2, 3).tolist()
    [[0, 1, 1], [0, 0, 1]]
    """
    return _places("tril_indices", False, row, col, offset, dtype, device)


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
) -> Tensor:
    """Return where the upper triangle of a matrix is: a row of rows and a row of columns.

    Args:
        row: How many rows the matrix has.
        col: How many columns.
        offset: By how many places the diagonal lies right of the main one; below 0, left.
        dtype: That of the result, int64 by default.
        device: That of the result; the CPU by default.

    Returns:
        A new tensor [2, places], row by row; its halves index the matrix.

    Raises:
        ShapeError: A count is negative.
        DTypeError: `dtype` is no dtype of numbers.
        DeviceError: There is no such device.
        TypeError: An argument is of another type.

    >>> gb.triu_indices(2, 3).tolist()
    [[0, 0, 0, 1, 1], [0, 1, 2, 1, 2]]
    """
    return _places("triu_indices", True, row, col, offset, dtype, device)


def _places(
    op: str,
    is_upper: bool,
    row: int,
    col: int,
    offset: int,
    dtype: DType | None,
    device: Device | None,
) -> Tensor:
    counts = check.size(op, "row", row), check.size(op, "col", col)
    # beyond the matrix's corners nothing changes
    shift = max(-counts[0], min(check.integer(op, "offset", offset), counts[1]))
    with _engine.DisposeScope(op) as scope:
        rows = _engine.arange(counts[0], device=device).unsqueeze(-1) + shift
        columns = _engine.arange(counts[1], device=device)
        is_inside = columns >= rows if is_upper else columns <= rows
        found = is_inside.nonzero().t().contiguous()
        return scope.move_to_outer(found if dtype is None else found.to(dtype))
