"""Blocks of programs that are decorators too: each call runs in a copy of the block."""

from __future__ import annotations

from contextlib import AbstractContextManager
from threading import local
from typing import Any, Self

from garboard._arguments import check
from garboard._contexts.decorating import decorated

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager", "context_decorator"]


class _Copies(AbstractContextManager["_Copies"]):
    """Enters what a function makes anew each time, on any thread and within itself."""

    def __init__(self, make: Any) -> None:
        self._make, self._open = make, local()

    def __enter__(self) -> Self:
        made = self._make()
        made.__enter__()
        self._open.__dict__.setdefault("blocks", []).append(made)
        return self

    def __exit__(self, *error: Any) -> Any:
        return self._open.blocks.pop().__exit__(*error)


def context_decorator(ctx: Any, func: Any) -> Any:
    """Return `func` so that each call, or each step of a generator, runs in a block.

    Args:
        ctx: The block, which must be one that can be entered again, or a function that makes it.
        func: A function, a generator or coroutine function, or a class.

    Returns:
        The function; of a class the class.

    Raises:
        TypeError: It is none of these, or `ctx` no block.

    >>> from garboard.utils._contextlib import context_decorator
    >>> context_decorator(gb.no_grad(), lambda: gb.is_grad_enabled())()
    False
    """
    if not hasattr(type(ctx), "__enter__"):
        check.function("context_decorator", "ctx", ctx, "a block, or a function that makes one,")
        return decorated(_Copies(ctx), func)
    return decorated(ctx, func)


class _DecoratorContextManager:
    """The base of blocks that programs also use as decorators: they write `__enter__` and more.

    >>> from garboard.utils._contextlib import _DecoratorContextManager
    >>> class Told(_DecoratorContextManager):
    ...     def __enter__(self):
    ...         print("in")
    ...     def __exit__(self, *error):
    ...         print("out")
    >>> @Told()
    ... def work():
    ...     print("at work")
    >>> work()
    in
    at work
    out
    """

    def __call__(self, orig_func: Any) -> Any:
        """Decorate a function, a generator or coroutine function, or a class."""
        return decorated(_Copies(self.clone), orig_func)

    def __enter__(self) -> None:
        raise NotImplementedError(
            f"{type(self).__name__}: entered; an __enter__ of its own is needed"
        )

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__}: left; an __exit__ of its own is needed")

    def clone(self) -> Any:
        """Return another block like this one: a class that takes arguments has its own."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One that decorates without parentheses too: `@Block` as well as `@Block()`."""

    def __new__(cls, orig_func: Any = None) -> Any:
        if orig_func is None:
            return super().__new__(cls)
        return cls()(orig_func)
