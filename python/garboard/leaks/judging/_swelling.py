"""Lines of which more and more bytes live, although no more tensors do: `x = cat([x, new])`.

Each step makes one tensor, and the one before dies: births know nothing of it. So the bytes of each
line are followed, while the sum of all rises. Numbers only, no object.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from garboard._shown.site import line_of
from garboard.leaks.judging._growth import WARMUP
from garboard.leaks.judging._periods import Ages

__all__ = ["LEAST_SWOLLEN", "Swelling", "Swollen"]

LEAST_SWOLLEN = 1 << 20  # bytes; less is worth a word where the program's code says the same
_LEAST_AT_ALL = 64
_LEAST_RISES = 5  # as many looks as a count needs
_LOOKS_BACK = 8  # batches of all sizes make a sum that rises at every second look
_TENSORS_A_LOOK = 10_000  # alive, that are counted as quickly as births are; of more, more rarely

Row = tuple[int, int, int]  # a site, tensors, bytes


class Swollen(NamedTuple):
    """A line whose bytes have risen from look to look.

    Attributes:
        site: The line.
        since: The step of the first look at what lives without a break.
        first: Bytes at that look.
        last: Bytes at the last one.
    """

    site: int
    since: int
    first: int
    last: int

    @property
    def is_small(self) -> bool:
        return self.last - self.first < LEAST_SWOLLEN


class _Line:
    """The bytes of one line, since they last fell or more tensors lived."""

    def __init__(self) -> None:
        self.looks: list[tuple[int, int]] = []  # step and bytes, each rise
        self.ages = Ages()
        self._count = 0

    def feed(self, now: int, count: int, nbytes: int) -> None:
        if self.looks and (count > self._count or nbytes < self.looks[-1][1]):
            self.looks.clear()
        if not self.looks or nbytes > self.looks[-1][1]:
            self.looks.append((now, nbytes))
        self._count = count
        self.ages.feed(now, self.looks[0][0])

    def is_rising(self, now: int) -> bool:
        """Tell whether it goes on as it began, and has not been let go of at such an age before."""
        (onset, first), (newest, last) = self.looks[0], self.looks[-1]
        rises = len(self.looks) - 1
        if rises < _LEAST_RISES or last - first < _LEAST_AT_ALL:
            return False
        if self.ages.is_usual(now - onset, now):
            return False
        middle, half = self.looks[rises // 2]
        early, late = (half - first) / (middle - onset), (last - half) / (newest - middle)
        return late >= 0.75 * early and now - newest <= 2 * (newest - onset) / rises


class Swelling:
    """Follows all lines of one watch."""

    def __init__(self) -> None:
        self._lines: dict[int, _Line] = {}
        self._totals: deque[int] = deque(maxlen=_LOOKS_BACK)
        self._turn = 0

    def feed(self, now: int, total: int, tensors: int, lines: Callable[[], Iterable[Row]]) -> None:
        """Take how many bytes and tensors live after step `now`.

        `lines` counts them by their line; it is called while the bytes rise, for it takes long.
        """
        is_highest = total > max(self._totals, default=0)
        self._totals.append(total)
        if now <= WARMUP or not is_highest:
            return
        self._turn += 1
        if self._turn % (1 + tensors // _TENSORS_A_LOOK):
            return
        found: dict[int, list[int]] = {}
        for number, count, nbytes in lines():
            entry = found.setdefault(line_of(number), [0, 0])
            entry[0] += count
            entry[1] += nbytes
        for site in self._lines.keys() - found.keys():
            del self._lines[site]
        for site, (count, nbytes) in found.items():
            self._lines.setdefault(site, _Line()).feed(now, count, nbytes)

    def swollen(self, now: int) -> Iterator[Swollen]:
        """Yield the lines that rise after step `now`."""
        for site, line in sorted(self._lines.items()):
            if line.is_rising(now):
                (since, first), (_, last) = line.looks[0], line.looks[-1]
                yield Swollen(site, since, first, last)
