"""In-place changes of a tensor's sizes and memory; over its own while that is large enough.

The tensor that the handle held before, its other handles and its views stay as they are.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from garboard._arguments import check
from garboard._arguments.layouts import is_really
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import (
    DisposeScope,
    DTypeError,
    GradientError,
    ShapeError,
    Storage,
    Tensor,
    empty,
    is_grad_enabled,
)
from garboard._native import add_methods
from garboard._ops.handles import changed
from garboard.storage import TypedStorage
from garboard.types import Size

if TYPE_CHECKING:
    from garboard._arguments.layouts import memory_format

__all__: list[str] = []


def _resized(op: str, given: Tensor, sizes: tuple[int, ...]) -> Tensor:
    x = check.tensor(op, "input", given)
    if x.requires_grad:
        raise GradientError(f"{op}: a tensor that requires grad; detach() it first")
    if x.shape == sizes:
        return x
    start, count = x.storage_offset(), prod(sizes)
    held = x.untyped_storage().nbytes() // x.itemsize - start
    with no_grad(), DisposeScope(op) as scope:
        rest = x.as_strided((min(held, count),), (1,), start)
        if count <= held:
            made = rest.view(sizes)
        else:
            made = empty(sizes, dtype=x.dtype, device=x.device)
            made.view(-1)[:held].copy_(rest)
        scope.move_to_outer(made)
    return changed(op, x, made)


def resize_(self: Tensor, *sizes: Size | int, memory_format: memory_format | None = None) -> Tensor:
    """Give the tensor other sizes, in place, whatever the number of its elements.

    Elements are read in the order in which they lie in the storage, from the tensor's first. Where
    the storage has too few the tensor gets a new one, with these first and then any numbers; what
    else looks at the old one is not changed by what is written afterwards.

    Args:
        sizes: The sizes: integers, or a list or tuple of them.
        memory_format: Heard, and without effect: a tensor is in one layout.

    Returns:
        The tensor itself, contiguous; where it has these sizes already, as it was.

    Raises:
        GradientError: The tensor requires grad, has hooks, or is a gradient.
        ShapeError: A size is negative.
        TypeError: A size is no integer.
        DisposedError: The tensor is disposed.
        OutOfMemoryError: There is no room for a new storage.

    >>> x = gb.arange(6)
    >>> x.resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    >>> x.resize_(4, 2)[:3]
    tensor([[0, 1],
            [2, 3],
            [4, 5]])
    """
    op = "resize_"
    if memory_format is not None:
        check.memory_format(op, memory_format)
    if len(sizes) == 1:
        return _resized(op, self, check.sizes(op, "sizes", sizes[0]))
    return _resized(
        op, self, tuple(check.size(op, f"sizes[{shown(at)}]", one) for at, one in enumerate(sizes))
    )


def resize_as_(
    self: Tensor, other: Tensor, *, memory_format: memory_format | None = None
) -> Tensor:
    """Give the tensor another one's sizes, in place, as `resize_` does.

    Args:
        other: Whose sizes; its dtype and device do not matter.
        memory_format: Heard, and without effect: a tensor is in one layout.

    Returns:
        The tensor itself.

    Raises:
        TypeError: `other` is no Tensor.
        GradientError: The tensor requires grad, has hooks, or is a gradient.
        DisposedError: A tensor is disposed.
        OutOfMemoryError: There is no room for a new storage.

    >>> gb.arange(6).resize_as_(gb.ones(1, 3))
    tensor([[0, 1, 2]])
    """
    if memory_format is not None:
        check.memory_format("resize_as_", memory_format)
    return _resized("resize_as_", self, check.tensor("resize_as_", "other", other).shape)


def set_(
    self: Tensor,
    source: Tensor | Storage | TypedStorage | None = None,
    storage_offset: int = 0,
    size: Size | int | None = None,
    stride: Size | int | None = None,
) -> Tensor:
    """Let the tensor see the elements of another's memory, in place; nothing is copied.

    Args:
        source: A tensor of the same dtype, or a storage; without one the tensor has no elements.
        storage_offset: Where the first element stands in the memory, in elements.
        size: The sizes; by default those of a tensor, and all elements of a storage.
        stride: The strides, in elements; row-major by default.

    Returns:
        The tensor itself. What it saw before stays as it is, for its views and for others.

    Raises:
        GradientError: It requires grad while gradients are recorded, or is a view that has hooks.
        DTypeError: `source` is of another dtype.
        ShapeError: Sizes and strides lead out of the memory, which does not grow here.
        TypeError: An argument is of another type.
        DisposedError: A tensor is disposed.

    >>> x = gb.arange(6)
    >>> gb.zeros(0, dtype=gb.int64).set_(x.untyped_storage(), 1, (2, 2), (2, 1))
    tensor([[1, 2],
            [3, 4]])
    """
    op = "set_"
    x = check.tensor(op, "input", self)
    if x.requires_grad and is_grad_enabled():
        raise GradientError(f"{op}: a tensor that requires grad; call it under no_grad()")
    with no_grad(), DisposeScope(op) as scope:
        whole = _whole(op, x, source)
        if is_really(source, Tensor) and size is None and stride is None and not storage_offset:
            made = source.detach()
        else:
            start = check.size(op, "storage_offset", storage_offset)
            if start > len(whole):
                raise ShapeError(
                    f"{op}: storage_offset {shown(start)} in a storage of {len(whole)} elements; "
                    "as many or fewer are needed"
                )
            sizes = (max(len(whole) - start, 0),) if size is None else check.sizes(op, "size", size)
            steps = _row_major(sizes) if stride is None else check.sizes(op, "stride", stride)
            made = whole.as_strided(sizes, steps, start)
        if x.is_leaf and not x._is_view():
            x.data = made
            return x
        scope.move_to_outer(made)
    return changed(op, x, made)


def _whole(op: str, x: Tensor, source: object) -> Tensor:
    """All elements of the memory that `source` stands for."""
    if source is None:
        return empty(0, dtype=x.dtype, device=x.device)
    if (isinstance(source, TypedStorage) or is_really(source, Tensor)) and source.dtype != x.dtype:
        raise DTypeError(f"{op}: source of dtype {source.dtype}; {x.dtype} is needed")
    if is_really(source, Tensor):
        return source.untyped_storage()._elements(x.dtype)
    if isinstance(source, TypedStorage):
        return source.untyped()._elements(x.dtype)
    return check.of_type(Storage, op, "source", source)._elements(x.dtype)


def _row_major(sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(sizes[at + 1 :]) for at in range(len(sizes)))


add_methods(Tensor, {"resize_": resize_, "resize_as_": resize_as_, "set_": set_})
