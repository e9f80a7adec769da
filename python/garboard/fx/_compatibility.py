"""What marks functions of `fx` as PyTorch promises to keep them, or not: it changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from garboard._arguments import check

__all__ = ["compatibility"]

_F = TypeVar("_F", bound=Callable[..., Any])


def compatibility(is_backward_compatible: bool) -> Callable[[_F], _F]:
    """Return a decorator that returns what it is given.

    Programs put it on methods of their own subclasses of `Tracer`.

    Args:
        is_backward_compatible: Whether what it marks is kept as it is; nobody asks.

    Raises:
        TypeError: Something else.

    >>> from garboard.fx._compatibility import compatibility
    >>> compatibility(is_backward_compatible=True)(len) is len
    True
    """
    check.flag("compatibility", "is_backward_compatible", is_backward_compatible)
    return lambda marked: marked
