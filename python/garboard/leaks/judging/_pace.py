"""How often a watch looks: every eighth step, or more rarely where that would cost too much."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from garboard.leaks.judging._growth import PERIOD, WINDOWS

__all__ = ["Pace"]

_FREE_S = 5.0  # of a processor
_FREE_LOOKS = WINDOWS[-1] // PERIOD  # what a short run is told depends on no clock
_FACTOR = 4  # the windows' own periods are 8, 32 and 128 steps: what is rarer still meets them all
_RAREST = PERIOD * _FACTOR**6


class Pace:
    """Keeps the looks of a watch below a share of the loop's time, after five seconds of them.

    Each look is a block of `with pace:`. The first 48 looks, those of 384 steps, come whatever they
    take.

    Asking for a thread's own time can take longer than a look, where each question goes through the
    kernel of a virtual machine. So that is asked when the clock says that a look takes too long.

    Args:
        share: Of the time between two looks.
        clock: Tells the time.
        busy: Tells the time that this thread has worked.
    """

    def __init__(
        self,
        share: float,
        clock: Callable[[], float] = time.perf_counter,
        busy: Callable[[], float] = time.thread_time,
    ) -> None:
        self._share, self._clock, self._busy = share, clock, busy
        self._spent, self._looks = 0.0, 0
        self._is_doubtful = False  # the last look took long, by the clock
        self._left_at = self._begun = clock()
        self._worked = 0.0
        self.period = PERIOD

    def is_due(self, step: int) -> bool:
        return step % self.period == 0

    def next_after(self, step: int) -> int:
        """Return the step that is due next."""
        return step - step % self.period + self.period

    def __enter__(self) -> None:
        """Begin a look, which is measured."""
        self._begun = self._clock()
        self._worked = self._busy() if self._is_doubtful else 0.0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End a look, and decide when the next one comes."""
        allowed = (self._begun - self._left_at) * self._share
        self._left_at = self._clock()
        cost = self._left_at - self._begun
        if self._is_doubtful:
            cost = max(self._busy() - self._worked, 0.0)
        self._spent += cost
        self._looks += 1
        if self._spent > _FREE_S and self._looks > _FREE_LOOKS:
            self._is_doubtful = cost > allowed and not self._is_doubtful
            if not self._is_doubtful:
                self._change(cost, allowed)

    def _change(self, cost: float, allowed: float) -> None:
        if cost > allowed and self.period < _RAREST:
            self.period *= _FACTOR
        elif cost * 2 * _FACTOR < allowed and self.period > PERIOD:
            self.period //= _FACTOR

    @property
    def note(self) -> str:
        """What a report says of it; empty while nothing is left out."""
        if self.period == PERIOD:
            return ""
        return (
            f"looked at every {self.period}th step, to take at most {self._share:.0%} of the "
            "loop's time"
        )
