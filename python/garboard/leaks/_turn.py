"""Who may look at a watch when: one thread at a time, and never a signal in the middle of it."""

from __future__ import annotations

import os
import threading
from types import TracebackType

__all__ = ["Turn"]

_MOST_WAIT_S = 5.0


class Turn:
    """Lets one thread at a time look; who comes in between can tell.

    A signal's handler runs in the middle of whatever its thread does, and must not wait for it.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._depth = 0
        self._pid = os.getpid()

    def __enter__(self) -> None:
        if self._pid != os.getpid():  # a fork copies a lock that nobody here will ever open
            self.__init__()  # type: ignore[misc]
        self._lock.acquire()
        self._depth += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

    def is_free(self) -> bool:
        """Take the turn if no look is under way, or if it ends soon; `release()` gives it back."""
        if not self._lock.acquire(timeout=_MOST_WAIT_S):
            return False
        if self._depth:  # of this very thread, below us
            self._lock.release()
            return False
        self._depth += 1
        return True

    def release(self) -> None:
        self._depth -= 1
        self._lock.release()
