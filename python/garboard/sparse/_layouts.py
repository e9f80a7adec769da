"""What functions that make tensors do with a sparse layout: of zeros alone they make such a one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from garboard import _engine
from garboard._arguments import check, layouts
from garboard._arguments.errors import ArgumentError
from garboard._arguments.texts import printable
from garboard.sparse._made import sparse_coo_tensor
from garboard.sparse._products import is_sparse
from garboard.sparse._rows import sparse_csc_tensor, sparse_csr_tensor
from garboard.sparse._tensor import SparseTensor

__all__ = ["answer", "empty"]

_OF_SIZES = ("zeros", "empty")
_LIKE = ("zeros_like", "empty_like")
_OF_ONE = ("new_zeros", "new_empty")


class _LayoutError(ArgumentError, NotImplementedError, TypeError):
    """A layout in which what is asked for is not made."""


def empty(sizes: Sequence[int], layout: layouts.layout, **options: Any) -> SparseTensor:
    """A sparse tensor of some sizes that tells no element, which asks for gradients or not."""
    dtype = options.get("dtype")
    values = _engine.zeros(0, dtype=dtype, device=options.get("device"))
    asks = bool(options.get("requires_grad"))
    if layout is layouts.sparse_coo:
        places = _engine.zeros(len(sizes), 0, dtype=_engine.int64, device=values.device)
        return sparse_coo_tensor(places, values, sizes, requires_grad=asks)
    kinds: dict[Any, tuple[Callable[..., SparseTensor], int]] = {
        layouts.sparse_csr: (sparse_csr_tensor, 0),
        layouts.sparse_csc: (sparse_csc_tensor, 1),
    }
    if layout not in kinds or len(sizes) != 2:
        raise _LayoutError(
            f"zeros: layout {printable(str(layout))} of sizes {[*sizes]}; sparse_coo, or of two "
            "sizes sparse_csr or sparse_csc, is needed"
        )
    make, along = kinds[layout]
    begins = _engine.zeros(sizes[along] + 1, dtype=_engine.int64)
    return make(begins, begins[:0], values, sizes, requires_grad=asks)


def answer(func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Make what a function makes in the sparse layout that it is given.

    NotImplemented of one that is made of others, which answer.

    Raises:
        NotImplementedError: It makes more than zeros.
    """
    name = func.__name__
    layout = kwargs.get("layout")
    if isinstance(layout, layouts._SparseLayout):
        rest = {key: value for key, value in kwargs.items() if key != "layout"}
        if name in (*_OF_SIZES, *_OF_ONE, *_LIKE):
            sizes, dtype, device = _asked(func, args, rest)
            asks = bool(rest.get("requires_grad"))
            return empty(sizes, layout, dtype=dtype, device=device, requires_grad=asks)
    if isinstance(func, _engine._Overridable):
        return NotImplemented
    raise _LayoutError(
        f"{name}: layout {printable(str(layout or 'a sparse one'))}; strided is needed, whose "
        "result takes to_sparse()"
    )


def _asked(
    func: Callable[..., Any], args: Sequence[Any], named: dict[str, Any]
) -> tuple[Sequence[int], Any, Any]:
    """The sizes, the dtype and the device of what a function makes, which checks them itself."""
    options = {key: named[key] for key in ("size", "dtype") if named.get(key) is not None}
    name = func.__name__
    if name in _LIKE:
        like: Any = args[0] if args else named.get("input")
        one = like if is_sparse(like) else check.tensor(name, "input", like)
        device = named.get("device") or one.device
        return one.shape, options.get("dtype", one.dtype), device
    device = named.get("device")
    if name in _OF_ONE:
        one, *rest = args
        one = one._told if is_sparse(one) else one
        args, device = (one, *rest), device or one.device
    made = func(*args, **options, device="meta")  # which has no elements
    return made.shape, made.dtype, device
