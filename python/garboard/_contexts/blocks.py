"""Blocks that are written as generators, and whose ends Ctrl-C cannot keep from running."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, ParamSpec, TypeVar

from garboard._arguments.check import unless_left
from garboard._contexts.decorating import decorated
from garboard._engine import _EndingBlock

__all__ = ["Block", "block"]

_F = TypeVar("_F", bound=Callable[..., Any])
_P = ParamSpec("_P")
_T = TypeVar("_T")


class Block(_EndingBlock, Generic[_T]):
    """A block, or a decorator: each entry runs a generator up to its one `yield`."""

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self._name, self._make = name, make
        self._made = [make()]  # for the first entry; refuses what the function does not take

    if TYPE_CHECKING:

        def __enter__(self) -> _T: ...  # type: ignore[override]

    def _enter(self, entry: list[Any]) -> _T:
        entry.append(self._made.pop() if self._made else self._make())
        value: _T = entry[0].__enter__()
        entry.append(value)
        return value

    def _leave(
        self,
        entry: list[Any] | None,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool | None:
        kept = unless_left(self._name, entry)
        if len(kept) < 2:  # Ctrl-C came while it was entered
            for manager in kept:
                manager.gen.close()
            return None
        is_handled: bool | None = kept[0].__exit__(kind, error, traceback)
        return is_handled

    def __call__(self, function: _F) -> _F:
        """Run each call of `function` in such a block; a class stays as it is."""
        made: Any = _maker_of(function) if isinstance(function, type) else function
        in_block: _F = decorated(self, made)
        return in_block

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self._name}: a block cannot be copied or saved; make it anew there")


def _maker_of(kind: type[_T]) -> Callable[..., _T]:
    @wraps(kind, updated=())
    def make(*arguments: Any, **named: Any) -> _T:
        return kind(*arguments, **named)

    return make


def block(function: Callable[_P, Iterator[_T]]) -> Callable[_P, Block[_T]]:
    """Make a function that gives blocks of a generator function, as `contextlib.contextmanager`.

    Python raises a KeyboardInterrupt where a function of its own begins, and so before an
    `__exit__` of contextlib's has done anything. Here the generator goes on whatever happens; what
    it changes is changed inside its `try`, and put back by the `finally`, which may run for
    nothing.
    """
    make = contextmanager(function)

    @wraps(function)
    def begin(*arguments: _P.args, **named: _P.kwargs) -> Block[_T]:
        return Block(function.__name__, lambda: make(*arguments, **named))

    return begin
