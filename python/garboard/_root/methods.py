"""Methods of tensors that few programs call."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING
from warnings import warn

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DeviceError, ShapeError, Tensor
from garboard._native import add_methods
from garboard.nn import functional
from garboard.storage import TypedStorage
from garboard.types import Element, Size

if TYPE_CHECKING:
    from garboard._arguments.layouts import layout
    from garboard.types import Device, DType

__all__ = [
    "apply_",
    "hardshrink",
    "is_set_to",
    "map2_",
    "map_",
    "new_empty_strided",
    "prelu",
    "resize",
    "resize_as",
    "storage_type",
]


def apply_(self: Tensor, callable: Callable[[Element], Element]) -> Tensor:
    """Replace each element by what a function of Python's makes of it, in place.

    It is called once an element, which is slow; nothing of it is recorded.

    Args:
        callable: Takes a number and returns one.

    Returns:
        The tensor itself.

    Raises:
        DeviceError: The tensor is not on the CPU.
        GradientError: A leaf that requires grad is written.
        TypeError: `callable` is none, or returns no number.
        DisposedError: The tensor is disposed.

    >>> gb.tensor([1.0, 2.0]).apply_(lambda x: x + 0.5)
    tensor([1.5000, 2.5000])
    """
    return _called("apply_", check.function("apply_", "callable", callable), self)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Element, Element], Element]) -> Tensor:
    """Replace each element by what a function of Python's makes of it and of another's.

    It is called once an element, which is slow; nothing of it is recorded.

    Args:
        tensor: Of sizes that broadcast to this one's.
        callable: Takes two numbers and returns one.

    Returns:
        The tensor itself.

    Raises:
        DeviceError: A tensor is not on the CPU.
        ShapeError: The sizes do not broadcast.
        GradientError: A leaf that requires grad is written.
        TypeError: `callable` is none, or returns no number.
        DisposedError: A tensor is disposed.

    >>> gb.tensor([1.0, 2.0]).map_(gb.tensor([10.0, 20.0]), lambda x, y: x + y)
    tensor([11., 22.])
    """
    other = check.tensor("map_", "tensor", tensor)
    return _called("map_", check.function("map_", "callable", callable), self, other)


def map2_(
    self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Element, Element, Element], Element]
) -> Tensor:
    """Replace each element by what a function of Python's makes of it and of two others'.

    It is called once an element, which is slow; nothing of it is recorded.

    Args:
        x: Of sizes that broadcast to this one's.
        y: Likewise.
        callable: Takes three numbers and returns one.

    Returns:
        The tensor itself.

    Raises:
        DeviceError: A tensor is not on the CPU.
        ShapeError: The sizes do not broadcast.
        GradientError: A leaf that requires grad is written.
        TypeError: `callable` is none, or returns no number.
        DisposedError: A tensor is disposed.

    >>> gb.zeros(2).map2_(gb.tensor([1.0, 2.0]), gb.tensor([3.0]), lambda a, b, c: a + b * c)
    tensor([3., 6.])
    """
    others = check.tensor("map2_", "x", x), check.tensor("map2_", "y", y)
    return _called("map2_", check.function("map2_", "callable", callable), self, *others)


def _called(op: str, act: Callable[..., Element], target: Tensor, *others: Tensor) -> Tensor:
    for one in (target, *others):
        _engine._require_living(one, op)
        if one.device.type != "cpu":
            raise DeviceError(f"{op}: a tensor on {one.device}; one on the CPU is needed")
    with no_grad():
        columns = [it.expand(target.shape).flatten().tolist() for it in (target, *others)]
        made = _engine.tensor([act(*row) for row in zip(*columns, strict=True)], dtype=target.dtype)
    return target.copy_(made.reshape(target.shape))


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Tell whether a tensor sees the same elements of the same storage, in the same order.

    Args:
        tensor: Another.

    Returns:
        A bool.

    Raises:
        TypeError: It is no Tensor.
        DisposedError: A tensor is disposed.

    >>> x = gb.ones(2, 3)
    >>> x.is_set_to(x.alias()), x.is_set_to(x.T)
    (True, False)
    """
    other = check.tensor("is_set_to", "tensor", tensor)
    ours, theirs = self.untyped_storage(), other.untyped_storage()
    return (ours.serial, self.dtype, self.storage_offset(), self.shape, self.stride()) == (
        theirs.serial,
        other.dtype,
        other.storage_offset(),
        other.shape,
        other.stride(),
    )


