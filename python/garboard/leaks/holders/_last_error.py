"""The last error, which the interpreter and notebooks keep with all frames that it passed, and what
a debugger has left of those that it looked at."""

from __future__ import annotations

from collections.abc import Sequence
from types import FrameType, TracebackType
from typing import Any

from garboard._shown.notebook import cell_of, leaks_magic, shell
from garboard.leaks.evidence._classes import loaded_class
from garboard.leaks.holders._hops import Link
from garboard.leaks.holders._unasked import is_a

__all__ = ["is_last_error", "is_left_by_debugger", "last_error_text", "let_go_of_last_error"]

_KEPT_AS = {"error_in_exec", "InteractiveTB", "last_exc", "last_traceback", "last_value"}


def is_last_error(chain: Sequence[Link]) -> bool:
    """Tell whether a way leads by the error that the interpreter or a notebook keeps."""
    return not _KEPT_AS.isdisjoint(link.edge.name for link in chain)


def is_left_by_debugger(chain: Sequence[Link]) -> bool:
    """Tell whether a way leads by a debugger: it keeps the frames it has shown, also when it is
    left, and longer than the error that it was called for."""
    kind = loaded_class("bdb", "Bdb")
    return kind is not None and any(is_a(link.object, kind) for link in chain)


def let_go_of_last_error() -> str:
    """Return what to call, as a program or a notebook writes it."""
    if shell() is not None:
        return leaks_magic("clear tracebacks")
    return "`traceback.clear_frames(sys.last_value.__traceback__)`"


def last_error_text(chain: Sequence[Link]) -> str:
    """Return which error it is and what frees it; empty where none is on the way."""
    if is_left_by_debugger(chain):
        freed = f", freed by {leaks_magic('clear tracebacks')}" if shell() is not None else ""
        return f"in what a debugger has left{freed}"
    if not is_last_error(chain):
        return ""
    cell = next(filter(None, (_cell(link.object) for link in chain)), "")
    whose = f"the failed cell {cell}" if cell else "the last error"
    return f"in the traceback of {whose}, freed by {let_go_of_last_error()}"


def _cell(thing: Any) -> str:
    frame = thing.tb_frame if is_a(thing, TracebackType) else thing
    return cell_of(frame.f_code.co_filename) if is_a(frame, FrameType) else ""
