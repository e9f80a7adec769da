"""In-place changes of a tensor's sizes, over the storage it has while that is large enough.

The tensor that the handle held before, its other handles and its views stay as they are.
"""

from __future__ import annotations

from math import prod

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DisposeScope, GradientError, Tensor, empty
from garboard._native import add_methods
from garboard._ops.handles import changed
from garboard.types import Size

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


def resize_(self: Tensor, *sizes: Size | int) -> Tensor:
    """Give the tensor other sizes, in place, whatever the number of its elements.

    Elements are read in the order in which they lie in the storage, from the tensor's first. Where
    the storage has too few the tensor gets a new one, with these first and then any numbers; what
    else looks at the old one is not changed by what is written afterwards.

    Args:
        sizes: The sizes: integers, or a list or tuple of them.

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
    if len(sizes) == 1:
        return _resized(op, self, check.sizes(op, "sizes", sizes[0]))
    return _resized(
        op, self, tuple(check.size(op, f"sizes[{shown(at)}]", one) for at, one in enumerate(sizes))
    )


def resize_as_(self: Tensor, other: Tensor) -> Tensor:
    """Give the tensor another one's sizes, in place, as `resize_` does.

    Args:
        other: Whose sizes; its dtype and device do not matter.

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
    return _resized("resize_as_", self, check.tensor("resize_as_", "other", other).shape)


add_methods(Tensor, {"resize_": resize_, "resize_as_": resize_as_})
