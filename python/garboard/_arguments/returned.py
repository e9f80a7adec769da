"""How the results of functions of several results print: as PyTorch's, by the function's name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["shown_as"]

_T = TypeVar("_T", bound=type[Any])


def shown_as(name: str) -> Callable[[_T], _T]:
    """Return a decorator: an object of a class of named results prints with a function's name.

    >>> gb.aminmax(gb.ones(1))
    garboard.return_types.aminmax(
    min=tensor(1.),
    max=tensor(1.))
    """

    def decorate(cls: _T) -> _T:
        def show(self: Any) -> str:
            pairs = zip(cls._fields, self, strict=True)
            parts = ",\n".join(field + "=" + repr(part) for field, part in pairs)
            return f"garboard.return_types.{name}(\n{parts})"

        cls.__repr__ = show  # type: ignore[assignment]
        return cls

    return decorate