def prelu(self: Tensor, weight: Tensor) -> Tensor:
    """Return `nn.functional.prelu`: what is negative times a weight.

    Args:
        weight: One number, or one a channel.

    Returns:
        A new tensor.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: The dtypes differ.
        DisposedError: A tensor is disposed.

    >>> gb.tensor([-1.0, 1.0]).prelu(gb.tensor(0.5))
    tensor([-0.5000,  1.0000])
    """
    return functional.prelu(self, weight)


def hardshrink(self: Tensor, lambd: float = 0.5) -> Tensor:
    """Return `nn.functional.hardshrink`: 0 for what is within a distance of 0.

    Args:
        lambd: The distance.

    Returns:
        A new tensor.

    Raises:
        DTypeError: The dtype is not floating.
        DisposedError: The tensor is disposed.

    >>> gb.tensor([-1.0, 0.2]).hardshrink()
    tensor([-1.,  0.])
    """
    return functional.hardshrink(self, lambd)


def new_empty_strided(
    self: Tensor,
    size: Size | int,
    stride: Size | int,
    *,
    dtype: DType | None = None,
    device: Device | None = None,
    requires_grad: bool = False,
    layout: layout | None = None,
    pin_memory: bool | None = None,
) -> Tensor:
    """Return a tensor whose elements lie as the strides say, and are any numbers.

    Args:
        size: Its sizes.
        stride: How far one element is from the next along each dim, in elements.
        dtype: This tensor's by default.
        device: Likewise.
        requires_grad: Record what is computed from it.
        layout: `gb.strided`, the only one.
        pin_memory: Make it in pinned memory.

    Returns:
        A new tensor.

    Raises:
        ShapeError: Sizes and strides of different lengths, or a negative one.
        TypeError: An argument of another type.
        DisposedError: The tensor is disposed.
        OutOfMemoryError: There is no room.

    >>> gb.ones(1, dtype=gb.int64).new_empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    _engine._require_living(self, "new_empty_strided")
    return _engine.empty_strided(
        size,
        stride,
        dtype=self.dtype if dtype is None else dtype,
        device=self.device if device is None else device,
        requires_grad=requires_grad,
        layout=layout,
        pin_memory=pin_memory,
    )


def _resized(op: str, x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    if x.numel() != prod(sizes):
        raise ShapeError(
            f"{op}: {x.numel()} elements of sizes {list(x.shape)} as {list(sizes)}; as many are "
            f"needed, and {op}_ takes any"
        )
    return x.reshape(sizes)


def resize(self: Tensor, *sizes: Size | int) -> Tensor:
    """Return `reshape(sizes)`, by the name that it had in PyTorch; a warning says so.

    Args:
        sizes: The sizes: integers, or a list or tuple of them.

    Returns:
        A view, or a copy where the elements do not lie for one.

    Raises:
        ShapeError: There are more or fewer elements.
        TypeError: A size is no integer.
        DisposedError: The tensor is disposed.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     gb.ones(2, 3).resize(6).shape
    (6,)
    """
    _engine._require_living(self, "resize")
    given = sizes[0] if len(sizes) == 1 else sizes
    made = _resized("resize", self, check.sizes("resize", "sizes", given))
    warn("resize: it is deprecated; use reshape", stacklevel=2)
    return made


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Return `reshape_as(tensor)`, by the name that it had in PyTorch; a warning says so.

    Args:
        tensor: Whose sizes.

    Returns:
        A view, or a copy where the elements do not lie for one.

    Raises:
        ShapeError: There are more or fewer elements.
        TypeError: It is no Tensor.
        DisposedError: A tensor is disposed.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     gb.ones(2, 3).resize_as(gb.zeros(3, 2)).shape
    (3, 2)
    """
    other = check.tensor("resize_as", "tensor", tensor)
    for one in (self, other):
        _engine._require_living(one, "resize_as")
    made = _resized("resize_as", self, tuple(other.shape))
    warn("resize_as: it is deprecated; use reshape_as", stacklevel=2)
    return made


def storage_type(self: Tensor) -> type[TypedStorage]:
    """Return the class of `storage()`: one for all dtypes.

    >>> gb.ones(2).storage_type() is gb.storage.TypedStorage
    True
    """
    _engine._require_living(self, "storage_type")
    return TypedStorage


add_methods(
    Tensor,
    {
        "apply_": apply_,
        "hardshrink": hardshrink,
        "is_set_to": is_set_to,
        "map2_": map2_,
        "map_": map_,
        "new_empty_strided": new_empty_strided,
        "prelu": prelu,
        "resize": resize,
        "resize_as": resize_as,
        "storage_type": storage_type,
    },
)
