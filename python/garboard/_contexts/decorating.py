"""Blocks as decorators: of functions, and of what waits in the middle of its code."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import AbstractContextManager
from typing import Any

__all__ = ["decorated"]


class _Resumed(Generator[Any, Any, Any]):
    """A generator that is in a block whenever its code runs. It holds nothing that passes."""

    def __init__(
        self, mode: AbstractContextManager[Any], generator: Generator[Any, Any, Any]
    ) -> None:
        self._mode = mode
        self._generator = generator

    def send(self, value: Any) -> Any:
        with self._mode:
            return self._generator.send(value)

    def throw(self, *error: Any) -> Any:
        with self._mode:
            return self._generator.throw(*error)

    def close(self) -> None:
        with self._mode:
            self._generator.close()


class _Awaited:
    """The same of what can be awaited."""

    def __init__(self, mode: AbstractContextManager[Any], awaited: Any) -> None:
        self._mode = mode
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, Any]:
        return _Resumed(self._mode, self._awaited.__await__())


def _decorate_constructor(op: str, mode: AbstractContextManager[Any], kind: Any) -> None:
    from warnings import warn

    warn(
        f"{op}: {kind.__name__} is a class, whose methods run as before, and its constructor alone "
        "in the mode; decorate its methods, or open a block where it is made",
        stacklevel=4,
    )
    if kind.__init__ is not object.__init__:
        kind.__init__ = decorated(mode, kind.__init__)


def decorated(mode: AbstractContextManager[Any], function: Any) -> Any:
    """Run each call of a function in a block, of a generator or a coroutine whatever it runs.

    Args:
        mode: The block, which may be entered any number of times.
        function: A function, a generator or coroutine function, a class, or what can be called.

    Raises:
        TypeError: It is none of these.
    """
    import inspect
    from functools import wraps

    op = getattr(mode, "_name", type(mode).__name__)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(decorated(mode, function.__func__))
    if isinstance(function, type):
        _decorate_constructor(op, mode, function)
        return function
    if not callable(function):
        raise TypeError(
            f"{op}: what is decorated is of type {type(function).__name__}; a function is needed"
        )
    # An object's own `__call__` may be a coroutine function, say.
    kinds = [function, getattr(type(function), "__call__", None)]  # noqa: B004

    if any(map(inspect.isgeneratorfunction, kinds)):

        @wraps(function)
        def generate(*arguments: Any, **named: Any) -> Generator[Any, Any, Any]:
            return (yield from _Resumed(mode, function(*arguments, **named)))

        return generate

    if any(map(inspect.iscoroutinefunction, kinds)):

        @wraps(function)
        async def wait(*arguments: Any, **named: Any) -> Any:
            return await _Awaited(mode, function(*arguments, **named))

        return wait

    if any(map(inspect.isasyncgenfunction, kinds)):

        @wraps(function)
        async def generate_and_wait(*arguments: Any, **named: Any) -> AsyncGenerator[Any, Any]:
            generator = function(*arguments, **named)
            items: list[Any] = []  # a local variable would keep an item until the next one
            try:
                items.append(await _Awaited(mode, generator.asend(None)))
                while True:
                    try:
                        sent = yield items.pop()
                    except GeneratorExit:
                        await _Awaited(mode, generator.aclose())
                        raise
                    except BaseException as error:
                        items.append(await _Awaited(mode, generator.athrow(error)))
                    else:
                        items.append(await _Awaited(mode, generator.asend(sent)))
            except StopAsyncIteration:
                return

        return generate_and_wait

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        with mode:
            return function(*arguments, **named)

    return call
