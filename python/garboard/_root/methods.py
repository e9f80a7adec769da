"""Methods of tensors that few programs call."""

from __future__ import annotations

from collections.abc import Callable

from garboard import _engine
from garboard._arguments import check
from garboard._contexts.grad_mode import no_grad
from garboard._engine import DeviceError, Tensor
from garboard._native import add_methods
from garboard.nn import functional
from garboard.types import Element

__all__ = ["apply_", "hardshrink", "is_set_to", "map_", "prelu"]


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


add_methods(
    Tensor,
    {
        "apply_": apply_,
        "hardshrink": hardshrink,
        "is_set_to": is_set_to,
        "map_": map_,
        "prelu": prelu,
    },
)
