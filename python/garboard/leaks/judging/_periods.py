"""What lines have let go of before: what comes and goes in a period is no growth.

A window, a buffer that is flushed or a request's cache grows for as long as it is meant to, and is
then let go. Whoever has seen that twice says nothing of the third time, until it takes longer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from garboard.leaks.evidence._rows import Key
from garboard.leaks.judging._growth import PERIOD

__all__ = ["Ages", "Periods"]

_TIMES = 2  # ends of about one age; a single one may be the program's own beginning
_MOST_ENDS = 8  # that are remembered of a line
_ROOM = 1.25  # no two sequences are of one length


class _End(NamedTuple):
    """How old it was when it was let go, how often at about that age, and when first.

    Of what slides only the oldest goes at a time, and nearly as old is next.
    """

    age: int
    times: int
    step: int
    slides: bool

    def is_like(self, age: int, slides: bool) -> bool:
        return abs(self.age - age) <= self.age // 10 and self.slides == slides

    def is_near(self, age: int) -> bool:
        """Tell whether such an age would be no later than this, but for the differences of two
        sequences; what slides has none, and a backlog that nobody can keep up with slides."""
        return (self.age if self.slides else _ROOM * self.age) + PERIOD >= age


class Ages:
    """How long one thing grew, each time before it was let go; numbers only."""

    def __init__(self) -> None:
        self._onset = self._seen = 0
        self._ends: deque[_End] = deque(maxlen=_MOST_ENDS)

    def feed(self, now: int, onset: int) -> None:
        """Take the step since which the oldest of it lives; 0 while there is none."""
        if self._onset and (onset > self._onset or not onset):
            age = self._seen - self._onset
            self._end(now, age, slides=onset > 0 and 2 * (now - onset) >= age)
        self._onset, self._seen = onset, now

    def _end(self, now: int, age: int, slides: bool) -> None:
        if self._ends and self._ends[-1].is_like(age, slides):
            self._ends[-1] = self._ends[-1]._replace(times=self._ends[-1].times + 1)
        else:
            self._ends.append(_End(age, 1, now, slides))

    def is_usual(self, age: int, now: int) -> bool:
        """Tell whether it has been let go at such an age, or later, several times.

        And for as long as it takes to get there: a backlog is older each time that one looks.
        """
        ends = [it for it in self._ends if it.is_near(age)]
        return sum(it.times for it in ends) >= _TIMES and now - ends[0].step >= age


class Periods:
    """Of every line that something has survived at."""

    def __init__(self) -> None:
        self._lines: dict[Key, Ages] = {}

    def feed(self, now: int, found: Mapping[Key, Mapping[int, int]]) -> None:
        """Take the survivors after step `now`."""
        for key, cohorts in found.items():
            self._lines.setdefault(key, Ages()).feed(now, min(cohorts))
        for key in self._lines.keys() - found.keys():
            self._lines[key].feed(now, 0)

    def is_usual(self, key: Key, age: int, now: int) -> bool:
        """Tell whether survivors of that line have come to such an age before, and ended."""
        return key in self._lines and self._lines[key].is_usual(age, now)
