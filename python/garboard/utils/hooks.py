"""The handles of hooks, where PyTorch's users look for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from garboard._arguments import check
from garboard._hooks import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook"]

_F = TypeVar("_F", bound=Callable[..., Any])


def unserializable_hook(f: _F) -> _F:
    """Mark a hook as one that need not be saved with its tensor; none is saved here.

    Args:
        f: The hook.

    Returns:
        The hook itself, with `__torch_unserializable__`, which is true.

    Raises:
        TypeError: It cannot be called.

    >>> hook = gb.utils.hooks.unserializable_hook(lambda gradient: gradient * 2)
    >>> vars(hook)
    {'__torch_unserializable__': True}
    """
    vars(check.function("unserializable_hook", "f", f))["__torch_unserializable__"] = True
    return f
