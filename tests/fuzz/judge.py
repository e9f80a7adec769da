"""Which exceptions are typed errors that answer an argument, and which are faults."""

from __future__ import annotations

import copy
import decimal
import pickle
import re
from enum import EnumType
from types import CodeType

import garboard as gb

from tests.fuzz.hostile import Mischief
from tests.fuzz.stories.mischief import Broken
from tests.fuzz.target import Step, Target

__all__ = ["TYPED", "fault_of", "fingerprint"]

TYPED = (gb.GarboardError, TypeError, ValueError, IndexError, OverflowError)
HOSTILE = (Mischief, decimal.DecimalException, KeyboardInterrupt)
WALLS = ("incompatible function arguments", "incompatible constructor", "Unable to cast")
_CALLS_HOOKS = gb.nn.Module._call_between_hooks.__code__


def _is_theirs(error: BaseException) -> bool:
    """Whether hostile code raised `error`, or called itself without end: through a module that is
    its own hook too."""
    trace, codes = error.__traceback__, []
    while trace is not None:
        codes.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    if isinstance(error, RecursionError):
        hostile = sum(_is_hostile(it) for it in codes)
        return hostile > 2 or any(_is_hostile(it) or it is _CALLS_HOOKS for it in codes[-8:])
    # Of an iterator, a file or a buffer that hostile code asked for:
    if isinstance(error, (StopIteration, OSError, BufferError)):
        return any(map(_is_hostile, codes))
    return any(map(_is_hostile, codes[-1:]))


def _is_hostile(code: CodeType) -> bool:
    return code.co_filename.endswith(("hostile.py", "mischief.py")) or code.co_name == "<lambda>"


def _is_of_the_line(error: BaseException, target: Target) -> bool:
    """Whether a line of a story asked something that is not ours, or that anybody may lack."""
    line = target.text
    if isinstance(error, AttributeError):
        kind = type(error.obj)
        is_asked = f".{error.name}" in line or f"'{error.name}'" in line
        is_ours = kind.__module__.startswith("garboard") and not issubclass(kind, gb.nn.Module)
        return is_asked or not is_ours or _is_hollow(error.obj)
    if isinstance(error, BufferError):
        return "dlpack" in line
    if isinstance(error, KeyError):
        return any(it in line for it in ("[", "load(", ".pop("))
    if isinstance(error, RecursionError):  # of what was made to hold itself
        return "hash(" in line or "repr(" in line or "==" in line
    if isinstance(error, OSError):
        return "open(" in line or "load(" in line
    return isinstance(error, StopIteration) and any(it in line for it in ("__next__", ".send("))


def _is_hollow(thing: object) -> bool:
    """Whether a program took away all that `thing` was made of, or never gave it any."""
    slots = [it for it in getattr(type(thing), "__slots__", ()) if it != "__weakref__"]
    is_empty = getattr(thing, "__dict__", {}) == {} and not any(hasattr(thing, it) for it in slots)
    return is_empty and not issubclass(type(thing), gb.Tensor)


def _is_fitting(error: BaseException, target: Target) -> bool:
    """Whether `target` is of a kind that raises such an error in all of Python."""
    if isinstance(error, AttributeError):  # of an enum's class called to make another
        return "attr(" in target.text or isinstance(target.call, EnumType)
    if isinstance(error, KeyError):
        return target.name.startswith(("operator.getitem", "operator.delitem"))
    if isinstance(error, OSError):
        return any(it.kind == "path" for it in target.parameters)
    if isinstance(error, StopIteration):
        return "next(" in target.text
    if isinstance(error, (pickle.PicklingError, copy.Error, RecursionError)):  # of deep nests
        prints = isinstance(target.call, EnumType) or target.call in (str, repr)  # what it holds
        return "pickle" in target.text or "copy" in target.text or prints
    return isinstance(error, NotImplementedError) and bool(str(error))


def fault_of(error: BaseException, target: Target) -> str | None:
    """Say what is wrong with `error` as an answer of `target`; None where it is a typed one."""
    if isinstance(error, HOSTILE):
        return None
    try:
        said = str(error)
    except Exception as unprintable:
        said = f"(its text raises {type(unprintable).__name__})"
    text = f"{type(error).__name__}: {said[:400]}"
    if isinstance(error, Broken):
        return text
    if any(wall in said for wall in WALLS):
        return f"a wall of text: {text}"
    if isinstance(error, TYPED) and not isinstance(error, UnicodeError):
        return None
    if _is_fitting(error, target) or _is_theirs(error):
        return None
    if isinstance(target, Step) and _is_of_the_line(error, target):
        return None
    return text


def fingerprint(text: str) -> str:
    """Return `text` without what differs from one finding of the same fault to the next."""
    line = text.splitlines()[0] if text else ""
    return re.sub(r"0x[0-9a-f]+|\d+|'[^']*'", "_", line)[:120]
