"""Classes made of Tensor: what is computed from an object of one is of it, as in PyTorch."""

from __future__ import annotations

from typing import Any

from garboard._engine import Tensor, _disabled_torch_function_impl

__all__ = ["class_of", "classed"]


def class_of(*given: object) -> type[Tensor]:
    """Return the class that the results of a function are of: the first that is not Tensor itself.

    A class that declines `__torch_function__`, as Parameter does, has no say, nor one whose objects
    are made in their own way and which says so by `_gives_its_class`.
    """
    for one in given:
        cls: type[Any] = type(one)
        if cls is Tensor or not isinstance(one, Tensor):
            continue
        if not getattr(cls, "_gives_its_class", True):
            continue
        method: Any = getattr(cls, "__torch_function__", _disabled_torch_function_impl)
        if method is not _disabled_torch_function_impl:
            return cls
    return Tensor


def classed(made: Tensor, *given: object) -> Tensor:
    """Return `made` as an object of the class of what it was computed from.

    >>> from garboard._arguments.classes import classed
    >>> classed(gb.ones(1), gb.zeros(1))
    tensor([1.])
    """
    cls = class_of(*given)
    return made if isinstance(made, cls) else Tensor.as_subclass(made, cls)
