"""A tool keeps the last error, and with it the frames and tensors of what failed.

The interpreter (`sys.last_exc`), IPython, pytest and log handlers that keep records do. The next
error, however small, replaces it; `traceback.clear_frames` empties its frames.

Evidence: an exception that such a tool holds is on the way. RETAINED, without growth.
"""

from __future__ import annotations

import logging

from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_exception, passes, passes_loaded
from garboard.leaks.holders._groups import Group

__all__ = ["KIND"]

_NAMES = {"last_exc", "last_value", "last_traceback", "InteractiveTB"}


def _fits(group: Group) -> bool:
    if not is_exception(group):
        return False
    if _NAMES & {link.edge.name for link in group.chain}:
        return True
    return passes(group, logging.LogRecord) or passes_loaded(
        group, ("_pytest._code.code", "ExceptionInfo")
    )


KIND = Kind(
    name="notebook-or-test-traceback",
    family="EXC",
    text=__doc__ or "",
    rank=30,
    fits=_fits,
    standing=lambda group: "RETAINED",
    fix="the tool keeps the last error; the next small error replaces it",
)
