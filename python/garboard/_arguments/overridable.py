"""Functions written in Python, whose calls classes and blocks take over as those of the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any, TypeVar

from garboard._engine import _overridden

__all__ = ["all_overridable", "overridable"]

_F = TypeVar("_F", bound=Callable[..., Any])


def overridable(function: _F) -> _F:
    """Return the function, but the `__torch_function__` of arguments and blocks is asked first.

    It is given the function that is returned here. Where it answers NotImplemented, or nobody is
    to be asked, the function itself runs.

    >>> from garboard._arguments.overridable import overridable
    >>> overridable(lambda x: x + 1)(1)
    2
    """

    @wraps(function)
    def asking(*given: Any, **named: Any) -> Any:
        answer = _overridden(asking, given, named)
        return function(*given, **named) if answer is NotImplemented else answer

    return asking  # type: ignore[return-value]


def all_overridable(module: dict[str, Any]) -> None:
    """Make so each function that a module offers and defines; to be called at its end."""
    for name in module["__all__"]:
        function = module.get(name)
        if isinstance(function, FunctionType) and function.__module__ == module["__name__"]:
            module[name] = overridable(function)
