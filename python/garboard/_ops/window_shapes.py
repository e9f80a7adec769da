"""A window of so many elements: what all of them have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.texts import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from garboard._engine import Tensor
    from garboard.types import Device, DType

__all__ = ["full_precision", "shaped_window", "window_of"]


def window_of(
    op: str,
    count: int,
    length: int,
    shape: Callable[[Tensor, int], Tensor],
    dtype: DType | None,
    device: Device | None,
    requires_grad: bool,
) -> Tensor:
    """The first `count` of the `length` elements `shape(0, 1, ..., length)`.

    In float64, and rounded once; 1 where there is one element.
    """
    asks = check.flag(op, "requires_grad", requires_grad)
    wanted = _engine.get_default_dtype() if dtype is None else dtype
    made = _engine.ones(count, dtype=wanted, device=device)
    if not made.dtype.is_floating_point:
        made.dispose()
        raise _engine.DTypeError(f"{op}: dtype {wanted}; a floating dtype is needed")
    if count > 1:
        with _engine.DisposeScope(op):
            places = _engine.arange(count, dtype=_engine.float64, device=device)
            made.copy_(shape(places, length))
    return made.requires_grad_(asks)


def shaped_window(
    op: str,
    count: int,
    sym: bool,
    dtype: DType | None,
    device: Device | None,
    requires_grad: bool,
    shape: Callable[[Tensor, int], Tensor],
) -> Tensor:
    """A window of `garboard.signal`: `shape` of the places, and of how many there are with the last
    one, which only a symmetric window has."""
    size = check.size(op, "M", count)
    length = size if check.flag(op, "sym", sym) else size + 1
    return window_of(op, size, length, shape, full_precision(op, dtype), device, requires_grad)


def full_precision(op: str, dtype: DType | None) -> DType | None:
    """What signals are multiplied by: float32 or float64."""
    if dtype not in (None, _engine.float32, _engine.float64):
        told = dtype if isinstance(dtype, _engine.dtype) else shown(dtype)
        raise _engine.DTypeError(f"{op}: dtype {told}; float32 or float64 is needed")
    return dtype
