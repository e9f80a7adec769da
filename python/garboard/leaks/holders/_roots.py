"""Where every chain of references begins: modules, what a notebook keeps, threads, frames."""

from __future__ import annotations

import contextvars
import gc
import os
import signal
import sys
import threading
import weakref
from collections.abc import Sequence
from functools import partial
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from garboard import _engine
from garboard._arguments.texts import printable
from garboard._shown.notebook import kept_outputs
from garboard.leaks.evidence._classes import is_one
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.holders._library import is_of_library
from garboard.leaks.holders._statements import OWN_STATE
from garboard.leaks.holders._tees import by_the_one_behind
from garboard.leaks.holders._unasked import (
    attributes_of,
    is_a,
    items_of,
    length_of,
    module_name_of,
    space_of,
)

__all__ = [
    "ANYWHERE",
    "ExitCallbacks",
    "Opened",
    "Roots",
    "caller_file",
    "depth_of",
    "is_of_other_thread",
    "is_ours",
    "paths_to",
]

_LEAKS = os.path.dirname(os.path.dirname(__file__))
_PACKAGE = os.path.dirname(_LEAKS)
_OURS = (_LEAKS + os.sep, *(os.path.join(_PACKAGE, name) for name in ("jupyter", "pytest_plugin")))
# Frames of these only show what they look at.
_ONLOOKERS = {"bdb", "coverage", "pdb", "pydevd", "_pydevd_bundle", "cProfile"}


def is_ours(frame: FrameType) -> bool:
    """Tell whether a frame belongs to the leak checks, or to a debugger or profiler."""
    file = frame.f_code.co_filename
    if file.startswith(_OURS):
        return True
    name = dict.get(frame.f_globals, "__name__")
    return is_a(name, str) and printable(name).partition(".")[0] in _ONLOOKERS


def caller_file() -> str:
    """Return the source file of the innermost frame that is the program's: the loop's own.

    Where all are libraries', it is that of the innermost frame outside the leak checks.
    """
    frame: FrameType | None = sys._getframe()
    first = ""
    while frame is not None:
        if not is_ours(frame):
            file = frame.f_code.co_filename
            if not is_of_library(file):
                return file
            first = first or file
        frame = frame.f_back
    return first


class Opened(NamedTuple):
    """Where a check begins: how many frames deep, at which line of the innermost, and in which
    file, where that is not the one of whoever asks."""

    depth: int = 0
    line: int = 0
    file: str = ""

    @classmethod
    def here(cls) -> Opened:
        """Return the innermost frame's outside the leak checks."""
        frame: FrameType | None = sys._getframe()
        while frame is not None and is_ours(frame):
            frame = frame.f_back
        return cls(depth_of(frame), frame.f_lineno) if frame is not None else cls()


def depth_of(frame: FrameType | None) -> int:
    """Return how many frames a frame is in, itself included."""
    depth = 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


class ExitCallbacks(list[Any]):
    """What the interpreter calls when it ends: functions, each with its arguments."""


class Roots:
    """The roots in the order in which they explain best, for as many searches as one looks for.

    What a module holds lasts; what only a running frame holds ends with it. So frames come last,
    and the same program gives the same chain each time; what `atexit` calls is behind them, for the
    program has a name for it as a rule. What a notebook keeps of its cells' values
    comes after what the user's variables hold, under one name. Behind the frames is what graphs
    hold of Python, such as `ctx` of a Function, where nothing that Python knows leads.
    """

    def __init__(self, evidence: Evidence) -> None:
        kept = kept_outputs()
        self.frames, self.handlers = _frames(), _signal_handlers()
        self.of_threads = _engine._thread_roots()
        threads = [*self.of_threads, contextvars.copy_context(), *self.handlers]
        outputs: list[object] = [kept.outputs] if kept is not None else []
        self._skip = [OWN_STATE, *(kept.keepers if kept is not None else ())]
        self._hidden = kept.hidden if kept is not None else []
        self._phases: list[Sequence[object]] = [
            _modules(),
            outputs,
            threads,
            self.frames,
            [ExitCallbacks(_engine._exit_callbacks())],
            evidence.held_by_graphs(),
        ]

    def paths_to(
        self,
        targets: Sequence[object],
        hidden: Sequence[tuple[object, object]] = (),
        skip: Sequence[object] = (),
    ) -> list[list[Any] | None]:
        """Return for each target the objects from a root to it, or None where none leads there.

        Args:
            targets: What is looked for.
            hidden: References, each (holder, held), that are not followed.
            skip: Objects that are on no way.
        """
        skipped, unseen = [*self._skip, *skip], [*self._hidden, *hidden]
        return _engine._holder_paths(self._phases, targets, skipped, unseen)


