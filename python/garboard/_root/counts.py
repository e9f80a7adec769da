"""Draws, norms and reductions that PyTorch has at its root beside those of its modules."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.errors import ArgumentError, RankError
from garboard._engine import (
    DisposeScope,
    DTypeError,
    IndexOutOfRangeError,
    ShapeError,
    Tensor,
)
from garboard._native import add_methods
from garboard.linalg import matrix_norm, vector_norm

if TYPE_CHECKING:
    from garboard._contexts.generator import Generator
    from garboard.types import Size

__all__ = [
    "_convert_indices_from_coo_to_csr",
    "_convert_indices_from_csr_to_coo",
    "_segment_reduce",
    "binomial",
    "frobenius_norm",
    "nonzero_static",
    "nuclear_norm",
    "segment_reduce",
]


def _rows(op: str, name: str, given: Tensor) -> Tensor:
    if check.tensor(op, name, given).ndim != 1:
        raise RankError(f"{op}: {name} of sizes {given.shape}; one dim is needed")
    if given.dtype not in (_engine.int32, _engine.int64):
        raise DTypeError(f"{op}: {name} of dtype {given.dtype}; int64 or int32 is needed")
    return given


def _convert_indices_from_coo_to_csr(
    input: Tensor, size: int, *, out_int32: bool = False
) -> Tensor:
    """Count where the elements of each row begin, and where the last ones end.

    Args:
        input: Tensor [n] of the elements' rows, in order, int64 or int32.
        size: How many rows there are.
        out_int32: Return int32, not int64.

    Returns:
        A new tensor [size + 1].

    Raises:
        IndexOutOfRangeError: A row that is not there.
        ShapeError: `input` has not one dim, or `size` is negative.
        DTypeError: `input` is of another dtype.
        DisposedError: `input` is disposed.
    """
    op = "_convert_indices_from_coo_to_csr"
    rows, count = _rows(op, "input", input), check.size(op, "size", size)
    with DisposeScope(op) as scope:
        counts = _engine.bincount(rows, minlength=count)
        if len(counts) > count:
            raise IndexOutOfRangeError(f"{op}: row {len(counts) - 1} of {count}")
        dtype = _engine.int32 if check.flag(op, "out_int32", out_int32) else _engine.int64
        made = _engine.empty(count + 1, dtype=dtype, device=rows.device)
        made[:1] = 0
        made[1:] = counts.cumsum(0)
        return scope.move_to_outer(made)


def _convert_indices_from_csr_to_coo(
    crow_indices: Tensor, col_indices: Tensor, *, out_int32: bool = False, transpose: bool = False
) -> Tensor:
    """Tell the row and the column of each element.

    Args:
        crow_indices: Tensor [rows + 1]: where the elements of each row begin, and the last ones
            end, int64 or int32.
        col_indices: Tensor [n] of the elements' columns, likewise.
        out_int32: Return int32, not int64.
        transpose: Tell of columns first.

    Returns:
        A new tensor [2, n].

    Raises:
        ShapeError: One has not one dim, or the rows end elsewhere than at `n`.
        DTypeError: One is of another dtype.
        DisposedError: One is disposed.
    """
    op = "_convert_indices_from_csr_to_coo"
    ends, columns = _rows(op, "crow_indices", crow_indices), _rows(op, "col_indices", col_indices)
    with DisposeScope(op) as scope:
        counts = ends.diff()
        rows = _engine.arange(len(counts), device=ends.device).repeat_interleave(counts)
        if rows.shape != columns.shape:
            raise ShapeError(f"{op}: {len(columns)} columns of {len(rows)} elements")
        both = [columns, rows] if check.flag(op, "transpose", transpose) else [rows, columns]
        dtype = _engine.int32 if check.flag(op, "out_int32", out_int32) else _engine.int64
        return scope.move_to_outer(_engine.stack([one.to(dtype) for one in both]))


def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Draw how many of `count` trials succeed, each with a probability.

    Raises:
        NotImplementedError: A generator of one's own; the default one draws.
    """
    from garboard.distributions._binomial_draws import binomial_draws

    if generator is not None:
        raise NotImplementedError("binomial: a generator; leave it out, and use gb.manual_seed()")
    counts, probs = _engine.broadcast_tensors(count, prob)
    return binomial_draws(counts, probs)


def frobenius_norm(input: Tensor, dim: int | Size = (), keepdim: bool = False) -> Tensor:
    """Return the root of the sum of squares, over all dims or over some."""
    dims = None if dim in ((), []) else dim
    return vector_norm(input, 2, dims, keepdim)


