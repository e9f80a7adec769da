"""Copies of tensors with a part replaced: what indexing writes in place, as new tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._arguments.overridable import all_overridable
from garboard._engine import ShapeError, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from garboard.types import Number, Size

__all__ = ["as_strided_scatter", "diagonal_scatter", "select_scatter", "slice_scatter"]


@takes_axis
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return `input` with `src` in place of the slice [start:end:step] along `dim`.

    Args:
        input: Tensor of at least one dim.
        src: Tensor of the slice's sizes.
        dim: Along which.
        start: The first place; the front where it is left out. Negative ones count from the end.
        end: The place behind the last one; the end where it is left out.
        step: From place to place, 1 or more.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes and dtype. Gradients go to both.

    Raises:
        ShapeError: `src` has other sizes.
        IndexOutOfRangeError: There is no such dim.
        ValueError: `step` is below 1.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.slice_scatter(gb.zeros(4), gb.ones(2), start=1, end=3)
    tensor([0., 1., 1., 0.])
    """
    op = "slice_scatter"
    places = slice(
        None if start is None else check.integer(op, "start", start),
        None if end is None else check.integer(op, "end", end),
        check.count(op, "step", step, 1),
    )
    along = _engine_dim(op, input, dim)
    index = (*[slice(None)] * along, places)
    return _replaced(op, input, src, lambda copy: copy[index], out)


@takes_axis
def select_scatter(
    input: Tensor, src: Tensor, dim: int, index: int, *, out: Tensor | None = None
) -> Tensor:
    """Return `input` with `src` in place of `input.select(dim, index)`.

    Args:
        input: Tensor of at least one dim.
        src: Tensor of `input`'s sizes without `dim`.
        dim: Along which.
        index: The place there; a negative one counts from the end.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes and dtype. Gradients go to both.

    Raises:
        ShapeError: `src` has other sizes.
        IndexOutOfRangeError: There is no such dim or place.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.select_scatter(gb.zeros(2, 2), gb.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    op = "select_scatter"
    at = check.integer(op, "dim", dim), check.integer(op, "index", index)
    return _replaced(op, input, src, lambda copy: copy.select(*at), out)


def diagonal_scatter(
    input: Tensor,
    src: Tensor,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return `input` with `src` in place of `input.diagonal(offset, dim1, dim2)`.

    Args:
        input: Tensor of at least two dims.
        src: Tensor of the diagonal's sizes.
        offset: By how many places the diagonal lies right of the main one; below 0, left.
        dim1: The rows' dim.
        dim2: The columns'.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes and dtype. Gradients go to both.

    Raises:
        ShapeError: `src` has other sizes, or both dims are the same.
        IndexOutOfRangeError: There is no such dim.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.diagonal_scatter(gb.zeros(2, 2), gb.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    op = "diagonal_scatter"
    at = [
        check.integer(op, name, given)
        for name, given in (("offset", offset), ("dim1", dim1), ("dim2", dim2))
    ]
    return _replaced(op, input, src, lambda copy: copy.diagonal(*at), out)


def _engine_dim(op: str, input: Tensor, dim: int) -> int:
    """The dim, counted from the front."""
    count, given = check.tensor(op, "input", input).ndim, check.integer(op, "dim", dim)
    if not -count <= given < count:
        raise _engine.IndexOutOfRangeError(
            f"{op}: dim {given} of a tensor of {count} dims; it must lie in [{-count}, {count - 1}]"
        )
    return given % count


def _replaced(
    op: str,
    input: Tensor,
    src: Tensor,
    part_of: Callable[[Tensor], Tensor],
    out: Tensor | None,
) -> Tensor:
    check.tensor(op, "input", input)
    check.tensor(op, "src", src)
    with _engine.DisposeScope(op) as scope:
        made = input.clone()
        part = part_of(made)
        if part.shape != src.shape:
            raise ShapeError(
                f"{op}: src of sizes {[*src.shape]} for a part of sizes {[*part.shape]}; they "
                "must be equal"
            )
        part.copy_(src)
        scope.move_to_outer(made)
    return written(op, made, out)


def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Size,
    stride: Size,
    storage_offset: int | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Return `input` with `src` in place of what `as_strided` sees of it.

    Args:
        input: Tensor of any sizes, whose elements are counted row by row.
        src: Tensor of sizes `size`.
        size: The sizes of the part.
        stride: Its strides, in elements.
        storage_offset: Where it begins; at the front where it is left out.
        out: Where the result goes, instead of a new tensor.

    Returns:
        A new tensor of `input`'s sizes and dtype. Gradients go to both.

    Raises:
        ShapeError: `src` has other sizes, or the part leads out of `input`.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> gb.as_strided_scatter(gb.zeros(4), gb.ones(2), (2,), (2,), 1)
    tensor([0., 1., 0., 1.])
    """
    op = "as_strided_scatter"
    start = 0 if storage_offset is None else check.size(op, "storage_offset", storage_offset)
    return _replaced(op, input, src, lambda copy: copy.as_strided(size, stride, start), out)


def _fill_diagonal_(self: Tensor, fill_value: Number, wrap: bool = False) -> Tensor:
    """Write a number to the main diagonal, in place.

    Args:
        fill_value: The number.
        wrap: In a matrix with more rows than columns, begin again below each square.

    Returns:
        The tensor itself. Nothing of the diagonal before has a gradient.

    Raises:
        ShapeError: There are fewer than two dims, or more than two that are not equal.
        GradientError: A leaf that requires grad is written.
        TypeError: `fill_value` is no number.
        DisposedError: The tensor is disposed.

    >>> gb.zeros(2, 2).fill_diagonal_(3)
    tensor([[3., 0.],
            [0., 3.]])
    """
    op = "fill_diagonal_"
    number = check.scalar(op, "fill_value", fill_value)
    goes_on = check.flag(op, "wrap", wrap)
    sizes = check.tensor(op, "input", self).shape
    if len(sizes) < 2 or (len(sizes) > 2 and len(set(sizes)) > 1):
        raise ShapeError(
            f"{op}: sizes {[*sizes]}; two dims, or more that are all equal, are needed"
        )
    step = sum(self.stride())
    square = min(sizes)
    with _engine.DisposeScope(op):
        self.as_strided((square,), (step,), self.storage_offset()).fill_(number)
        if goes_on and len(sizes) == 2:
            rows, columns = sizes
            for top in range(columns + 1, rows, columns + 1):
                below = self[top : min(top + columns, rows)]
                below.diagonal().fill_(number)
    return self


add_methods(
    Tensor,
    {
        "as_strided_scatter": as_strided_scatter,
        "slice_scatter": slice_scatter,
        "select_scatter": select_scatter,
        "diagonal_scatter": diagonal_scatter,
        "fill_diagonal_": _fill_diagonal_,
    },
)

all_overridable(globals())
