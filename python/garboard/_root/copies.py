"""Views as copies, and parts that PyTorch does not watch: here they are copies, or plain views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from garboard import _engine
from garboard._arguments import check
from garboard._arguments.given import list_of
from garboard._arguments.numpy_names import takes_axis
from garboard._arguments.out import written
from garboard._engine import Tensor
from garboard._native import add_methods
from garboard.types import Size

__all__ = ["COPIES", "narrow_copy", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes"]

_VIEWS = (
    "as_strided detach diagonal expand permute select squeeze t transpose unbind unfold unsqueeze "
    "view view_as_complex view_as_real split split_with_sizes"
)


def _view(name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(Tensor, name, None) or getattr(_engine, name)
    return found


def _copied(name: str, view: Callable[..., Any]) -> Callable[..., Any]:
    def copy(input: Tensor, *given: Any, out: Any = None, **named: Any) -> Any:
        found = view(input, *given, **named)
        if not isinstance(found, tuple):
            return found.clone() if out is None else written(name, found, out)
        if out is None:
            return tuple(it.clone() for it in found)
        kept = list_of(Tensor, name, "out", out, "tensors")
        if len(kept) != len(found):
            raise _engine.ShapeError(
                f"{name}: out of {len(kept)} tensors for {len(found)} parts; one each is needed"
            )
        return tuple(written(name, it, to) for it, to in zip(found, kept, strict=True))

    copy.__name__ = copy.__qualname__ = name
    viewed = name.removesuffix("_copy")
    copy.__doc__ = f"Return a copy of what `{viewed}` views. Of several, `out` is a list."
    return copy


def _sliced(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    place = check.place("slice_copy", "dim", dim, input.ndim)
    return input[(*[slice(None)] * place, slice(start, end, step))]


COPIES: dict[str, Callable[..., Any]] = {
    **{f"{name}_copy": _copied(f"{name}_copy", _view(name)) for name in _VIEWS.split()},
    "alias_copy": _copied("alias_copy", Tensor.alias),
    "slice_copy": _copied("slice_copy", _sliced),
}
globals().update(COPIES)


@takes_axis
def narrow_copy(
    input: Tensor, dim: int, start: int, length: int, *, out: Tensor | None = None
) -> Tensor:
    """Return a copy of some places along a dim.

    Args:
        input: Tensor of at least one dim.
        dim: The dim.
        start: The first place.
        length: How many.
        out: Where the result goes.

    Returns:
        A new tensor, or `out`.

    Raises:
        IndexOutOfRangeError: There is no such dim, or are no such places.
        ShapeError: `out` has other sizes.
        DisposedError: The tensor is disposed.

    >>> gb.arange(4).narrow_copy(0, 1, 2)
    tensor([1, 2])
    """
    found = input.narrow(dim, start, length)
    return found.clone() if out is None else written("narrow_copy", found, out)


@takes_axis
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return `chunk`: views, whose writes are seen in the tensor.

    Args:
        input: Tensor of at least one dim.
        chunks: How many.
        dim: Along which.

    Returns:
        A tuple of views.

    Raises:
        IndexOutOfRangeError: There is no such dim.
        DisposedError: The tensor is disposed.

    >>> gb.arange(4).unsafe_chunk(2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return input.chunk(chunks, dim)


@takes_axis
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Return `split`: views, whose writes are seen in the tensor.

    Args:
        input: Tensor of at least one dim.
        split_size: How many places each has.
        dim: Along which.

    Returns:
        A tuple of views.

    Raises:
        IndexOutOfRangeError: There is no such dim.
        DisposedError: The tensor is disposed.

    >>> gb.arange(3).unsafe_split(2)
    (tensor([0, 1]), tensor([2]))
    """
    return input.split(split_size, dim)


@takes_axis
def unsafe_split_with_sizes(input: Tensor, split_sizes: Size, dim: int = 0) -> tuple[Tensor, ...]:
    """Return `split` by sizes: views, whose writes are seen in the tensor.

    Args:
        input: Tensor of at least one dim.
        split_sizes: How many places each has.
        dim: Along which.

    Returns:
        A tuple of views.

    Raises:
        ShapeError: The sizes do not add up.
        IndexOutOfRangeError: There is no such dim.
        DisposedError: The tensor is disposed.

    >>> gb.arange(3).unsafe_split_with_sizes([1, 2])
    (tensor([0]), tensor([1, 2]))
    """
    return input.split(split_sizes, dim)


add_methods(
    Tensor,
    {
        "narrow_copy": narrow_copy,
        "unsafe_chunk": unsafe_chunk,
        "unsafe_split": unsafe_split,
        "unsafe_split_with_sizes": unsafe_split_with_sizes,
    },
)
