"""Layers whose parameters are not drawn, for something else will be written into them."""

from __future__ import annotations

from typing import Any, TypeVar

from garboard.nn.module import Module

__all__ = ["skip_init"]

_M = TypeVar("_M", bound=Module)


def skip_init(module_cls: type[_M], *args: Any, **kwargs: Any) -> _M:
    """Make a layer without drawing its parameters, whose elements may be anything then.

    Args:
        module_cls: The layer's class, which draws its parameters in `reset_parameters`.
        *args: What it is made with.
        **kwargs: Likewise, by name.

    Returns:
        The layer.

    Raises:
        TypeError: `module_cls` is no class of modules.

    >>> gb.nn.utils.skip_init(gb.nn.Linear, 3, 2).weight.shape
    (2, 3)
    """
    if not isinstance(module_cls, type) or not issubclass(module_cls, Module):
        raise TypeError(
            f"skip_init: module_cls is of type {type(module_cls).__name__}; a class of modules is "
            "needed"
        )
    undrawn = type(module_cls.__name__, (module_cls,), {"reset_parameters": lambda self: None})
    made: Any = undrawn(*args, **kwargs)
    made.__class__ = module_cls
    layer: _M = made
    return layer
