"""Ranges and marks for NVIDIA's profilers, by way of their library where it is installed.

Without libnvToolsExt the functions do nothing, and say so by what they return: -1 for depths, 0 for
handles. Nothing is loaded before the first of them is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from ctypes import CDLL, c_char_p, c_uint64
from functools import cache

from garboard._arguments import check
from garboard._contexts.blocks import block

__all__ = ["is_available", "mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_NAMES = ("libnvToolsExt.so.1", "libnvToolsExt.so")


@cache
def _library() -> CDLL | None:
    for name in _NAMES:
        try:
            found = CDLL(name)
        except OSError:
            continue
        found.nvtxRangeStartA.restype = c_uint64
        found.nvtxRangeEnd.argtypes = [c_uint64]
        found.nvtxRangeStartA.argtypes = [c_char_p]
        return found
    return None


def is_available() -> bool:
    """Tell whether the library is there. Never raises.

    Returns:
        A bool; where it is False, the other functions do nothing.

    >>> isinstance(gb.cuda.nvtx.is_available(), bool)
    True
    """
    return _library() is not None


def range_push(msg: str) -> int:
    """Open a range inside this thread's innermost one.

    Args:
        msg: Its name.

    Returns:
        How many ranges it lies in; -1 without the library.

    Raises:
        TypeError: `msg` is no text.

    >>> depth = gb.cuda.nvtx.range_push("step")
    >>> depth == gb.cuda.nvtx.range_pop()
    True
    """
    name = check.text("range_push", "msg", msg).encode(errors="replace")
    library = _library()
    return int(library.nvtxRangePushA(name)) if library else -1


def range_pop() -> int:
    """Close this thread's innermost range.

    Returns:
        How many ranges it lay in; -1 without the library.

    >>> isinstance(gb.cuda.nvtx.range_pop(), int)
    True
    """
    library = _library()
    return int(library.nvtxRangePop()) if library else -1


def range_start(msg: str) -> int:
    """Open a range that any thread may close.

    Args:
        msg: Its name.

    Returns:
        A handle for `range_end`; 0 without the library.

    Raises:
        TypeError: `msg` is no text.

    >>> gb.cuda.nvtx.range_end(gb.cuda.nvtx.range_start("load"))
    """
    name = check.text("range_start", "msg", msg).encode(errors="replace")
    library = _library()
    return int(library.nvtxRangeStartA(name)) if library else 0


def range_end(range_id: int) -> None:
    """Close a range that `range_start` opened.

    Args:
        range_id: What that returned.

    Raises:
        TypeError: `range_id` is no integer.

    >>> gb.cuda.nvtx.range_end(gb.cuda.nvtx.range_start("load"))
    """
    handle = check.integer("range_end", "range_id", range_id)
    if library := _library():
        library.nvtxRangeEnd(handle)


def mark(msg: str) -> None:
    """Note a moment.

    Args:
        msg: Its name.

    Raises:
        TypeError: `msg` is no text.

    >>> gb.cuda.nvtx.mark("epoch")
    """
    name = check.text("mark", "msg", msg).encode(errors="replace")
    if library := _library():
        library.nvtxMarkA(name)


@block
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """Open a range for a block.

    Args:
        msg: Its name; `msg.format(*args, **kwargs)` makes it.
        args: See `msg`.
        kwargs: See `msg`.

    Yields:
        Nothing.

    Raises:
        TypeError: `msg` is no text.

    >>> with gb.cuda.nvtx.range("step {}", 3):
    ...     pass
    """
    range_push(check.text("range", "msg", msg).format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()
