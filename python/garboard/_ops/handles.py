"""In-place forms of what only sees elements in another way: the handle holds the view from then on.

The tensor that it held before, its other handles and what a graph has kept of it stay as they are.
"""

from __future__ import annotations

from typing import TypeVar

from garboard._arguments import check
from garboard._arguments.numpy_names import takes_axis
from garboard._engine import GradientError, Tensor, is_grad_enabled
from garboard._native import add_methods
from garboard.types import Size

__all__ = ["changed"]

_Sub = TypeVar("_Sub", bound=Tensor)


def _checked(op: str, given: Tensor) -> Tensor:
    tensor = check.tensor(op, "input", given)
    if tensor.is_leaf and tensor.requires_grad and is_grad_enabled():
        plain = op.removesuffix("_")
        raise GradientError(f"{op}: a leaf that requires grad; use {plain}(), which makes another")
    return tensor


def changed(op: str, tensor: Tensor, made: Tensor) -> Tensor:
    """Let `tensor` hold what `made` holds, whose handle ends."""
    with made:  # ends the other handle
        if tensor.is_leaf and tensor.requires_grad:  # it stays the leaf that it is
            tensor.data = made
            return tensor
        try:
            tensor._become(made)
        except GradientError as error:
            # A gradient without history: its parameter has it turned, too.
            if tensor.is_leaf and made.numel() == tensor.numel():
                tensor.data = made
                return tensor
            raise GradientError(f"{op}: {str(error).partition(': ')[2]}") from None
    return tensor


@takes_axis
def squeeze_(self: Tensor, dim: int | tuple[int, ...] | list[int] | None = None) -> Tensor:
    """Take dims of size 1 out, in place.

    Args:
        dim: One, or several; all by default.

    Returns:
        The tensor itself.

    Raises:
        GradientError: A leaf that requires grad, where gradients are recorded.
        IndexOutOfRangeError: A dim is out of range.

    >>> gb.ones(1, 2).squeeze_().shape
    (2,)
    """
    held = _checked("squeeze_", self)
    return changed("squeeze_", self, held.squeeze() if dim is None else held.squeeze(dim))


@takes_axis
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Put a dim of size 1 in, in place.

    Args:
        dim: Where it stands afterwards.

    Returns:
        The tensor itself.

    Raises:
        GradientError: A leaf that requires grad, where gradients are recorded.
        IndexOutOfRangeError: The dim is out of range.

    >>> gb.ones(2).unsqueeze_(0).shape
    (1, 2)
    """
    return changed("unsqueeze_", self, _checked("unsqueeze_", self).unsqueeze(dim))


def t_(self: Tensor) -> Tensor:
    """Swap the two dims of a matrix, in place.

    Returns:
        The tensor itself.

    Raises:
        GradientError: A leaf that requires grad, where gradients are recorded.
        ShapeError: More than two dims.

    >>> gb.ones(2, 3).t_().shape
    (3, 2)
    """
    return changed("t_", self, _checked("t_", self).t())


def transpose_(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dims, in place; `swapaxes_` and `swapdims_` are the same.

    Args:
        dim0: One.
        dim1: The other.

    Returns:
        The tensor itself.

    Raises:
        GradientError: A leaf that requires grad, where gradients are recorded.
        IndexOutOfRangeError: A dim is out of range.

    >>> gb.ones(2, 3, 4).transpose_(0, 2).shape
    (4, 3, 2)
    """
    return changed("transpose_", self, _checked("transpose_", self).transpose(dim0, dim1))


def as_strided_(
    self: Tensor, size: Size, stride: Size, storage_offset: int | None = None
) -> Tensor:
    """See the storage by other sizes and strides, in place.

    Args:
        size: The sizes.
        stride: The strides, in elements.
        storage_offset: Where the first element stands; where it stands now by default.

    Returns:
        The tensor itself.

    Raises:
        GradientError: A leaf that requires grad, where gradients are recorded.
        ShapeError: What leads out of the storage.

    >>> gb.arange(6).as_strided_((3,), (2,)).tolist()
    [0, 2, 4]
    """
    held = _checked("as_strided_", self)
    start = held.storage_offset() if storage_offset is None else storage_offset
    return changed("as_strided_", self, held.as_strided(size, stride, start))


def swapaxes_(self: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap two dims, in place: what NumPy calls `transpose_`.

    Args:
        axis0: A dim, in [-ndim, ndim).
        axis1: The other.

    Returns:
        The tensor itself.

    Raises:
        IndexOutOfRangeError: A dim lies outside.
        GradientError: The tensor is a leaf that requires grad.

    >>> gb.zeros(2, 3).swapaxes_(0, 1).shape
    (3, 2)
    """
    return transpose_(self, axis0, axis1)


def detach_(self: Tensor) -> Tensor:
    """Take the tensor out of the graph that made it, in place.

    Returns:
        The tensor itself, which requires no grad from then on.

    Raises:
        GradientError: It has gradient hooks.

    >>> x = gb.ones(2, requires_grad=True) * 2
    >>> x.detach_().requires_grad
    False
    """
    held = check.tensor("detach_", "input", self)
    if held.is_leaf:
        return held.requires_grad_(False)
    return held if held._forget_history() else changed("detach_", held, held.detach())


def _make_subclass(cls: type[_Sub], data: Tensor, require_grad: bool = False) -> _Sub:
    """Give a handle on the tensor without its history, as an object of `cls`.

    Args:
        cls: A class made of Tensor; its `__init__` is not called.
        data: Any tensor.
        require_grad: Whether it asks for a gradient.

    Returns:
        A new handle, a leaf.

    Raises:
        TypeError: One is something else.
        GradientError: A gradient is asked for, and the dtype has none.

    >>> class Image(gb.Tensor):
    ...     pass
    >>> gb.Tensor._make_subclass(Image, gb.ones(2))
    Image([1., 1.])
    """
    asks = check.flag("_make_subclass", "require_grad", require_grad)
    leaf = check.tensor("_make_subclass", "data", data).detach().as_subclass(cls)
    return leaf.requires_grad_() if asks else leaf


add_methods(
    Tensor,
    {
        "_make_subclass": staticmethod(_make_subclass),
        "as_strided_": as_strided_,
        "detach_": detach_,
        "squeeze_": squeeze_,
        "swapaxes_": swapaxes_,
        "swapdims_": transpose_,
        "t_": t_,
        "transpose_": transpose_,
        "unsqueeze_": unsqueeze_,
    },
)
