"""Calls in the name of a line: what a thread makes for a loop is born where the loop asks for it.

A worker's stack has no line of the program's. So the line that asked is put there, as the frame of
a function whose code says that it stands in that file, at that line.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any

from garboard import _engine

__all__ = ["asking_line", "called_at"]

_MOST = 256  # loops that are known at a time
_NO_COLUMNS = 0x80 | 13 << 3  # an entry of a table of lines, for up to eight words of code


def asking_line() -> int:
    """The number of the line of the program that is running now."""
    return _engine._birth_now()[0]


def _call(function: Callable[[Any], Any], given: Any) -> Any:
    return function(given)


@lru_cache(_MOST)
def called_at(site: int) -> Callable[[Callable[[Any], Any], Any], Any]:
    """Return what calls a function with one argument, and seems to do so at the line of `site`."""
    file, line, name = _engine._site(site)
    if not file:
        return _call
    code = _call.__code__
    words = len(code.co_code) // 2
    counts = [8] * (words // 8) + [words % 8] * (words % 8 > 0)
    code = code.replace(
        co_filename=file,
        co_firstlineno=line,
        co_name=name.rpartition(".")[2],
        co_qualname=name,
        co_linetable=b"".join(bytes([_NO_COLUMNS | count - 1, 0]) for count in counts),
    )
    return FunctionType(code, {})
