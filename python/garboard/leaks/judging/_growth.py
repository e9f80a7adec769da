"""Growth tests over survivor cohorts: how many things born in each step still live.

Counting what lives tells a leak from a cache or a buffer no better than a coin. Births do: a leak
keeps something of nearly every step for good, whatever else comes and goes at its line.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "CERTAIN",
    "ENDLESS",
    "GRACE",
    "LEAST_COHORTS",
    "PERIOD",
    "WARMUP",
    "Growth",
    "is_spread",
    "is_steady",
]

WARMUP = 3  # steps whose births are nobody's fault: lazy states, first gradients, caches
GRACE = 4  # steps a healthy tensor may live on: the depth of usual gradient accumulation
LEAST_COHORTS = 6  # birth steps with survivors; fewer are single events
WINDOWS = (24, 96, 384)  # steps; the long ones see what leaks in every tenth step
ENDLESS = 100  # birth steps in a row: a buffer that nothing empties is none
PERIOD = WINDOWS[0] // 3  # steps between two evaluations
_RISES = 12  # evaluations in a row, each with more than the one before

CERTAIN = WINDOWS[0] + 4 * PERIOD  # steps: five evaluations of the shortest window

Cohorts = Mapping[int, int]  # birth step: how many of it live


def is_spread(cohorts: Cohorts, now: int, window: int) -> bool:
    """Tell whether survivors of at least six steps lie in all four quarters of the window.

    A window may begin half full: then it is what there is since the first step.
    """
    if now < window // 2:
        return False
    first, last = max(now - window, 0) + 1, now - GRACE
    steps = [step for step in cohorts if first <= step <= last]
    quarter = (last - first + 1) / 4
    return len(steps) >= LEAST_COHORTS and {int((s - first) / quarter) for s in steps} == {
        0,
        1,
        2,
        3,
    }


def is_steady(cohorts: Cohorts, now: int) -> bool:
    """Tell whether survivors are still born as they were: caches decelerate, leaks do not.

    The last third since the first survivor's birth holds at least 3/4 of what the first third does.
    """
    if not cohorts:
        return False
    onset, last = min(cohorts), now - GRACE
    third = (last - onset + 1) / 3
    early = sum(n for step, n in cohorts.items() if step < onset + third)
    late = sum(n for step, n in cohorts.items() if last - third < step <= last)
    return late >= 0.75 * early


class _Gate:
    """Consecutive positive evaluations of one window, in which nothing of the first one dies."""

    def __init__(self, window: int) -> None:
        self.window = window
        self.needed = 3 if window >= 96 else 5
        self.streak = 0
        self._first: dict[int, int] = {}

    def feed(self, now: int, cohorts: Cohorts) -> None:
        if not is_spread(cohorts, now, self.window):
            self.streak = 0
            return
        self.lose(cohorts)
        if self.streak:
            self.streak += 1
            return
        self.streak = 1
        self._first = {
            step: n for step, n in cohorts.items() if now - self.window < step <= now - GRACE
        }

    def lose(self, cohorts: Cohorts) -> None:
        """Begin anew if something of the first evaluation has died by now."""
        if not all(cohorts.get(step, 0) >= n for step, n in self._first.items()):
            self.streak = 0


class _Rise:
    """Whether ever more live although some die: of a heap that is pushed to more often than popped
    from, the best go, whatever their age."""

    def __init__(self) -> None:
        self._counts: list[int] = []  # at each evaluation since the last that saw no more
        self._last = 0  # the step of the last one

    def feed(self, now: int, cohorts: Cohorts) -> None:
        count = sum(cohorts.values())
        if now - self._last > PERIOD or (self._counts and count <= self._counts[-1]):
            self._counts.clear()
        self._counts.append(count)
        del self._counts[: -_RISES - 1]
        self._last = now

    def is_steady(self, now: int) -> bool:
        """Tell whether a hundred steps up to now have gained, their last third as the first."""
        if len(self._counts) <= _RISES or now - self._last > PERIOD:
            return False
        first, *_, last = self._counts
        third = _RISES // 3
        early, late = self._counts[third] - first, last - self._counts[-third - 1]
        return late >= 0.75 * early


class Growth:
    """The survivors of one line, seen every `PERIOD` steps."""

    def __init__(self) -> None:
        self._gates = [_Gate(window) for window in WINDOWS]
        self._rise = _Rise()
        self.cohorts: Cohorts = {}

    def feed(self, now: int, cohorts: Cohorts) -> None:
        """Take what lives after step `now`; `now` is a multiple of `PERIOD`."""
        self.cohorts = cohorts
        self._rise.feed(now, cohorts)
        for gate in self._gates:
            if now % (gate.window // 3) == 0:
                gate.feed(now, cohorts)

    def lose(self, cohorts: Cohorts) -> None:
        """Take what lives between two evaluations: what has died since is no growth."""
        for gate in self._gates:
            gate.lose(cohorts)

    def is_rising(self, now: int) -> bool:
        """Tell whether ever more live after step `now`, whichever they are."""
        return self._rise.is_steady(now)

    @property
    def streak(self) -> int:
        """The most consecutive positive evaluations any window has now."""
        return max(gate.streak for gate in self._gates)

    @property
    def is_confirmed(self) -> bool:
        return any(gate.streak >= gate.needed for gate in self._gates)

    @property
    def is_nearly_confirmed(self) -> bool:
        """True one evaluation before, when the holder's size is taken for comparison."""
        return any(gate.streak >= gate.needed - 1 for gate in self._gates)
