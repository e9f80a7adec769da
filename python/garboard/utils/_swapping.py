"""Two tensors in each other's place."""

from __future__ import annotations

from garboard import _engine
from garboard._arguments import check
from garboard._engine import GradientError, Tensor
from garboard._ops.exchange import attributes_on

__all__ = ["swap_tensors"]


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Swap what two tensors hold: whoever has one of them sees the other's elements from now on.

    Memory, sizes, dtypes, devices, gradients, whether they require any, and attributes change
    places; the objects stay what they are, and hooks stay with them. Views of either see the memory
    that they saw.

    Args:
        t1: A leaf, as parameters are.
        t2: Another of the same class.

    Raises:
        GradientError: One has a history, or is a view; `detach()` it first.
        TypeError: One is no Tensor, or their classes differ.
        DisposedError: A tensor is disposed.

    >>> x, y = gb.zeros(2), gb.ones(3)
    >>> gb.utils.swap_tensors(x, y)
    >>> x, y
    (tensor([1., 1., 1.]), tensor([0., 0.]))
    """
    op = "swap_tensors"
    pair = [check.tensor(op, "t1", t1), check.tensor(op, "t2", t2)]
    if type(t1) is not type(t2):
        raise TypeError(
            f"{op}: a {type(t1).__name__} and a {type(t2).__name__}; two of one class are needed"
        )
    for one in pair:
        _engine._require_living(one, op)
        if not one.is_leaf or one._is_view():
            raise GradientError(f"{op}: a tensor with a history, or a view; detach() it first")
    if t1 is t2:
        return
    held = [(it.detach(), it.requires_grad, it.grad, attributes_on(it)) for it in pair]
    for one in pair:
        one.grad = None
        for name in attributes_on(one):
            delattr(one, name)
    for one, (elements, requires_grad, gradient, attributes) in zip(pair, held[::-1], strict=True):
        one.requires_grad_(False)
        one.data = elements
        one.requires_grad_(requires_grad)
        one.grad = gradient
        for name, value in attributes.items():
            setattr(one, name, value)
