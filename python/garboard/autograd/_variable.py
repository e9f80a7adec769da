"""What tensors with a history were called before PyTorch 0.4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard import _engine
from garboard._arguments import check
from garboard._engine import Tensor

__all__ = ["Variable"]


class _VariableType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableType):
    """Return a tensor over the same elements, without history; a Tensor has been one for long.

    `isinstance(x, Variable)` asks whether `x` is a Tensor.

    Args:
        data: A tensor of any shape, dtype and device, or what `gb.tensor` takes.
        requires_grad: True asks for a gradient: makes it a leaf.

    Returns:
        A Tensor that shares `data`'s storage, where that is a tensor.

    Raises:
        GradientError: A gradient is asked for and the dtype is not floating.
        TypeError: `data` can be no tensor, or `requires_grad` is no bool.

    >>> x = gb.autograd.Variable(gb.ones(2), requires_grad=True)
    >>> (x * 3).sum().backward()
    >>> x.grad
    tensor([3., 3.])
    """

    if TYPE_CHECKING:

        def __new__(  # type: ignore[misc]
            cls, data: object, requires_grad: bool = False
        ) -> Tensor: ...

    else:

        def __new__(cls, data, requires_grad=False):
            wants = check.flag("Variable", "requires_grad", requires_grad)
            made = data.detach() if isinstance(data, Tensor) else _engine.tensor(data)
            return made.requires_grad_(wants)