def paths_to(
    evidence: Evidence,
    targets: Sequence[object],
    hidden: Sequence[tuple[object, object]] = (),
    skip: Sequence[object] = (),
) -> list[list[Any] | None]:
    """Return for each target the objects from a root to it, or None where none leads there.

    What libraries note of the program's threads and tasks is followed where nothing else leads;
    `hidden` references, and objects to `skip`, are not.
    """
    roots, given = Roots(evidence), [*hidden, *_given_to_threads()]
    notes = [*skip, *_notes_of_libraries(roots)]
    found = roots.paths_to(targets, given, notes)
    missing = [at for at, path in enumerate(found) if path is None] if notes or given else []
    again = roots.paths_to([targets[at] for at in missing], hidden, skip) if missing else []
    for at, path in zip(missing, again, strict=True):
        found[at] = path
    return by_the_one_behind(found, lambda asked: roots.paths_to(asked, given, notes))


_NOTES = (
    ("_asyncio", "_current_tasks"),
    ("asyncio.events", "_event_loop_policy"),
    ("concurrent.futures.thread", "_threads_queues"),
)


def _notes_of_libraries(roots: Roots) -> list[object]:
    """What hides the program's own names: the loop, the task or the pool has one, too."""
    spaces = [(attributes_of(sys.modules.get(module)), name) for module, name in _NOTES]
    found = [dict.get(space, name) for space, name in spaces]
    found += _registries()
    pools = attributes_of(sys.modules.get("concurrent.futures.thread"))
    for thread in items_of(attributes_of(threading).get("_active")) if pools else ():
        if attributes_of(thread).get("_target") is pools.get("_worker"):
            found.append(thread)
    found += [it for it in roots.frames if is_of_library(it.f_code.co_filename)]
    found += [it for it in roots.handlers if type(it) is partial]  # asyncio's for Ctrl-C
    found += [it for it in roots.of_threads if type(it) is dict]  # asyncio's running loop
    return [it for it in found if it is not None and length_of(it) != 0]


def _registries() -> list[object]:
    """What the interpreter calls at the end of objects and of collections: an object that asks for
    that, by `weakref.finalize(self, self.rows.clear)`, has a name of its own as a rule."""
    return [space_of(weakref.finalize).get("_registry"), gc.callbacks]


def _given_to_threads() -> list[tuple[object, object]]:
    """Return what running threads were begun with, tensors apart, each with the tuple or dict that
    has it: the program's variables name a queue better."""
    active = attributes_of(threading).get("_active")
    spaces = map(attributes_of, items_of(active) if active else ())
    wholes = [space.get(name) for space in spaces for name in ("_args", "_kwargs")]
    return [
        (whole, it)
        for whole in wholes
        if is_a(whole, (tuple, dict))
        for it in items_of(whole)
        if not is_one("tensor", it)
    ]


def is_of_other_thread(frame: FrameType) -> bool:
    """Tell whether a frame runs in another thread than the main one."""
    outermost = frame
    while outermost.f_back is not None:
        outermost = outermost.f_back
    return outermost.f_code.co_filename == threading.__file__


def _modules() -> list[object]:
    """The modules, the program's first; what the leak checks have of their own holds nothing."""
    main: list[object] = []
    others: list[object] = []
    for module in list(sys.modules.values()):
        if is_a(module, ModuleType):
            name = module_name_of(module)
            if not name.startswith("garboard.leaks"):
                (main if name == "__main__" else others).append(module)
    return [*main, *others]


_SIGNALS = tuple(map(int, signal.valid_signals()))


def _signal_handlers() -> list[object]:
    """What runs at signals, which the interpreter keeps where no object leads."""
    handlers = map(signal.getsignal, _SIGNALS)
    return [it for it in handlers if it is not None and not is_a(it, int)]


def _frames() -> list[FrameType]:
    """The frames of all threads, the main thread's and the outermost first."""
    main = threading.main_thread().ident
    found: list[FrameType] = []
    frames = sys._current_frames()
    try:
        for ident in sorted(frames, key=lambda ident: (ident != main, ident)):
            stack: list[FrameType] = []
            frame: FrameType | None = frames[ident]
            while frame is not None:
                if not is_ours(frame):
                    stack.append(frame)
                frame = frame.f_back
            found += reversed(stack)
    finally:
        frames.clear()  # it holds this very frame: a cycle that would keep our callers' locals
    return found


ANYWHERE = Opened()
