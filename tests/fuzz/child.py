"""Runs programs of a seed by number, and tells the parent which is on and what was found."""

from __future__ import annotations

import contextlib
import contextvars
import faulthandler
import itertools
import json
import mmap
import os
import resource
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

from tests.fuzz import targets
from tests.fuzz.board import BOARD
from tests.fuzz.judge import fingerprint
from tests.fuzz.program import Program
from tests.fuzz.replay import needed, reduced, replay
from tests.fuzz.room import Room, alarm
from tests.fuzz.stories.story import Story
from tests.fuzz.values import SPACE

__all__ = ["main"]

SPARE_BYTES = 2 << 30
IS_SANITIZED = bool(os.environ.get("LD_PRELOAD"))
SOFT_SECONDS = 2.0 if IS_SANITIZED else 0.25  # a program is interrupted at once to twice this
#: Which programs are stories: of every so many the one at a place, which is no visit's.
STORIES = {"some": (16, 3), "none": (1, 1), "only": (1, 0)}


class Clock:
    """Which program runs; None between two."""

    number: int | None = None


class Child:
    """A process's loop over programs."""

    def __init__(self, order: dict[str, Any], board: mmap.mmap, findings: TextIO) -> None:
        self.seed, self.trace = order["seed"], order["trace"]
        self.every, self.at = STORIES[order["stories"]]
        self.board, self.findings = board, findings
        self.clock = Clock()
        self.space: dict[str, Any] = {}
        exec(SPACE, self.space)
        self.space["contextlib"] = contextlib
        self.room = Room()
        self.replays = itertools.count(-1, -1)  # what the clock shows: no program's number
        self.totals = [0, 0, 0, 0]
        self.told: Counter[str] = Counter()
        self.called: set[str] = set()
        self.answered: set[str] = set()

    def _tell(self, row: dict[str, Any]) -> None:
        self.findings.write(json.dumps(row) + "\n")
        self.findings.flush()

    def found(self, number: int, target: str, fault: str, lines: list[str]) -> None:
        """Tell the parent, with as few lines as show it."""
        key = fingerprint(f"{target} {fault}")
        self.told[key] += 1
        if self.told[key] > 20:
            lines = []
        elif not fault.startswith(("left behind", "the books", "in a finalizer")):
            short = needed(lines)
            if self._raises(short, fault):
                lines = short
            elif self.told[key] <= 2:
                lines = reduced(lines, lambda fewer: self._raises(fewer, fault))
        elif self.told[key] <= 2:
            lines = reduced(lines, self._leaves)
        row = {"number": number, "target": target, "fault": fault, "lines": lines}
        self._tell(row)

    def replayed(self, lines: list[str]) -> list[str]:
        """Run `lines` as a program of its own; return what they raised that is a fault."""
        space = {**self.space, "sim": self.room.sim}
        faults: list[str] = []
        context = contextvars.copy_context()
        try:
            self.clock.number = next(self.replays)
            faults = context.run(replay, lines, space)
        except KeyboardInterrupt:  # the alarm, at the very end
            pass
        finally:
            self.clock.number = None
        space.clear()
        context.run(self.room.restore)
        return faults

    def _raises(self, lines: list[str], fault: str) -> bool:
        """Whether `lines` raise `fault`, too."""
        return fingerprint(fault) in map(fingerprint, self.replayed(lines))

    def _leaves(self, lines: list[str]) -> bool:
        """Whether `lines` leave something behind, too."""
        self.replayed(lines)
        fault = self.room.left_behind() or self.room.disagreement()
        return bool(self.room.take_unraised() or fault)

    def one(self, number: int) -> None:
        """Run a program and look what it left."""
        BOARD.pack_into(self.board, 0, number, *self.totals)
        kind = Story if number % self.every == self.at else Program
        program = kind(self.seed, number, {**self.space, "sim": self.room.sim}, self.trace)
        context = contextvars.copy_context()  # blocks that nobody leaves end with it
        try:
            self.clock.number = number
            run = context.run(program.execute)
        except KeyboardInterrupt:  # the alarm, at the very end
            run = program.run
        finally:
            self.clock.number = None
        target = program.target.name
        program.space.clear()
        del program
        if context.run(self.room.is_disturbed) or number % 16 == 0:
            context.run(self.room.restore)
        del context
        if left := self.room.left_behind():
            self.room.restore()
            run.faults.append((target, left, len(run.lines)))
        for fault in self.room.take_unraised():
            run.faults.append((target, fault, len(run.lines)))
        if number % 16 == 0 and (fault := self.room.disagreement()):
            run.faults.append((target, fault, len(run.lines)))
        for name, fault, count in run.faults:
            self.found(number, name, fault, run.lines[:count])
        called, answered = {*run.called} - self.called, {*run.answered} - self.answered
        if called or answered:
            self._tell({"called": [*called], "answered": [*answered]})
            self.called |= called
            self.answered |= answered
        self.totals[0] += 1
        self.totals[1] += run.calls
        self.totals[2] += run.errors
        self.totals[3] += run.interrupts
        BOARD.pack_into(self.board, 0, number, *self.totals)


def limit_memory() -> None:
    """Cap the addresses at what is mapped now and a little; sanitizers map what they like."""
    if IS_SANITIZED:
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    cap = pages * resource.getpagesize() + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (cap, cap))


def main() -> None:
    """Run `child.py order`: a JSON object, as `Order` in runner.py writes it."""
    order = json.loads(sys.argv[1])
    faulthandler.enable(sys.__stderr__)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with (
        open(order["board"], "r+b") as file,
        open(order["findings"], "a") as findings,
        tempfile.TemporaryDirectory() as folder,
    ):
        os.chdir(folder)
        board = mmap.mmap(file.fileno(), BOARD.size)
        child = Child(order, board, findings)
        exec(order["plant"], {**child.space, "targets": targets})
        limit_memory()
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, for as long as the process lives
        if not order["trace"]:
            sys.stdout = sys.stderr
        with alarm(child.clock, SOFT_SECONDS):
            if order["lines"]:
                child.replayed(order["lines"])
            else:
                for number in range(order["first"], order["last"]):
                    child.one(number)
        os.chdir("/")


if __name__ == "__main__":
    try:
        main()
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)  # sys.stderr goes nowhere
        raise
