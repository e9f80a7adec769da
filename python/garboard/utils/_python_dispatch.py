"""What programs ask of PyTorch's dispatcher, which calls Python for each op beneath autograd.

There is none here: `TorchFunctionMode` is given the calls of ops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from garboard._engine import Tensor
from garboard._names.missing import module_getattr

__all__ = ["is_traceable_wrapper_subclass"]


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Tell whether something is a tensor of a class that says of which tensors it is made.

    Args:
        t: Anything.

    Returns:
        Whether it is of a class made of Tensor with `__tensor_flatten__` and
        `__tensor_unflatten__`.

    >>> from garboard.utils._python_dispatch import is_traceable_wrapper_subclass
    >>> is_traceable_wrapper_subclass(gb.ones(1))
    False
    """
    return is_traceable_wrapper_subclass_type(type(t))


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Tell the same of a class.

    >>> from garboard.utils._python_dispatch import is_traceable_wrapper_subclass_type
    >>> is_traceable_wrapper_subclass_type(gb.Tensor)
    False
    """
    return (
        isinstance(t, type)
        and issubclass(t, Tensor)
        and t is not Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(t, "__tensor_unflatten__")
    )


if not TYPE_CHECKING:
    __getattr__ = module_getattr(__name__)
