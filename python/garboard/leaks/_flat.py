"""The assertion that a loop's memory stays flat; for programs and tests of any kind."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence

from garboard._arguments import check
from garboard._engine import human_bytes, parse_bytes
from garboard.leaks._errors import LeakError
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.findings._leak import Leak, Rate, fingerprint_of
from garboard.leaks.judging._checked import Checked
from garboard.leaks.judging._exact import judged
from garboard.leaks.kinds._unknown import KIND as UNKNOWN
from garboard.leaks.reports._report import LeakReport
from garboard.leaks.reports._seen import Stack, difference, live_by_line
from garboard.memory import LiveCounts, live

__all__ = ["AssertFlat", "assert_flat"]

_Counts = tuple[int, ...]


class AssertFlat:
    """Made by `assert_flat()`: something to loop over, once or several times.

    Args:
        steps: As for `assert_flat`.
        warmup: Likewise.
        slack: In bytes.

    >>> for step in gb.leaks.assert_flat(steps=4):
    ...     value = gb.ones(3).sum().item()
    """

    def __init__(self, steps: int, warmup: int, slack: int) -> None:
        self._steps, self._warmup, self._slack = steps, warmup, slack

    def __iter__(self) -> Iterator[int]:
        steps, since = Steps(EVIDENCE), EVIDENCE.now()
        seen: list[_Counts] = []
        before: list[Stack] = []
        for step in range(self._warmup + self._steps):
            yield step
            steps.advance()
            seen.append(self._counted(live()))
            if step + 1 == max(self._warmup, 1):
                before = live_by_line()
        half, third = self._warmup + self._steps // 2, max(self._steps // 3, 1)
        highest = [max(values) for values in zip(*seen[:half], strict=True)]
        if _has_come_back(highest, seen[-third:]):
            return
        gc.collect()  # what only cycles hold is garbage
        if _has_come_back(highest, [self._counted(live())]):
            return
        measured = range(self._warmup + 1, self._warmup + self._steps + 1)
        found = LeakReport(*judged(since, steps, measured))
        if not found.leaks:
            found = self._by_line(before, steps.now - 1)
        raise LeakError(found)

    def _counted(self, counts: LiveCounts) -> _Counts:
        if self._slack:
            return (counts.bytes - self._slack if counts.bytes > self._slack else 0,)
        return counts.bytes, counts.storages, counts.nodes

    def _by_line(self, before: Sequence[Stack], now: int) -> LeakReport:
        """Name the lines that have more than before: nothing lives of each step."""
        rows = [(old, new) for old, new in difference(before, live_by_line())]
        leaks = [_grown(old, new, now - self._warmup) for old, new in rows if new.bytes > old.bytes]
        return LeakReport(tuple(leaks), (), Checked(steps=now))


def _has_come_back(highest: Sequence[int], later: Sequence[_Counts]) -> bool:
    """Tell whether every count is at some later step what it was before."""
    lowest = [min(values) for values in zip(*later, strict=True)]
    return all(low <= high for low, high in zip(lowest, highest, strict=True))


def _grown(before: Stack, after: Stack, steps: int) -> Leak:
    site, grown = after.frames[-1], after.bytes - before.bytes
    count = max(after.count - before.count, 0)
    return Leak(
        kind=UNKNOWN.name,
        verdict="LEAK",
        count=count,
        bytes=grown,
        site=site,
        holder="somebody that does not keep something of every step",
        chain=(f"born at {site}",),
        since_step=0,
        rate=Rate(count / steps, grown / steps),
        fix="see gb.leaks.who_holds for one of them",
        fingerprint=fingerprint_of(UNKNOWN.family, UNKNOWN.name, site, ["flat"]),
        evidence=f"{human_bytes(grown)} more live than after the warm-up",
    )


def assert_flat(steps: int = 20, warmup: int = 3, slack: int | str = 0) -> AssertFlat:
    """Assert that memory stays flat over the steps of a loop.

    Live bytes, storages and graph nodes come back, at some step of the last third, to what the
    first half and the warm-up had at most; what a cache keeps that fills early does not count, nor
    what is made and emptied now and then. A loop that is left early, or raises, is not
    judged. What only reference cycles hold is garbage.

    Args:
        steps: Steps that count, at least 2.
        warmup: Steps before them.
        slack: Bytes that may be kept all the same, as a number or a text such as "1 MiB"; then
            storages and nodes are not counted.

    Returns:
        An AssertFlat, which gives the numbers of the steps, from 0.

    Raises:
        TypeError: `steps` or `warmup` is no integer, `slack` neither that nor a string.
        ValueError: `steps` < 2, `warmup` < 0 or `slack` < 0.
        GarboardError: `slack` is no amount.
        LeakError: From the loop's end: memory has grown, and the report says what keeps it.

    >>> for step in gb.leaks.assert_flat(steps=4):
    ...     value = (gb.ones(3) * step).sum().item()
    >>> kept = []
    >>> for step in gb.leaks.assert_flat(steps=4):
    ...     kept.append(gb.ones(3))
    Traceback (most recent call last):
    garboard.leaks._errors.LeakError: 1 leak: ...
    """
    return AssertFlat(
        check.count("assert_flat", "steps", steps, least=2),
        check.count("assert_flat", "warmup", warmup),
        parse_bytes(slack)
        if isinstance(slack, str)
        else check.count("assert_flat", "slack", slack),
    )
