"""Leak assertions for tests: a block, or a function that is repeated, must leave nothing alive."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from types import TracebackType
from typing import Any, Self, TypeVar, overload

from garboard._arguments import check
from garboard._engine import _EndingBlock
from garboard._scopes import tensors_in
from garboard.leaks._errors import LeakError
from garboard.leaks.evidence._evidence import Evidence, Provider, evidence_of
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._rows import Since
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.judging._exact import judged
from garboard.leaks.reports._report import LeakReport

__all__ = ["NoLeaks", "no_leaks"]

_F = TypeVar("_F", bound=Callable[..., Any])


class NoLeaks(_EndingBlock):
    """Made by `no_leaks()`: a context manager, also for `async with`, and a decorator.

    Args:
        iterations: As for `no_leaks`.
        warmup: Likewise.
        provider: Likewise.

    >>> with gb.leaks.no_leaks():
    ...     value = gb.ones(3).sum().item()
    """

    def __init__(self, iterations: int, warmup: int, provider: Provider = "garboard") -> None:
        self._iterations, self._warmup = iterations, warmup
        self._evidence = evidence_of("no_leaks", provider)
        self._hear: Callable[[LeakReport], None] = _raise_if_leaky

    def _enter(self, entry: list[Since]) -> Self:
        self._evidence.open()
        entry.append(self._evidence.now())
        return self

    def _leave(
        self,
        entry: list[Since] | None,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        kept = check.unless_left("no_leaks", entry)
        if not kept:  # Ctrl-C came while it was entered, or at its end
            return
        since = kept.pop()
        try:
            if error is None:  # a traceback keeps its frames, and with them their tensors
                self._hear(LeakReport(*judged(since, evidence=self._evidence)))
        finally:
            self._evidence.close()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, traceback)

    def __call__(self, function: _F) -> _F:
        """Repeat each call; the last one's result is returned.

        Raises:
            TypeError: `function` is a generator function, whose calls end when nobody looks.
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "no_leaks: a generator function; a function that ends before its caller goes on is "
                "needed, such as one that reads the generator to its end"
            )
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def repeated_async(*arguments: Any, **named: Any) -> Any:
                with _Repeats(self._warmup, self._iterations, function, self._evidence) as repeats:
                    result = None
                    for _ in repeats.turns:
                        result = None
                        result = await function(*arguments, **named)
                        repeats.end()
                    self._hear(repeats.judged(result))
                    return result

            return repeated_async  # type: ignore[return-value]

        @wraps(function)
        def repeated(*arguments: Any, **named: Any) -> Any:
            with _Repeats(self._warmup, self._iterations, function, self._evidence) as repeats:
                result = None
                for _ in repeats.turns:
                    result = None  # or one call would find the result of the one before
                    result = function(*arguments, **named)
                    repeats.end()
                self._hear(repeats.judged(result))
                return result

        return repeated  # type: ignore[return-value]


class _Repeats:
    """Counts the repetitions of one function."""

    def __init__(
        self,
        warmup: int,
        iterations: int,
        function: Callable[..., Any],
        evidence: Evidence,
    ) -> None:
        code = getattr(function, "__code__", None)
        self._file: str = code.co_filename if code is not None else ""
        self._evidence = evidence
        self._measured = range(warmup + 1, warmup + iterations + 1)
        self.turns = range(warmup + iterations)

    def __enter__(self) -> Self:
        self._evidence.open()
        self._since = self._evidence.now()
        self._steps = Steps(self._evidence)
        return self

    def __exit__(self, *error: object) -> None:
        self._evidence.close()

    def end(self) -> None:
        self._steps.advance()

    def judged(self, result: Any) -> LeakReport:
        returned = {id(tensor) for tensor in tensors_in(result)}
        if self._evidence is not EVIDENCE:
            returned |= set(map(id, _nested(result)))
        report = judged(
            self._since,
            self._steps,
            self._measured,
            lambda it: id(it.tensor) in returned,
            self._file,
            evidence=self._evidence,
        )
        return LeakReport(*report)


def _nested(value: Any, depth: int = 0) -> Iterator[Any]:
    """Yield what stands in a nest of tuples, lists and dicts, of whichever library."""
    if isinstance(value, dict):
        value = list(value.values())
    if depth < _DEEPEST and isinstance(value, list | tuple):
        for part in value:
            yield from _nested(part, depth + 1)
    else:
        yield value


_DEEPEST = 100


def _raise_if_leaky(report: LeakReport) -> None:
    if report.leaks:
        raise LeakError(report)


@overload
def no_leaks(iterations: int = 5, warmup: int = 3, provider: Provider = "garboard") -> NoLeaks: ...
@overload
def no_leaks(iterations: _F, warmup: int = 3, provider: Provider = "garboard") -> _F: ...
def no_leaks(
    iterations: int | Callable[..., object] = 5, warmup: int = 3, provider: Provider = "garboard"
) -> NoLeaks | Callable[..., object]:
    """Assert that nothing stays alive, in tests.

    As a context manager, also for `async with`, it judges one pass: a tensor or a graph born inside
    the block that outlives it is a leak, and so is a variable that still holds one. As a decorator
    it calls the function `warmup + iterations` times with the same arguments: what has survivors of
    every measured call is a leak; what is replaced at each call, or made once, is none. What only
    reference cycles hold is garbage. Gradients, optimizer state, the parameters and buffers of
    modules, and containers whose size is bounded are no leaks. Whatever raises is not judged.

    Args:
        iterations: Measured calls of a decorated function, at least 1. Or the function itself: a
            decorator without parentheses measures five calls.
        warmup: Calls before them, for what is made lazily.
        provider: Whose tensors: "garboard", or "torch" for PyTorch's own, once the program has
            imported it.

    Returns:
        A NoLeaks; of a function, the function that judges itself.

    Raises:
        TypeError: `iterations` or `warmup` is no integer; a generator function is decorated.
        ValueError: `iterations` < 1 or `warmup` < 0; `provider` is none of these, or PyTorch is not
            imported.
        LeakError: From the block or call: something leaked.

    >>> with gb.leaks.no_leaks():
    ...     value = (gb.ones(3) * 2).sum().item()
    >>> seen = []
    >>> @gb.leaks.no_leaks(iterations=3, warmup=1)
    ... def remember():
    ...     seen.append(gb.ones(3))
    >>> remember()
    Traceback (most recent call last):
    garboard.leaks._errors.LeakError: 1 leak: ...
    """
    if inspect.isroutine(iterations):
        return no_leaks(warmup=warmup, provider=provider)(iterations)
    return NoLeaks(
        check.count("no_leaks", "iterations", iterations, least=1),
        check.count("no_leaks", "warmup", warmup),
        provider,
    )
