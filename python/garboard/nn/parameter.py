"""Parameters: leaf tensors that a module registers when they are assigned to it."""

from __future__ import annotations

from typing import Any, Self

from garboard import _check as check
from garboard._engine import Tensor

__all__ = ["Parameter", "clear_gradients"]


class Parameter(Tensor):
    """A leaf tensor that becomes a module's parameter by being assigned to an attribute of it.

    It shares `data`'s storage, without history: what is written into one is seen in the other.
    Made inside a dispose scope, it belongs to that scope until a module owns it.

    Args:
        data: A tensor of any shape; a floating one where a gradient is asked for. An empty
            float32 tensor by default.
        requires_grad: Ask for a gradient.

    Raises:
        GradientError: `requires_grad` for a dtype that has no gradients.
        DisposedError: `data` has ended.

    >>> weight = gb.nn.Parameter(gb.zeros(2))
    >>> weight.requires_grad, isinstance(weight, gb.Tensor)
    (True, True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        parameter = Tensor.__new__(cls) if data is None else Tensor.__new__(cls, data)
        parameter.requires_grad_(requires_grad)
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Copy the elements into a parameter of its own; the gradient is not copied."""
        if id(self) not in check.of_type(dict, "deepcopy", "memo", memo):
            memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        copied: Self = memo[id(self)]
        return copied

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def clear_gradients(parameter: Tensor, set_to_none: bool) -> None:
    """Drop the gradient of `parameter`, or write zeros into it, without its history.

    Args:
        parameter: A leaf, with a gradient or without.
        set_to_none: True drops it.

    Raises:
        DisposedError: The parameter is disposed.

    >>> from garboard.nn.parameter import clear_gradients
    >>> x = gb.nn.Parameter(gb.ones(2))
    >>> x.sum().backward()
    >>> clear_gradients(x, set_to_none=False)
    >>> x.grad
    tensor([0., 0.])
    """
    if set_to_none:
        parameter.grad = None
        return
    gradient = parameter.grad
    if gradient is None:
        return
    if gradient.requires_grad:  # of a pass with create_graph: zeros must not hang on that graph
        parameter.grad = gradient
        gradient = parameter.grad
    gradient.zero_()
