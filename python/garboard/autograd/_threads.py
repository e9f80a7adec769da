"""Whether backward may use several threads: PyTorch's switch."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TypeVar

from garboard._arguments import check
from garboard._contexts.decorating import decorated

__all__ = ["is_multithreading_enabled", "set_multithreading_enabled"]

_F = TypeVar("_F", bound=Callable[..., Any])


class _Asked:
    allowed: bool = True


def is_multithreading_enabled() -> bool:
    """Tell what `set_multithreading_enabled` was told last; True at first.

    Returns:
        A bool; a backward pass runs in the thread that asks for it either way.

    >>> gb.autograd.is_multithreading_enabled()
    True
    """
    return _Asked.allowed


class set_multithreading_enabled:
    """Say whether backward may use several threads: at once, in a block, or for a function.

    A backward pass here runs in the thread that asks for it, whatever is said: rules and hooks are
    called there one after the other.

    Args:
        mode: Whether it may.

    Raises:
        TypeError: No bool.

    >>> with gb.autograd.set_multithreading_enabled(False):
    ...     gb.autograd.is_multithreading_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode: bool = check.flag("set_multithreading_enabled", "mode", mode)
        self.prev: bool = _Asked.allowed
        _Asked.allowed = self.mode

    def __enter__(self) -> None:
        _Asked.allowed = self.mode

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _Asked.allowed = self.prev

    def __call__(self, function: _F) -> _F:
        """Run each call of `function` so.

        Returns:
            A function that does.

        Raises:
            TypeError: `function` cannot be called.

        >>> @gb.autograd.set_multithreading_enabled(False)
        ... def asked():
        ...     return gb.autograd.is_multithreading_enabled()
        >>> asked(), gb.autograd.is_multithreading_enabled()
        (False, True)
        """
        _Asked.allowed = self.prev
        made: _F = decorated(self, function)
        return made

    def clone(self) -> Self:
        """Return one that says the same.

        >>> with gb.autograd.set_multithreading_enabled(True).clone():
        ...     gb.autograd.is_multithreading_enabled()
        True
        """
        return type(self)(self.mode)
