"""In which order a tensor's dims lie in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._arguments.layouts import channels_last, channels_last_3d, memory_format
from garboard._engine import ShapeError, Tensor
from garboard._native import add_methods

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__: list[str] = []


def _places(x: Tensor) -> tuple[int, ...]:
    """The dims by their strides, the widest first, and in their own order where nothing tells."""
    if x.is_contiguous():
        return tuple(range(x.ndim))
    if any(_fits(x, form) for form in (channels_last, channels_last_3d)):
        return (0, *range(2, x.ndim), 1)
    strides, sizes = x.stride(), x.shape
    found: list[int] = []
    for dim in range(x.ndim):
        place = len(found)
        for at in reversed(range(len(found))):
            other = found[at]
            if not strides[dim] or not strides[other]:
                continue  # a dim that is expanded lies anywhere
            if (strides[dim], sizes[dim]) <= (strides[other], sizes[other]):
                break
            place = at
        found.insert(place, dim)
    return tuple(found)


def dim_order(
    self: Tensor, *, ambiguity_check: bool | Sequence[memory_format] = False
) -> tuple[int, ...]:
    """Return the dims in the order in which they lie in memory, the outermost first.

    Args:
        ambiguity_check: Refuse a tensor whose dims could be told to lie in another order, as one
            of size 1 could; or a list of formats, of which exactly one is to fit then.

    Raises:
        ShapeError: `ambiguity_check`, and another order would do as well.
        TypeError: It is neither a bool nor a list of memory formats.
        DisposedError: The tensor is disposed.

    >>> gb.ones(2, 3, 4, 5).dim_order()
    (0, 1, 2, 3)
    >>> gb.ones(2, 4, 5, 3).permute(0, 3, 1, 2).dim_order()
    (0, 2, 3, 1)
    """
    op = "dim_order"
    x = check.tensor(op, "input", self)
    if isinstance(ambiguity_check, (list, tuple)):
        formats = [
            check.of_type(memory_format, op, f"ambiguity_check[{at}]", one)
            for at, one in enumerate(ambiguity_check)
        ]
        is_asked = True
    else:
        is_asked, formats = check.flag(op, "ambiguity_check", ambiguity_check), []
    strides = x.stride()
    is_ambiguous = 1 in x.shape or 0 in strides or len({*strides}) < x.ndim
    if is_asked and is_ambiguous:
        fitting = sum(_fits(x, it) for it in formats)
        if fitting != 1:
            raise ShapeError(
                f"{op}: sizes {list(x.shape)} with strides {list(strides)}, which several orders "
                "fit; dims of other sizes than 1, or one format that fits, are needed"
            )
    return _places(x)


def _fits(x: Tensor, form: memory_format) -> bool:
    dims = {channels_last: 4, channels_last_3d: 5}.get(form, x.ndim)
    return x.ndim == dims and x.is_contiguous(memory_format=form)


add_methods(Tensor, {"dim_order": dim_order})
