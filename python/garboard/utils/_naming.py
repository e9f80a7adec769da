"""Where an object says that it is from."""

from __future__ import annotations

from garboard._arguments import check

__all__ = ["set_module"]


def set_module(obj: object, mod: str) -> None:
    """Let a class or a function say that it is of another module, as libraries show theirs.

    Args:
        obj: A class, a function, or what else has a `__module__` that can be set.
        mod: The module's name.

    Raises:
        TypeError: `mod` is no text, or the object has no such attribute that can be set.

    >>> def f():
    ...     return 1
    >>> gb.utils.set_module(f, "library")
    >>> f.__module__
    'library'
    """
    name = check.text("set_module", "mod", mod)
    try:
        obj.__module__ = name
    except (AttributeError, TypeError):
        kind = type(obj).__name__
        raise TypeError(
            f"set_module: obj is of type {kind}; a class or a function is needed"
        ) from None
