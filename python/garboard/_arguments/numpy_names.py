"""NumPy's names of parameters, for functions that are written in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["takes_axis"]

_P = ParamSpec("_P")
_T = TypeVar("_T")


def takes_axis(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Let a function take `axis` or `axes` for its `dim` or `dims`, and `keepdims` for `keepdim`.

    Those of the engine do it of their own accord.
    """
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    dim = "dims" if "dims" in names else "dim"
    ours = {"axis": dim, "axes": dim, **({"keepdims": "keepdim"} if "keepdim" in names else {})}

    @wraps(function)
    def call(*given: _P.args, **named: _P.kwargs) -> _T:
        for theirs in () if ours.keys().isdisjoint(named) else [it for it in named if it in ours]:
            if (own := ours[theirs]) in named:
                raise TypeError(
                    f"{function.__name__}: '{own}' is given twice; '{theirs}' is another name of it"
                )
            named[own] = named.pop(theirs)
        return function(*given, **named)

    return call
