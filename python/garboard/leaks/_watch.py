"""Watches a training loop, and names what leaks, at its line, as soon as that is certain."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self
from weakref import WeakSet

from garboard._arguments import check
from garboard._arguments.texts import shown
from garboard._engine import _EndingBlock
from garboard._shown.site import site_of
from garboard.leaks._errors import LeakError
from garboard.leaks._snapshot import Snapshot, counts_and_groups
from garboard.leaks._turn import Turn
from garboard.leaks._warning import warn, warn_at
from garboard.leaks.evidence._evidence import Provider, evidence_of
from garboard.leaks.evidence._rows import Key
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.evidence._survivors import cohorts
from garboard.leaks.evidence._views import LEAST_PINNED
from garboard.leaks.findings._leak import Leak
from garboard.leaks.holders._roots import Opened, caller_file
from garboard.leaks.judging._announced import Announced
from garboard.leaks.judging._checked import Checked
from garboard.leaks.judging._collected import Collected
from garboard.leaks.judging._exemptions import Exemptions, without_ignored
from garboard.leaks.judging._forecast import with_forecasts
from garboard.leaks.judging._freed import Expected
from garboard.leaks.judging._gone import Gone
from garboard.leaks.judging._growth import CERTAIN, GRACE, WARMUP
from garboard.leaks.judging._pace import Pace
from garboard.leaks.judging._tracker import Tracker
from garboard.leaks.judging._trial import Trial
from garboard.leaks.reports._report import LeakReport
from garboard.leaks.reports._seen import Seen, Stack, Timeline, live_by_line

if TYPE_CHECKING:
    from garboard.leaks._kept_file import KeptFile

__all__ = ["LeakWatcher", "watch"]

_BUDGET = 0.05  # of the loop's time
_LEAST_TOLD = 16 << 20  # bytes of growth; less is told at the end

listeners: list[Callable[[LeakReport], None]] = []  # hear of each watch that ends
running: WeakSet[LeakWatcher] = WeakSet()  # between enter and exit

OnLeak = Literal["warn", "raise"] | Callable[[Leak], object]


class LeakWatcher(_EndingBlock):
    """Watches what a loop leaves behind; made by `watch()`, used as a context manager.

    Call `step()` at the end of each step. Most calls count and return; every eighth asks the
    registry which births of finished steps still live, and only when those pile up is anything
    searched. What is certain to be a leak is announced once, by `on_leak`.

    Args:
        on_leak: As for `watch`.
        budget: Likewise.
        report: Likewise.
        provider: Likewise.

    >>> with gb.leaks.LeakWatcher() as watch:
    ...     for _ in range(3):
    ...         value = gb.ones(2).sum().item()
    ...         watch.step()
    >>> watch.report().ok
    True
    """

    def __init__(
        self,
        on_leak: OnLeak = "warn",
        budget: float = _BUDGET,
        report: str | os.PathLike[str] | None = None,
        provider: Provider = "garboard",
    ) -> None:
        self._on_leak = on_leak
        self._evidence = evidence_of("watch", provider)
        self._pace = Pace(check.share("watch", "budget", budget))
        self._turn = Turn()
        self._file = None if report is None else self._kept(report)
        self._steps = Steps(self._evidence)
        self._since = self._evidence.now()
        self._tracker = Tracker()
        self._exemptions = Exemptions(self._evidence)
        self._expected: list[Expected] = []
        self._announced, self._gone = Announced(), Gone()
        self._has_told = False
        self._within: list[int] = []  # how many frames deep the phases are that end with a block
        self._collected = Collected(self._evidence)
        self._cycles: list[Leak] = []
        self._look_for_cycles_at = self._due = 0
        self._warm_bytes = self._live_bytes()
        self._opened = Opened.here()
        self._timeline = Timeline(self._evidence.total_bytes)
        self._before: list[Stack] = []
        self._report: LeakReport | None = None

    def __repr__(self) -> str:
        found = len(self._announced)
        noun = "leak" if found == 1 else "leaks"
        return f"<LeakWatcher: in step {self._steps.now}, {found} {noun} announced>"

    def _enter(self, entry: list[object]) -> Self:
        self._evidence.open()
        entry.append(self)
        self._steps = Steps(self._evidence)
        self._since = self._evidence.now()
        self._warm_bytes = self._live_bytes()
        self._opened = Opened.here()
        self._collected.start()
        if self._file is not None:
            self._file.open()
        running.add(self)
        return self

    def _leave(
        self,
        entry: list[object] | None,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        kept = check.unless_left("watch", entry)
        if not kept:  # Ctrl-C came while it was entered, or at its end
            return
        self._collected.stop()
        running.discard(self)
        kept.clear()
        try:
            if error is None:  # a traceback keeps its frames, and with them their tensors
                self._report = self.report()
            if self._file is not None:
                self._file.close(self._report or self._brief("the loop raised"))
        finally:
            self._evidence.close()
        if error is None and self._report is not None:
            for heard in tuple(listeners):
                heard(self._report)
            self._announce(self._report.leaks)
            self._tell_growth(self._report.leaks)

    def _watch_file(self, file: str) -> None:
        """Take a file for the loop's, whoever asks for the report."""
        self._opened = self._opened._replace(file=file)

    def step(self) -> None:
        """Say that a step of the loop has ended.

        Raises:
            LeakError: A leak has become certain, and `on_leak` is "raise".

        >>> with gb.leaks.watch() as watch:
        ...     for _ in range(3):
        ...         watch.step()
        >>> watch.report().checked.steps
        3
        """
        now = self._steps.advance()
        if now >= self._due:
            self._at_due(now)

    def _at_due(self, now: int) -> None:
        """Do what a step that has ended is the turn of: most are of nothing's."""
        self._timeline.take(now)
        if self._pace.is_due(now):
            with self._turn, self._pace:
                self._evaluate(now)
        elif now == WARMUP:
            self._warm_bytes = self._live_bytes()
            self._before = live_by_line(self._evidence)
        self._due = min(self._pace.next_after(now), self._timeline.next_after(now))

    def epoch(self) -> None:
        """Say that an epoch has ended: from now on, containers are judged by what outlives them.

        An epoch without a step is a step, too.

        Raises:
            LeakError: A leak has become certain, and `on_leak` is "raise".

        >>> with gb.leaks.watch() as watch:
        ...     for _ in range(2):
        ...         watch.step()
        ...         watch.epoch()
        """
        if self._steps.now - 1 == (self._steps.epochs[-1] if self._steps.epochs else 0):
            self.step()  # of a loop that tells its epochs alone
        self._steps.end_epoch()
        if len(self._steps.epochs) < 2:
            return
        now = self._steps.now - 1
        found = self._cohorts(now)
        self._tracker.feed_epoch(found, self._steps.epochs)
        if due := self._tracker.epoch_due(now):
            leaks = self._trial(now).tensors(due)
            self._gone.take(leaks)
            self._announce(leaks)
            self._tracker.put_off(due, now)

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Begin a phase, such as "eval"; used with `with`, return to the one before afterwards.

        What the first step of each phase makes is taken for warm-up.

        Args:
            name: The phase's name; a phase may be begun again.

        Returns:
            A context manager, whose use is up to you.

        Raises:
            TypeError: `name` is no string.

        >>> with gb.leaks.watch() as watch:
        ...     watch.step()
        ...     with watch.phase("eval"):
        ...         watch.step()
        """
        before = self._steps.enter_phase(check.text("phase", "name", name))
        return self._steps.until_left(before, self._within, Opened.here().depth)

    def exclude(self, *things: object, reason: str = "") -> None:
        """Never report these tensors, nor what is held by way of these modules or other objects.

        Args:
            *things: Tensors, modules, other objects; held weakly.
            reason: Printed in the report's notes.

        Raises:
            TypeError: A thing is neither a tensor nor can be referred to weakly; `reason` is no
                string.

        >>> kept = gb.zeros(3)
        >>> with gb.leaks.watch() as watch:
        ...     watch.exclude(kept, reason="a table")
        """
        self._exemptions.exclude(things, reason)

    def expect(self, name_or_site: str, max_items: int = 500, reason: str = "") -> None:
        """Declare a capacity: growth there is reported when it has more than `max_items`.

        A report's notes tell of a name that nothing under watch had.

        Args:
            name_or_site: The container as the program writes it ("buffer", "agent.memory"), or a
                birth site ("train.py:42", "collect").
            max_items: What it may hold.
            reason: Printed in the report's notes.

        Raises:
            TypeError: A text that is no string, or `max_items` is no integer.
            ValueError: `max_items` is below 0.

        >>> with gb.leaks.watch() as watch:
        ...     watch.expect("agent.memory", max_items=10_000, reason="replay")
        """
        self._exemptions.expect(name_or_site, max_items, reason)

    def expect_freed(self, obj: object, reason: str = "") -> None:
        """Declare that an object's life is over: if it still lives at a report, that is a leak.

        Args:
            obj: A tensor, a module or another object; held weakly.
            reason: Printed with the finding.

        Raises:
            TypeError: The object cannot be referred to weakly; `reason` is no string.

        >>> with gb.leaks.watch() as watch:
        ...     cache = gb.zeros(3)
        ...     watch.expect_freed(cache, reason="the epoch is over")
        ...     del cache
        >>> watch.report().ok
        True
        """
        self._expected.append(Expected(obj, reason, self._steps.now, self._evidence))

    def snapshot(self) -> Snapshot:
        """Return what lives now, by birth line; keeps no tensor.

        >>> with gb.leaks.watch() as watch:
        ...     before = watch.snapshot()
        ...     x = gb.zeros(3)
        ...     (watch.snapshot().counts - before.counts).aliases
        1
        """
        return Snapshot(*counts_and_groups(self._evidence))

    def report(self) -> LeakReport:
        """Look at everything, and return what is found; after the block, what its end found.

        Returns:
            A LeakReport, which keeps no tensor.

        >>> with gb.leaks.watch() as watch:
        ...     watch.step()
        >>> watch.report().ok
        True
        """
        with self._turn:
            return self._report or self._full_report()

    def _kept(self, report: str | os.PathLike[str]) -> KeptFile:
        from garboard.leaks._kept_file import KeptFile  # few need it, and it needs files

        return KeptFile(report, self._known)

    def _known(self) -> LeakReport:
        """Return the report for somebody who comes in between: on another thread, or by a signal.

        In the middle of a look it is what was certain before.
        """
        if not self._turn.is_free():
            return self._brief("a look was under way")
        try:
            return self._report or self._full_report()
        finally:
            self._turn.release()

    def _brief(self, why: str) -> LeakReport:
        now = self._steps.now - 1
        return LeakReport(
            tuple(sorted(self._announced.all(), key=lambda leak: leak.gravity)),
            (f"{why}: only what was certain before is told",),
            Checked(steps=now),
            Seen(tuple(self._timeline.with_now(now))),
        )

    def _full_report(self) -> LeakReport:
        now, grown = self._steps.now - 1, self._tracker.confirmed_lines()
        self._tracker.lose(self._cohorts(now))
        trial = self._trial(now)
        found = [*with_forecasts(trial.everything(), self._evidence), *self._unfreed(now)]
        cycles = [leak for leak in found if leak.verdict == "CYCLE"]
        found += [] if cycles else self._cycles
        self._cycles = cycles or self._cycles
        leaks, notes = without_ignored(self._announced.joined_with(found))
        notes += self._gone.notes(grown, leaks)
        notes = [*trial.notes, *notes, *self._exemptions.unmet(), *self._evidence.notes]
        if self._pace.note:
            notes.append(self._pace.note)
        if not now:
            notes.append("step() was never called: growth is unseen")
        if not leaks and 0 < now < CERTAIN and not self._steps.epochs:
            notes = [*notes, *self._suspects(now)]
        return LeakReport(
            leaks=tuple(sorted(leaks, key=lambda leak: leak.gravity)),
            notes=tuple(dict.fromkeys(notes)),
            checked=Checked(
                steps=now,
                born=self._evidence.now().alias - self._since.alias,
                alive=self._evidence.count(self._since.alias),
                grown_bytes=self._live_bytes() - self._warm_bytes,
                needed=0 if self._steps.epochs else CERTAIN,
            ),
            seen=Seen.now(self._timeline.with_now(now), self._before, self._evidence),
        )

    def _suspects(self, now: int) -> list[str]:
        """Say what has survived most steps so far, of a loop that was too short to be sure."""
        found = cohorts(self._evidence, self._since, self._steps, 1, now)
        return [
            f"suspect so far: {key.what}s born at {site_of(key.site)}, "
            f"of {len(steps)} of {now} steps"
            for key, steps in sorted(found.items())
            if now >= GRACE and 2 * len(steps) > now
        ]

    def _trial(self, now: int) -> Trial:
        state = (self._since, self._steps, self._tracker, self._exemptions, self._opened)
        return Trial(self._evidence, now, *state, within=min(self._within, default=0))

    def _evaluate(self, now: int) -> None:
        if not self._opened.file:
            self._watch_file(caller_file())
        found = self._cohorts(now - GRACE)
        self._tracker.feed(now, found)
        total, tensors = self._live_bytes(), self._evidence.count(0)
        self._tracker.swelling.feed(now, total, tensors, self._evidence.live_sites)
        if now >= self._look_for_cycles_at and self._collected.is_much(LEAST_PINNED):
            self._look_for_cycles_at = 2 * now
            self._cycles = self._trial(now).garbage(self._collected.bytes) or self._cycles
        if not found:
            return
        leaks = self._trial(now).graphs() if self._tracker.is_graph_due(now) else []
        if not self._steps.epochs and (due := self._tracker.due(now)):
            leaks += self._trial(now).tensors(due)
            self._tracker.put_off(due, now)
        if not self._steps.epochs and (due := self._tracker.unseen_due(now)):
            leaks += self._trial(now).unseen()
            self._tracker.put_off(due, now)
        # What a look has ended is not there for the report.
        self._cycles = [leak for leak in leaks if leak.verdict == "CYCLE"] or self._cycles
        self._gone.take(leaks)
        self._announce(leaks)
        if not self._has_told and self._has_grown_much():
            self._tell_growth(self._trial(now).everything())

    def _cohorts(self, last: int) -> dict[Key, dict[int, int]]:
        return cohorts(self._evidence, self._since, self._steps, WARMUP + 1, last)

    def _tell_growth(self, leaks: Sequence[Leak]) -> None:
        """Say once, in a line, what grows and may yet have a bound."""
        growing = [leak for leak in leaks if leak.verdict == "GROWING"]
        if not growing or self._has_told or self._on_leak != "warn":
            return
        self._has_told = True
        for leak in growing[:1]:
            more = f" (and {len(growing) - 1} more)" if len(growing) > 1 else ""
            text = f"{leak.kind} is growing: {leak.figures}; held by {leak.holder}{more}"
            warn_at(leak, text)

    def _has_grown_much(self) -> bool:
        """Tell whether the loop has added a tenth of what the device may have."""
        live = self._evidence.live_bytes()
        grown = sum(live.values()) - self._warm_bytes
        limits = [self._evidence.memory_limit(it) for it in live if grown >= _LEAST_TOLD]
        return any(limit is not None and grown > limit // 10 for limit in limits)

    def _live_bytes(self) -> int:
        return self._evidence.total_bytes()

    def _unfreed(self, now: int) -> list[Leak]:
        found = (expected.leak(now) for expected in self._expected)
        return [leak for leak in found if leak is not None]

    def _announce(self, leaks: list[Leak] | tuple[Leak, ...]) -> None:
        new = with_forecasts(self._announced.new_among(leaks), self._evidence)
        self._announced.add(new)
        if not new:
            return
        if self._on_leak == "raise":
            raise LeakError(LeakReport(tuple(new), checked=Checked(steps=self._steps.now - 1)))
        for leak in new:
            if callable(self._on_leak):
                self._on_leak(leak)
            else:
                warn(leak)


def watch(
    level: Literal["site"] = "site",
    on_leak: OnLeak = "warn",
    budget: float = _BUDGET,
    report: str | os.PathLike[str] | None = None,
    provider: Provider = "garboard",
) -> LeakWatcher:
    """Watch a loop for leaks.

    Args:
        level: What is known of each birth; "site", its line, is what the engine records.
        on_leak: "warn" gives one `MemoryLeakWarning` at the line of each leak, "raise" a
            `LeakError`; a function is called with the `Leak`.
        budget: The share of the loop's time that looking may take, between 0 and 1; a loop of many
            steps is looked at more rarely where it would take more.
        report: A file for the report, whose ending gives its form: .html, .json, .sarif, .txt or
            .xml. It is written when the block ends, when the process gets SIGUSR1, and when it is
            about to end: at SIGTERM, when another program takes its place, when its control group
            runs out of memory. Signals are heard where the block runs in the main thread, and the
            program's own handlers come next. Forked children write nothing.
        provider: Whose tensors: "garboard", or "torch" for PyTorch's own, once the program has
            imported it. What is approximate about those stands in the report's notes.

    Returns:
        A LeakWatcher, to be used as a context manager.

    Raises:
        ValueError: `level`, `on_leak` or `provider` is none of these, or PyTorch is not imported;
            `budget` is no share; `report` has another ending, or no folder.
        TypeError: `budget` is no number; `report` is no path.

    >>> with gb.leaks.watch() as watch:
    ...     for _ in range(20):
    ...         loss = (gb.ones(3) * 2).sum()
    ...         watch.step()
    >>> watch.report().ok
    True
    """
    check.choice("watch", "level", level, "site")
    if not callable(on_leak) and not (isinstance(on_leak, str) and on_leak in ("warn", "raise")):
        raise ValueError(
            f"watch: on_leak {shown(on_leak)}; 'warn', 'raise' or a function is needed"
        )
    return LeakWatcher(on_leak, budget, report, provider)
