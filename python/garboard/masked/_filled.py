"""Tensors whose elements that do not count are written over by what changes no result."""

from __future__ import annotations

from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._engine import IndexOutOfRangeError, ShapeError, Tensor
from garboard._ops.dtypes import iinfo

__all__ = ["count_of", "dims_of", "filled", "highest", "lowest", "mask_of"]


def mask_of(op: str, input: Tensor, mask: Any, name: str = "mask") -> Tensor:
    """Return a mask in the sizes of the input, as bools."""
    given = check.tensor(op, name, mask)
    if given.ndim > input.ndim:
        raise IndexOutOfRangeError(
            f"{op}: a {name} of {given.ndim} dims for {input.ndim}; as many or fewer are needed"
        )
    return given.bool().expand(input.shape)


def filled(op: str, input: Any, mask: Any, number: Any, name: str = "mask") -> Tensor:
    """Return the input with a number where the mask is False."""
    x = check.tensor(op, "input", input)
    if mask is None:
        return x
    value = bool(number) if x.dtype == _engine.bool else number
    return x.masked_fill(~mask_of(op, x, mask, name), value)


def lowest(x: Tensor) -> Any:
    """What no element of a dtype is below."""
    return _bound(x, -1)


def highest(x: Tensor) -> Any:
    """What no element of a dtype is above."""
    return _bound(x, 1)


def _bound(x: Tensor, sign: int) -> Any:
    if x.is_floating_point() or x.is_complex():
        return sign * float("inf")
    if x.dtype == _engine.bool:
        return sign > 0
    return iinfo(x.dtype).max if sign > 0 else iinfo(x.dtype).min


def dims_of(op: str, input: Any, dim: Any) -> tuple[int, ...]:
    """The dims that are meant, in their order: all of them by None, or by no dim."""
    count = check.tensor(op, "input", input).ndim
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return tuple(range(count))
    given = dim if isinstance(dim, (list, tuple)) else (dim,)
    found = sorted(check.place(op, "dim", it, max(count, 1)) for it in given)
    if len(set(found)) != len(found):
        raise ShapeError(f"{op}: dims {found}; each once is needed")
    return tuple(found)


def count_of(op: str, input: Tensor, dims: tuple[int, ...], mask: Any, keepdim: bool) -> Tensor:
    """How many elements count, along dims."""
    if mask is None:
        ones = input.new_ones(()).bool().expand(input.shape)
        return ones.sum(dims, keepdim=keepdim)
    return mask_of(op, input, mask).sum(dims, keepdim=keepdim)
