"""The parent: keeps children at work, sees them die or hang, and gathers what they found."""

from __future__ import annotations

import json
import mmap
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.fuzz.board import BOARD
from tests.fuzz.findings import Findings

__all__ = ["HOME", "WAIT_RATIO", "Order", "Runner", "Totals"]

BATCH = 4000  # programs a process runs: what it leaves in its process, it leaves to these alone
MOST_BYTES = 3 << 30
MOST_BARREN = 4  # children in a row that end before they have run a program
WAIT_RATIO = 12  # a machine that others use gives a process that many seconds for one
HOME = Path(__file__).resolve().parents[2]


@dataclass
class Order:
    """What a child is to run: programs `first` to `last` of `seed`, or `lines`.

    `plant` is run before, with `targets` at hand: tests put faults there that must be found.
    `stories`, programs of several steps, are "some" of all, the "only" ones, or "none".
    """

    board: str
    findings: str
    seed: int
    first: int = 0
    last: int = 0
    trace: bool = False
    lines: list[str] = field(default_factory=list)
    plant: str = ""
    stories: str = "some"


@dataclass
class Totals:
    """What has been run."""

    programs: int = 0
    calls: int = 0
    errors: int = 0
    interrupts: int = 0

    def add(self, more: tuple[int, ...]) -> None:
        self.programs += more[0]
        self.calls += more[1]
        self.errors += more[2]
        self.interrupts += more[3]


class Worker:
    """One child at a time, with its board, and the range it still has to run."""

    def __init__(self, folder: Path, number: int, seed: int) -> None:
        self.order = Order(str(folder / f"board{number}"), str(folder / f"findings{number}"), seed)
        self.errors = folder / f"errors{number}"
        Path(self.order.board).write_bytes(bytes(BOARD.size))
        Path(self.order.findings).touch()
        with open(self.order.board, "r+b") as file:
            self.board = mmap.mmap(file.fileno(), BOARD.size)
        self.process: subprocess.Popen[bytes] | None = None
        self.seen: tuple[int, ...] = ()
        self.since, self.cpu_since = 0.0, 0.0
        self.barren = 0

    def start(self, first: int, last: int) -> None:
        self.order.first, self.order.last = first, last
        self.board[:] = bytes(BOARD.size)
        BOARD.pack_into(self.board, 0, first, 0, 0, 0, 0)
        halting = f"{os.environ.get('TSAN_OPTIONS', '')}:halt_on_error=1"
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.child", json.dumps(asdict(self.order))],
                cwd=HOME,
                stdin=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "TSAN_OPTIONS": halting},
            )
        self.seen, self.since, self.cpu_since = (), time.monotonic(), 0.0

    def state(self) -> tuple[int, ...]:
        return BOARD.unpack_from(self.board, 0)

    def is_hanging(self, seconds: float) -> bool:
        """Whether the same program is on for `seconds` of the processor's, or waits for long."""
        now, cpu = self.state(), self.cpu_seconds()
        if now != self.seen:
            self.seen, self.since, self.cpu_since = now, time.monotonic(), cpu
        waited = time.monotonic() - self.since
        return cpu - self.cpu_since > seconds or waited > WAIT_RATIO * seconds

    def cpu_seconds(self) -> float:
        assert self.process is not None
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        except OSError:
            return 0.0
        return sum(map(int, stat.rpartition(")")[2].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def rss_bytes(self) -> int:
        assert self.process is not None
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        except (OSError, IndexError):
            return 0
        return int(pages) * mmap.PAGESIZE

    def kill(self) -> None:
        """End the child; its stacks go to its errors first."""
        assert self.process is not None
        self.process.send_signal(signal.SIGABRT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Runner:
    """Runs programs of `seed` on `cores` processes until the time is over."""

    def __init__(self, folder: Path, seed: int, cores: int, hang_seconds: float) -> None:
        self.seed, self.hang_seconds = seed, hang_seconds
        self.workers = [Worker(folder, number, seed) for number in range(cores)]
        self.findings = Findings()
        self.totals = Totals()

    def _ranges(self, first: int, last: int | None) -> Iterator[tuple[int, int]]:
        while last is None or first < last:
            end = first + BATCH if last is None else min(last, first + BATCH)
            yield first, end
            first = end

    def run(self, seconds: float, first: int = 0, last: int | None = None) -> None:
        """Run for `seconds`, or the programs `first` to `last`."""
        ranges = self._ranges(first, last)
        end = time.monotonic() + seconds
        for worker in self.workers:
            if span := next(ranges, None):
                worker.start(*span)
        while any(worker.process for worker in self.workers):
            time.sleep(0.1)
            is_over = time.monotonic() > end
            for worker in self.workers:
                if worker.process is not None:
                    self._look_at(worker, ranges, is_over)

    def _look_at(self, worker: Worker, ranges: Iterator[tuple[int, int]], is_over: bool) -> None:
        assert worker.process is not None
        fault = ""
        status = worker.process.poll()
        if status is None:
            if worker.is_hanging(self.hang_seconds):
                fault = f"hang: no end in {self.hang_seconds:g} s"
            elif worker.rss_bytes() > MOST_BYTES:
                fault = f"memory: more than {MOST_BYTES >> 30} GiB resident"
            elif not is_over:
                return
            worker.kill()
        elif status:
            name = signal.Signals(-status).name if status < 0 else f"status {status}"
            fault = f"crash: {name}"
        number, *counts = worker.state()
        self.totals.add(tuple(counts))
        worker.barren = worker.barren + 1 if fault and not counts[0] else 0
        if fault:
            said = worker.errors.read_text(errors="replace")
            if worker.barren == MOST_BARREN:
                raise RuntimeError(f"{MOST_BARREN} children ended before a program: {said}")
            self.findings.add_death(number, fault, said)
        self.findings.read(Path(worker.order.findings))
        worker.process = None
        if is_over:
            return
        if fault and number + 1 < worker.order.last:
            worker.start(number + 1, worker.order.last)
        elif span := next(ranges, None):
            worker.start(*span)
