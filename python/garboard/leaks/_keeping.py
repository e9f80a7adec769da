"""Report files that are there when the process is not: of watches that run for days.

Written when SIGUSR1 asks, and when the process is about to go: at SIGTERM, when another program
takes its place, when its control group runs out of memory. A forked child writes none: it is not
the process that is watched.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from garboard.leaks._memory_notice import MemoryNotice

__all__ = ["Keeper"]

_ASK = getattr(signal, "SIGUSR1", None)
_SIGNALS = [it for it in (signal.SIGTERM, _ASK) if it is not None]

_keepers: list[Keeper] = []
_before: dict[int, Any] = {}  # handlers of the program's, by signal
_hooked: list[bool] = []  # whether the process tells us of forks and of exec


class Keeper:
    """Asks a watch to write its file, from `start()` to `stop()`.

    Args:
        write: Writes; it is told why, as the report will say it.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self.pid = os.getpid()
        self._notice = MemoryNotice(lambda: write("its control group ran out of memory"))

    def start(self) -> None:
        self.pid = os.getpid()
        if not _hooked:
            _hooked.append(True)
            sys.addaudithook(_heard)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=_forget)
        _keepers.append(self)
        if len(_keepers) == 1:
            _take_signals()
        self._notice.start()

    def stop(self) -> None:
        self._notice.stop()
        if self in _keepers:
            _keepers.remove(self)
            if not _keepers:
                _give_signals_back()

    def write(self, why: str) -> None:
        self._write(why)


def _write_all(why: str) -> None:
    for keeper in tuple(_keepers):
        keeper.write(why)


def _take_signals() -> None:
    """Stand before the program's handlers, as far as Python has a say in them."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in _SIGNALS:
        handler = signal.getsignal(number)
        if handler is None or (number == signal.SIGTERM and handler is signal.SIG_IGN):
            continue  # another library's; what the program ignores does not end it
        _before[number] = handler
        signal.signal(number, _signalled)


def _give_signals_back() -> None:
    if threading.current_thread() is not threading.main_thread():
        return
    for number, handler in _before.items():
        if signal.getsignal(number) is _signalled:  # else the program has set another since
            signal.signal(number, handler)
    _before.clear()


def _signalled(number: int, frame: FrameType | None) -> None:
    _write_all(f"at {signal.Signals(number).name}")
    handler = _before.get(number)
    if callable(handler):
        handler(number, frame)
    elif handler is signal.SIG_DFL and number != _ASK:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "os.exec" and _keepers:
        _write_all("another program took the place of this one")


def _forget() -> None:
    """In a forked child: leave the files and the signals to the parent."""
    for keeper in _keepers:
        keeper._notice.stop()
    if _keepers:
        _keepers.clear()
        _give_signals_back()
