"""How many bytes the garbage collector gave back: what only cycles held until it came."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from garboard.leaks.evidence._evidence import Evidence

__all__ = ["Collected", "held_off"]


class Collected:
    """Counts bytes of storages that end in collections, between `start()` and `stop()`.

    Whatever else ends meanwhile on other threads is counted, too: it tells when to look, and is no
    evidence.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self.bytes = 0
        self.times = 0
        self._before = 0

    def start(self) -> None:
        if self._note not in gc.callbacks:
            gc.callbacks.append(self._note)

    def stop(self) -> None:
        if self._note in gc.callbacks:
            gc.callbacks.remove(self._note)

    def is_much(self, least: int) -> bool:
        """Tell whether it was more than so many bytes and a twentieth of what lives."""
        return self.times > 1 and self.bytes > max(least, self._live_bytes() // 20)

    def _note(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase == "start":
            self._before = self._live_bytes()
        elif (ended := self._before - self._live_bytes()) > 0:
            self.bytes += ended
            self.times += 1

    def _live_bytes(self) -> int:
        return self._evidence.total_bytes()


@contextmanager
def held_off() -> Iterator[None]:
    """Keep the collector from ending, of its own accord, the garbage that is being looked at."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
