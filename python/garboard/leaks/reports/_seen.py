"""What lived while it was watched: lines, bytes and names, for pictures. No row keeps a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from garboard._shown.site import Site, line_of, site_of
from garboard.leaks.evidence._evidence import Evidence
from garboard.leaks.evidence._live import LiveGroup, live
from garboard.leaks.evidence._native import EVIDENCE
from garboard.memory import history_level

__all__ = ["Moment", "Seen", "Stack", "Timeline", "difference", "live_by_line", "live_by_stack"]

_MOST_MOMENTS = 256
_MOST_ROWS = 200


class Moment(NamedTuple):
    """What lived after a step."""

    step: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Stack:
    """Living tensors that were born by the same calls.

    Attributes:
        frames: The calls, the outermost first; the line of birth alone where no calls are recorded.
        count: Tensors, or blocks of memory where calls are recorded.
        bytes: Of their storages.
    """

    frames: tuple[Site, ...]
    count: int
    bytes: int


@dataclass(frozen=True)
class Seen:
    """What lived, and when.

    Attributes:
        timeline: Live bytes over the steps, at most 256 moments.
        before: By line, when the warm-up ended.
        after: By line, at the report.
        calls: By the calls that made it, at the report; empty where no calls are recorded.
        scopes: By the scope that will end it, at the report.
    """

    timeline: tuple[Moment, ...] = ()
    before: tuple[Stack, ...] = ()
    after: tuple[Stack, ...] = ()
    calls: tuple[Stack, ...] = ()
    scopes: tuple[LiveGroup, ...] = ()

    @classmethod
    def now(
        cls,
        timeline: Iterable[Moment] = (),
        before: Iterable[Stack] = (),
        evidence: Evidence = EVIDENCE,
    ) -> Seen:
        """Look at what lives now."""
        return cls(
            tuple(timeline),
            tuple(before),
            tuple(live_by_line(evidence)),
            tuple(live_by_stack()) if evidence is EVIDENCE else (),
            tuple(live("scope")[:_MOST_ROWS]) if evidence is EVIDENCE else (),
        )


class Timeline:
    """Live bytes over any number of steps, in as much memory as 256 moments take."""

    def __init__(self, live_bytes: Callable[[], int]) -> None:
        self._live_bytes = live_bytes
        self._moments: list[Moment] = []
        self._stride = 1

    def take(self, step: int) -> None:
        """Note what lives after a step, unless its turn is later."""
        if step % self._stride:
            return
        if len(self._moments) == _MOST_MOMENTS:
            self._stride *= 2
            self._moments = [it for it in self._moments if it.step % self._stride == 0]
            if step % self._stride:
                return
        self._moments.append(Moment(step, self._live_bytes()))

    def next_after(self, step: int) -> int:
        """Return the step that is noted next."""
        return step - step % self._stride + self._stride

    def with_now(self, step: int) -> list[Moment]:
        """Return the moments, the present one at the end."""
        now = Moment(step, self._live_bytes())
        return [*(it for it in self._moments if it.step < step), now]


def live_by_line(evidence: Evidence = EVIDENCE) -> list[Stack]:
    """Return what lives by its line of birth, the most bytes first; at most 200 rows."""
    found: dict[int, list[int]] = {}
    for number, count, nbytes in evidence.live_sites():
        entry = found.setdefault(line_of(number), [0, 0])
        entry[0] += count
        entry[1] += nbytes
    return _largest(Stack((site_of(number),), *entry) for number, entry in found.items())


def live_by_stack() -> list[Stack]:
    """Return live blocks by the calls that made them, where `record_history("stack")` is on."""
    if history_level() != "stack":
        return []
    from garboard.memory import snapshot
    from garboard.report._tally import live_blocks

    found: dict[tuple[Site, ...], list[int]] = {}
    for _, nbytes, frames in live_blocks(snapshot()["segments"]):
        entry = found.setdefault(tuple(_site(frame) for frame in reversed(frames)), [0, 0])
        entry[0] += 1
        entry[1] += nbytes
    return _largest(Stack(sites, *entry) for sites, entry in found.items() if sites)


def _site(frame: dict[str, Any]) -> Site:
    return Site(frame["filename"], frame["line"], frame["name"])


def _largest(rows: Iterable[Stack]) -> list[Stack]:
    return sorted(rows, key=lambda it: (-it.bytes, -it.count, it.frames))[:_MOST_ROWS]


def difference(before: Sequence[Stack], after: Sequence[Stack]) -> list[tuple[Stack, Stack]]:
    """Return (before, after) of each line that has changed, the largest change first."""
    old = {it.frames: it for it in before}
    new = {it.frames: it for it in after}
    none = {frames: Stack(frames, 0, 0) for frames in old.keys() | new.keys()}
    pairs = [(old.get(it, none[it]), new.get(it, none[it])) for it in none]
    changed = [(a, b) for a, b in pairs if a != b]
    return sorted(
        changed,
        key=lambda it: (
            -abs(it[1].bytes - it[0].bytes),
            -abs(it[1].count - it[0].count),
            it[0].frames,
        ),
    )
