"""The assertion that a function lets go of what it made, at each call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, Literal, TypeVar

from garboard._arguments import check
from garboard._scopes import tensors_in
from garboard.leaks._errors import LeakError
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._rows import Since, Survivor
from garboard.leaks.findings._making import leak_of_unreached
from garboard.leaks.judging._exact import judged
from garboard.leaks.kinds._unknown import KIND as UNKNOWN
from garboard.leaks.reports._report import LeakReport

__all__ = ["frees"]

_F = TypeVar("_F", bound=Callable[..., Any])
_What = Literal["everything", "everything but results"]


def frees(what: _What = "everything") -> Callable[[_F], _F]:
    """Decorate a function that leaves nothing alive of what it makes, and check it at each call.

    A tensor or a graph that was born in the call and outlives it is a leak. Gradients, optimizer
    state, the parameters and buffers of modules, and containers whose size is bounded are none. A
    call that raises is not judged. Where nothing survives, a check takes some microseconds. What
    other threads make meanwhile is counted, too.

    Args:
        what: "everything", or "everything but results": what the function returns may live, in any
            nest of tuples, lists and dicts.

    Returns:
        A decorator, for functions and for async functions.

    Raises:
        ValueError: `what` is none of these.
        TypeError: From the decorator: a generator function, whose calls end when nobody looks.
        LeakError: From a call: something outlives it, and the report says who holds it.

    >>> @gb.leaks.frees("everything")
    ... def evaluate():
    ...     return gb.ones(3).sum().item()
    >>> evaluate()
    3.0
    >>> seen = []
    >>> @gb.leaks.frees("everything but results")
    ... def remember():
    ...     seen.append(gb.ones(3))
    >>> remember()
    Traceback (most recent call last):
    garboard.leaks._errors.LeakError: 1 leak: ...
    """
    may_return = (
        check.choice("frees", "what", what, "everything", "everything but results") != "everything"
    )

    def decorated(function: _F) -> _F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(
                "frees: a generator function; a function that ends before its caller goes on is "
                "needed"
            )
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def checked_async(*arguments: Any, **named: Any) -> Any:
                since = EVIDENCE.now()
                result = await function(*arguments, **named)
                _judge(since, function, result, may_return)
                return result

            return checked_async  # type: ignore[return-value]

        @wraps(function)
        def checked(*arguments: Any, **named: Any) -> Any:
            since = EVIDENCE.now()
            result = function(*arguments, **named)
            _judge(since, function, result, may_return)
            return result

        return checked  # type: ignore[return-value]

    return decorated


def _judge(since: Since, function: Callable[..., Any], result: Any, may_return: bool) -> None:
    returned = {id(tensor) for tensor in tensors_in(result)}
    met: list[Survivor] = []

    def is_returned(it: Survivor) -> bool:
        if id(it.tensor) not in returned:
            return False
        met.append(it)
        return True

    code = getattr(function, "__code__", None)
    file = code.co_filename if code is not None else ""
    leaks, notes, checked = judged(since, is_exempt=is_returned, loop_file=file)
    if met and not may_return:
        found = leak_of_unreached(met, UNKNOWN, "LEAK", 0)
        more = replace(
            found,
            holder="who called the function: it is returned",
            chain=(f"what {found.site.called or 'the function'} returned",),
            places=(found.site,),
            fix='return .item(), or write @gb.leaks.frees("everything but results")',
            evidence=found.evidence.replace("without a visible holder", "returned"),
        )
        leaks = (*leaks, more)
    if leaks:
        raise LeakError(LeakReport(leaks, notes, checked))