def nuclear_norm(input: Tensor, *given: Any, **named: Any) -> Tensor:
    """Return the sum of a matrix's singular values: `dim` and `keepdim` may follow."""
    dim: Any = named.pop("dim", (-2, -1))
    keepdim = named.pop("keepdim", False)
    if given and not isinstance(given[0], bool):
        dim, *rest = given
    else:
        rest = [*given]
    if rest:
        (keepdim,) = rest
    return matrix_norm(input, "nuc", dim, keepdim)


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the places of elements that are not 0, cut off or filled up to `size` rows.

    Args:
        input: Tensor of any sizes.
        size: How many rows.
        fill_value: What fills them up.

    Returns:
        int64 tensor [size, dims].

    Raises:
        ShapeError: `size` is negative.
        TypeError: An argument is no integer.
        DisposedError: The tensor is disposed.

    >>> gb.tensor([0, 5]).nonzero_static(size=2)
    tensor([[ 1],
            [-1]])
    """
    wanted = check.size("nonzero_static", "size", size)
    found = input.nonzero()[:wanted]
    filler = found.new_full((wanted - found.shape[0], found.shape[1]), fill_value)
    return _engine.cat([found, filler])


_BOUNDS = {"amax": "max", "amin": "min"}
_EMPTY = {"sum": 0.0, "prod": 1.0, "mean": float("nan"), "max": -float("inf"), "min": float("inf")}


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """Return the sum, mean, product or bound of each segment along a dim.

    Segments are told by their lengths, or by where each begins and the last one ends; both have
    the dims of `data` before `axis`.

    Args:
        data: Tensor of a floating dtype.
        reduce: "sum", "mean", "prod", "max" or "amax", "min" or "amin".
        lengths: Tensor of integers: how many elements each segment has.
        indices: Refused, as in PyTorch.
        offsets: Instead of lengths, where each begins and, behind them, where the last one ends.
        axis: The dim.
        unsafe: Ignored: lengths are checked in any case.
        initial: What each segment begins with; by it an empty mean is no NaN.

    Returns:
        A new tensor: `data`'s sizes, with one element a segment along the dim.

    Raises:
        ValueError: Another `reduce`, or neither lengths nor offsets.
        ShapeError: The lengths have other dims, or do not fit.
        IndexOutOfRangeError: `axis` is no dim of `data`.
    """
    op = "segment_reduce"
    check.tensor(op, "data", data)
    how = check.choice(op, "reduce", reduce, *_EMPTY, *_BOUNDS)
    how = _BOUNDS.get(how, how)
    if (lengths is None) == (offsets is None) or indices is not None:
        raise ArgumentError(f"{op}: lengths or offsets, one of them, are needed")
    counts = offsets.diff(dim=-1) if lengths is None and offsets is not None else lengths
    assert counts is not None
    along = check.place(op, "axis", axis, data.ndim)
    if counts.ndim != along + 1 or counts.shape[:-1] != data.shape[:along]:
        raise ShapeError(
            f"{op}: lengths of sizes {[*counts.shape]} for {[*data.shape]}; those before dim "
            f"{along}, and a dim of segments, are needed"
        )
    rows = [
        _of_segments(row, sizes, how, initial)
        for row, sizes in zip(
            data.reshape(prod(data.shape[:along]), *data.shape[along:]).unbind(0),
            counts.reshape(prod(counts.shape[:-1]), counts.shape[-1]).tolist(),
            strict=True,
        )
    ]
    joined = _engine.stack(rows) if rows else data
    return joined.reshape(*counts.shape, *data.shape[along + 1 :])


_segment_reduce = segment_reduce


def _of_segments(row: Tensor, sizes: list[int], how: str, initial: float | None) -> Tensor:
    if sum(sizes) > row.shape[0] or min(sizes, default=0) < 0:
        raise ShapeError(
            f"segment_reduce: lengths from {min(sizes)}, {sum(sizes)} in all, of {row.shape[0]}; "
            "they must fit"
        )
    if not sizes:
        return row[:0]
    parts = row[: sum(sizes)].split(sizes)
    return _engine.stack([_reduced(part, how, initial) for part in parts])


def _reduced(part: Tensor, how: str, initial: float | None) -> Tensor:
    if not part.shape[0]:
        fill = _EMPTY[how] if initial is None else initial
        return part.sum(0) + fill  # 0 with a gradient's history
    if how == "max":
        found = part.amax(0)
        return found if initial is None else found.clamp(min=initial)
    if how == "min":
        found = part.amin(0)
        return found if initial is None else found.clamp(max=initial)
    if how == "prod":
        return part.prod(0) * (1.0 if initial is None else initial)
    total = part.sum(0) if initial is None else part.sum(0) + initial
    return total / part.shape[0] if how == "mean" else total


add_methods(Tensor, {"nonzero_static": nonzero_static})
