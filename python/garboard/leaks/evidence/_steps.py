"""The steps, phases and epochs of one watched loop.

Every birth is stamped with one process-wide step. Watchers may overlap, so each keeps its
own count and remembers where the process's step stood when its own moved on.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from garboard._contexts.blocks import block
from garboard._engine import _put_back
from garboard.leaks.evidence._evidence import Evidence

__all__ = ["Steps"]

_MOST_ENTRIES = 2048  # a watch may go on for days; the last thousand are exact


class Steps:
    """A watcher's own steps, from 1."""

    def __init__(self, evidence: Evidence) -> None:
        self._advance = evidence.advance_step
        self.now: int = 1
        self.phase: str = ""
        self.epochs: list[int] = []  # the last step of each epoch that has ended
        self.warm: set[int] = set()  # first steps of phases: what they make is nobody's fault
        self._phases = {""}
        self._last = self._advance() + 1
        # From global step `starts[i]` on, own step = global step - offsets[i]. More than one entry
        # means that somebody else moved the global step on, too.
        self._starts = [self._last]
        self._offsets = [self._last - 1]

    @block
    def until_left(self, before: str, within: list[int], depth: int) -> Iterator[None]:
        """Go back to the phase `before` at the end of a block; `within` has its depth meanwhile."""
        try:
            within.append(depth)
            yield
        finally:
            _put_back(self._return_to, before, within, depth)

    def _return_to(self, before: str, within: list[int], depth: int) -> None:
        self.enter_phase(before)
        if depth in within:
            within.remove(depth)

    def advance(self) -> int:
        """End a step; return its number."""
        done = self.now
        self.now += 1
        found = self._advance()
        if found != self._last:
            self._starts.append(found + 1)
            self._offsets.append(found + 1 - self.now)
            if len(self._starts) > _MOST_ENTRIES:  # of long ago every second one will do
                del self._starts[1 : _MOST_ENTRIES // 2 : 2]
                del self._offsets[1 : _MOST_ENTRIES // 2 : 2]
        self._last = found + 1
        return done

    def own(self, global_step: int) -> int:
        """Return the own step in which something of this global step was born."""
        i = bisect_right(self._starts, global_step) - 1
        step = global_step - self._offsets[max(i, 0)]
        has_next = i + 1 < len(self._starts)
        last = self._starts[i + 1] - self._offsets[i + 1] - 1 if has_next else self.now
        return max(0, min(step, last))

    def global_range(self, first: int, last: int) -> tuple[int, int]:
        """Return global steps between which all births of these own steps lie, and maybe others."""
        return first + self._offsets[0], last + self._offsets[-1]

    def end_epoch(self) -> None:
        """Say that the step before the present one was the last of an epoch."""
        self.epochs.append(self.now - 1)
        if len(self.epochs) > _MOST_ENTRIES:  # likewise: two that are long over become one
            del self.epochs[: _MOST_ENTRIES // 2 : 2]

    def enter_phase(self, name: str) -> str:
        """Begin a phase; return the one before."""
        before, self.phase = self.phase, name
        if name not in self._phases:
            self._phases.add(name)
            self.warm.add(self.now)
        return before
