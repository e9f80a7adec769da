"""A stored exception keeps the frames it passed through, and their tensors.

    errors.append(error)          # leaks: the traceback, its frames, their locals
    errors.append(repr(error))    # keeps a text

Evidence: an exception or a traceback is on the way. RETAINED once, LEAK where it grows.
"""

from __future__ import annotations

from garboard.leaks.findings._fixes import whole_stored_as
from garboard.leaks.findings._kind import Kind
from garboard.leaks.findings._traits import is_exception, is_future
from garboard.leaks.holders._groups import Group
from garboard.leaks.holders._patches import NO_PATCH, Patch
from garboard.leaks.holders._unasked import is_a

__all__ = ["KIND"]


_ERROR = BaseException


def _fix(group: Group) -> str:
    if is_a(group.chain[0].object, BaseException):
        return "leave the except block before the next attempt: in it the error and its frames live"
    statement = whole_stored_as(group, "repr")[0] if _is_error_itself(group) else None
    otherwise = "call traceback.clear_frames(error.__traceback__)"
    return f"{statement}  # or {otherwise}" if statement else KIND.fix


def _is_error_itself(group: Group) -> bool:
    """Tell whether the items of a container are the exceptions, and not rows that have some."""
    at = group.at + 1
    return group.is_contained and at < len(group.chain) and is_a(group.chain[at].object, _ERROR)


def _patch(group: Group) -> Patch:
    return whole_stored_as(group, "repr")[1] if _is_error_itself(group) else NO_PATCH


KIND = Kind(
    name="retained-exception",
    family="EXC",
    text=__doc__ or "",
    rank=40,
    fits=lambda group: is_exception(group) and not is_future(group),
    standing=lambda group: "RETAINED",
    fix="keep repr(error), or call traceback.clear_frames(error.__traceback__)",
    fix_group=_fix,
    patch_group=_patch,
)
