"""What PyTorch's programs say to its compiler: there is none here, and ops run as they are called.

`compile` itself is `gb.compile`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, overload

from garboard._arguments import check
from garboard._contexts.fusing import compile

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@overload
def disable(fn: _Function, recursive: bool = True, *, reason: str | None = None) -> _Function: ...
@overload
def disable(
    fn: None = None, recursive: bool = True, *, reason: str | None = None
) -> Callable[[_Function], _Function]: ...
def disable(
    fn: _Function | None = None, recursive: bool = True, *, reason: str | None = None
) -> _Function | Callable[[_Function], _Function]:
    """Return the function: it is not compiled anyway. Also a decorator, with options or without.

    Args:
        fn: A function or a module.
        recursive: Ignored.
        reason: Ignored.

    Returns:
        `fn` itself; without it a function that returns what it is given.

    Raises:
        TypeError: `fn` cannot be called.

    >>> gb.compiler.disable(len) is len
    True
    """
    if fn is None:
        return lambda given: given
    given: _Function = check.function("disable", "fn", fn)
    return given


def allow_in_graph(fn: _Function) -> _Function:
    """Return the function.

    Args:
        fn: A function.

    Raises:
        TypeError: It cannot be called.

    >>> gb.compiler.allow_in_graph(len) is len
    True
    """
    given: _Function = check.function("allow_in_graph", "fn", fn)
    return given


def assume_constant_result(fn: _Function) -> _Function:
    """Return the function.

    Args:
        fn: A function.

    Raises:
        TypeError: It cannot be called.

    >>> gb.compiler.assume_constant_result(len) is len
    True
    """
    given: _Function = check.function("assume_constant_result", "fn", fn)
    return given


def is_compiling() -> bool:
    """Return False.

    >>> gb.compiler.is_compiling()
    False
    """
    return False


def is_dynamo_compiling() -> bool:
    """Return False.

    >>> gb.compiler.is_dynamo_compiling()
    False
    """
    return False


def is_exporting() -> bool:
    """Return False.

    >>> gb.compiler.is_exporting()
    False
    """
    return False


def list_backends() -> list[str]:
    """Return no names.

    >>> gb.compiler.list_backends()
    []
    """
    return []


def reset() -> None:
    """Do nothing: for programs that call it.

    >>> gb.compiler.reset()
    """


def cudagraph_mark_step_begin() -> None:
    """Do nothing: for programs that call it.

    >>> gb.compiler.cudagraph_mark_step_begin()
    """
