"""Lets go of what IPython keeps for the user's comfort: what cells showed, and the last error."""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Iterator
from typing import Any

__all__ = ["clear_out", "clear_tracebacks"]

_LAST = ("last_exc", "last_traceback", "last_type", "last_value")
_UNDERSCORES = ("_", "__", "___")


def clear_out(shell: Any) -> None:
    """Empty `Out`, `_`, `__`, `___` and every `_7`, and forget the last result."""
    hook = shell.displayhook
    if getattr(hook, "do_full_cache", False):
        hook.flush()
    # Where IPython looks up whether a name is its own, it keeps the values, too.
    for name in _UNDERSCORES:
        if name in shell.user_ns_hidden:
            shell.user_ns_hidden[name] = ""
    shell.last_execution_result = None
    gc.collect()


def clear_tracebacks(shell: Any) -> None:
    """Empty the frames of the last error, and forget it; `%debug` has nothing to look at then."""
    for error in _errors(shell):
        traceback.clear_frames(error.__traceback__)
    for name in _LAST:
        vars(sys).pop(name, None)
    printer = shell.InteractiveTB
    printer.tb = printer.pdb = None
    shell.last_execution_result = None
    gc.collect()


def _errors(shell: Any) -> Iterator[BaseException]:
    """Yield the last error, and those that it came from."""
    result = shell.last_execution_result
    waiting = [getattr(sys, "last_exc", None), getattr(sys, "last_value", None)]
    waiting += [getattr(result, name, None) for name in ("error_before_exec", "error_in_exec")]
    seen: set[int] = set()
    while waiting:
        error = waiting.pop()
        if isinstance(error, BaseException) and id(error) not in seen:
            seen.add(id(error))
            yield error
            waiting += [error.__cause__, error.__context__, *getattr(error, "exceptions", ())]
