"""A tool keeps the last error, and with it the frames and tensors of what failed.

The interpreter (`sys.last_exc`), IPython, pytest and log handlers that keep records do. The next
error, however small, replaces it; `traceback.clear_frames` empties its frames, in a notebook
`%leaks clear tracebacks`. A debugger keeps what it has shown after `%debug` or `breakpoint()` is
over, and no later error replaces that.

Evidence: an exception that such a tool holds is on the way, or a debugger. RETAINED, without
growth.
"""

from __future__ import annotations

import logging

from garboard._shown.notebook import shell
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_exception, passes, passes_loaded
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._holders import expression
from garboard.leaks.holders._last_error import (
    is_last_error,
    is_left_by_debugger,
    let_go_of_last_error,
)

__all__ = ["KIND"]


def _fits(group: Group) -> bool:
    if is_left_by_debugger(group.chain):
        return True
    if not is_exception(group):
        return False
    if is_last_error(group.chain):
        return True
    return passes(group, logging.LogRecord) or passes_loaded(
        group, ("_pytest._code.code", "ExceptionInfo")
    )


def _fix(group: Group) -> str:
    if is_left_by_debugger(group.chain):
        freed = f"{let_go_of_last_error()} frees it" if shell() else "it goes with the frame"
        return f"a debugger that was left keeps the variables it has shown; {freed}"
    if passes(group, logging.LogRecord):
        name = expression(group.named) or "the handler"
        return f"let {name} keep no exc_info: format a record, then set record.exc_info = None"
    text = "the tool keeps the last error; the next small error replaces it"
    return f"{text}, and {let_go_of_last_error()} frees it" if is_last_error(group.chain) else text


KIND = Kind(
    name="notebook-or-test-traceback",
    family="EXC",
    text=__doc__ or "",
    rank=30,
    fits=_fits,
    standing=lambda group: "RETAINED",
    fix_group=_fix,
)
