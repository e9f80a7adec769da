"""A program in a terminal of its own: what it shows, and what keys do to it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from types import TracebackType
from typing import Self

__all__ = ["Terminal"]

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


# Makes the terminal its own, so that Ctrl-C reaches it, and becomes the command. A run of tests in
# the background was told by its shell to ignore Ctrl-C, and what it starts would, too.
_IN_FRONT = (
    "import fcntl, os, signal, sys, termios\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """Runs a command in a pseudo-terminal of 120 columns and 40 lines; what runs on is ended."""

    def __init__(self, command: list[str], environment: dict[str, str], folder: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("4H", 40, 120, 0, 0))
        self.raw = ""
        self.process = subprocess.Popen(
            [sys.executable, "-c", _IN_FRONT, *command],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"},
            cwd=folder,
            start_new_session=True,
        )
        os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)

    @property
    def text(self) -> str:
        """What it has shown so far, without commands to the terminal."""
        return _CONTROL.sub("", self.raw)

    def press(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def read_until(self, pattern: str, timeout_s: float = 60.0) -> re.Match[str]:
        """Read on until something is shown; fail if it is not."""
        until = time.monotonic() + timeout_s
        while (found := re.search(pattern, self.text, re.S)) is None:
            assert self._read(until), f"{pattern} is not shown in\n{self.text[-4000:]}"
        return found

    def wait(self, timeout_s: float = 60.0) -> int:
        """Read on until it ends; return its exit status."""
        until = time.monotonic() + timeout_s
        while self._read(until):
            pass
        return self.process.wait(timeout=timeout_s)

    def _read(self, until: float) -> bool:
        if not select.select([self._ours], [], [], max(until - time.monotonic(), 0.0))[0]:
            return False
        try:
            more = os.read(self._ours, 1 << 16)
        except OSError:  # what Linux says where the other end is closed
            return False
        self.raw += more.decode("utf-8", "replace")
        return bool(more)
