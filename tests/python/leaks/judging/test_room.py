"""Room that a program has declared: what is in it so far, and a bound that comes too late."""

from __future__ import annotations

import garboard as gb
import pytest

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = [
    pytest.mark.usefixtures("balanced"),
    pytest.mark.filterwarnings("ignore::garboard.leaks.MemoryLeakWarning"),
]


class Log:
    def __init__(self, most: int) -> None:
        self.rows, self.most = [], most

    def add(self, row: gb.Tensor) -> None:
        self.rows.append(row)
        if len(self.rows) >= self.most:
            self.rows.clear()


def filled(most: int, columns: int) -> gb.leaks.LeakReport:
    log = Log(most)
    with gb.leaks.watch() as watch:
        for _ in range(60):
            log.add(gb.zeros(columns))
            watch.step()
        return watch.report()


def test_a_bound_that_memory_allows_is_a_note_with_its_bytes():
    report = filled(most=1000, columns=256)

    assert not report.leaks
    note = "`Log.rows` has 60 of 1000 items that it may have, 1000.0 KiB then"
    assert note in report.notes


def test_a_bound_beyond_the_memory_is_none():
    before = gb.memory.memory_limit("cpu")
    gb.memory.set_memory_limit(gb.memory.live("cpu").bytes + (8 << 20), "cpu")
    try:
        report = filled(most=50_000, columns=256)
    finally:
        gb.memory.set_memory_limit(before, "cpu")

    assert [(it.kind, it.verdict) for it in report.leaks] == [("tensor-list", "GROWING")]
    assert "the bound of `Log.rows` comes too late, of 50000 items" in "\n".join(report.notes)
