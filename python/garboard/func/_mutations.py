"""Functions that write in place, as functions of their arguments: they are already."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from garboard._arguments import check

__all__ = ["functionalize"]

_F = TypeVar("_F", bound=Callable[..., object])


def functionalize(func: _F, *, remove: str = "mutations") -> _F:
    """Return the function: writes in place stay in, for nothing here records a program.

    What it returns is the same, and so are its gradients and its batches.

    Args:
        func: A function.
        remove: "mutations" or "mutations_and_views", neither of which is removed.

    Returns:
        `func`.

    Raises:
        TypeError: `func` cannot be called.
        ValueError: Another `remove`.

    >>> gb.func.functionalize(gb.sin)(gb.zeros(1))
    tensor([0.])
    """
    check.choice("functionalize", "remove", remove, "mutations", "mutations_and_views")
    called: _F = check.function("functionalize", "func", func)
    return called
