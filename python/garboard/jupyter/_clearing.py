"""Lets go of what IPython keeps for the user's comfort: what cells showed, and the last error."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import Any

from garboard._shown.notebook import is_output_name

__all__ = ["clear_out", "clear_tracebacks"]

_LAST = ("last_exc", "last_traceback", "last_type", "last_value")
_UNDERSCORES = ("_", "__", "___")


def clear_out(shell: Any) -> None:
    """Empty `Out`, `_`, `__`, `___` and every `_7`, and forget the last result.

    A name of these that the user has given to something else stays.
    """
    hook = shell.displayhook
    manager = getattr(shell, "history_manager", None)
    histories = [shell.user_ns.get("_oh"), getattr(manager, "output_hist", None)]
    shown = [getattr(hook, name, None) for name in _UNDERSCORES]
    shown += [value for history in histories if type(history) is dict for value in history.values()]
    # Where IPython looks up whether a name is its own, it keeps the values, too.
    for space in (shell.user_ns, shell.user_ns_hidden):
        for name, value in list(space.items()):
            if is_output_name(name) and any(value is it for it in shown):
                _forget(space, name)
    for history in histories:
        if type(history) is dict:
            history.clear()
    for name in _UNDERSCORES:
        setattr(hook, name, "")
    shell.last_execution_result = None
    shown.clear()
    gc.collect()


def _forget(space: dict[str, Any], name: str) -> None:
    if name in _UNDERSCORES:
        space[name] = ""  # what it is before a cell has shown anything
    else:
        del space[name]


def clear_tracebacks(shell: Any) -> None:
    """Empty the frames of the last error, and forget it; `%debug` has nothing to look at then."""
    for error in _errors(shell):
        traceback.clear_frames(error.__traceback__)
        for frame, _ in traceback.walk_tb(error.__traceback__):
            frame.f_locals  # noqa: B018, before Python 3.13 a copy, which only this empties
    for name in _LAST:
        vars(sys).pop(name, None)
    printer = shell.InteractiveTB
    printer.tb = printer.pdb = None
    _forget_debuggers()
    shell.last_execution_result = None
    gc.collect()


def _forget_debuggers() -> None:
    """Take debuggers that have been left off the frames that still run, and off SIGINT: `continue`
    puts them there, and so they keep what they have shown."""
    kind: Any = getattr(sys.modules.get("bdb"), "Bdb", None)
    frame: FrameType | None = sys._getframe() if sys.gettrace() is None and kind else None
    while frame is not None:
        if isinstance(getattr(frame.f_trace, "__self__", None), kind):
            frame.f_trace = None
        frame = frame.f_back
    debugger = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    is_main = threading.current_thread() is threading.main_thread()  # others may set no handler
    if is_main and kind and isinstance(debugger, kind):
        before = getattr(debugger, "_previous_sigint_handler", None)
        signal.signal(signal.SIGINT, before or signal.default_int_handler)


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
