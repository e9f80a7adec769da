"""Peaks: who held how much when the most was live, of devices and of scopes."""

from __future__ import annotations

import random
import sys

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


def mebibytes(count: int) -> gb.Tensor:
    return gb.empty(count * MIB, dtype=gb.uint8)


def line_here() -> int:
    return sys._getframe(1).f_lineno


@pytest.fixture(autouse=True)
def fresh():
    memory.reset_peak_memory_stats()


def held_here() -> dict[int, int]:
    """The bytes of the peak by the lines of this file."""
    parts = memory.peak().by_site
    return {it.site.line: it.bytes for it in parts if it.site.file == __file__}


class TestThePeak:
    def test_names_the_lines_that_held_it(self):
        x, y = mebibytes(3), gb.empty(5, dtype=gb.float64)
        z, line = y + 1, line_here()
        del x, y, z

        assert held_here()[line] == 40
        assert memory.peak().bytes == memory.max_memory_allocated()

    def test_counts_storages(self):
        line = line_here() + 1
        kept = [gb.empty(10, dtype=gb.uint8) for _ in range(7)]
        kept.clear()

        part = next(it for it in memory.peak().by_site if it.site.line == line)
        assert (part.count, part.bytes) == (7, 70)
        assert part.site.function.endswith("<listcomp>") or sys.version_info >= (3, 12)

    def test_has_the_most_first_and_adds_up(self):
        small, large = mebibytes(1), gb.empty(2 * MIB, dtype=gb.uint8)
        del small, large
        peak = memory.peak()

        sizes = [part.bytes for part in peak.by_site]
        assert sizes == sorted(sizes, reverse=True)
        assert sum(sizes) == peak.bytes == memory.max_memory_allocated()

    def test_is_not_what_lives_now(self):
        brief, line = mebibytes(4), line_here()
        del brief
        later, later_line = gb.empty(3 * MIB, dtype=gb.uint8), line_here()

        lines = held_here()
        assert later_line not in lines
        assert line not in lines  # the bytes were born in mebibytes()
        assert max(lines.values()) == 4 * MIB
        assert later.nbytes == 3 * MIB

    def test_sees_temporaries(self):
        x = gb.ones(1000)
        y, line = (x + 1) * 2, line_here()
        del x, y

        assert held_here()[line] == 8000

    def test_is_what_is_live_once_reset(self):
        brief = mebibytes(4)
        kept, line = gb.empty(100, dtype=gb.uint8), line_here()
        del brief

        memory.reset_peak_memory_stats()

        assert memory.peak().bytes == memory.memory_allocated()
        assert held_here() == {line: 100}
        assert kept.nbytes == 100

    def test_has_no_bytes_that_never_came(self):
        before = memory.peak().bytes
        with gb.dispose_scope() as scope, pytest.raises(gb.OutOfMemoryError):
            gb.empty(2**46, dtype=gb.uint8)

        assert memory.peak().bytes == memory.max_memory_allocated() == before
        assert scope.peak_bytes == {"cpu": 0}

    def test_has_no_bytes_that_a_budget_refused(self):
        before = memory.peak().bytes
        with gb.dispose_scope(limit=10), pytest.raises(gb.ScopeLimitError):
            mebibytes(1)

        assert memory.peak().bytes == before

    def test_has_no_foreign_bytes(self):
        numpy = pytest.importorskip("numpy")
        before = memory.peak().bytes

        gb.from_numpy(numpy.zeros(100_000))

        assert memory.peak().bytes == before

    def test_knows_its_step(self):
        with gb.leaks.watch() as watch:
            for size in (1, 5, 3):
                mebibytes(size)
                watch.step()
            reached = memory.peak().step
            now = gb._engine._birth(gb.ones(1))[2]

        assert now - reached == 2

    def test_can_be_read(self):
        kept = mebibytes(2)
        text = str(memory.peak())

        assert text.startswith("peak of cpu: 2.0 MiB in step ")
        assert " 2.0 MiB in 1 storage, born at " in text
        assert "test_memory_peaks.py:" in text
        assert kept.nbytes == 2 * MIB

    def test_is_of_one_device(self):
        assert memory.peak("cpu") == memory.peak(gb.device("cpu")) == memory.peak()
        assert memory.peak("cuda:3") == memory.Peak("cuda:3", 0, memory.peak("cuda:3").step, ())
        with pytest.raises(gb.DeviceError):
            memory.peak("tpu")

    def test_agrees_with_the_allocators_book_whatever_happens(self):
        rng = random.Random(5)
        live: list[gb.Tensor] = []
        for _ in range(3000):
            act = rng.random()
            if act < 0.5 or not live:
                live.append(gb.empty(rng.choice([1, 10, 100, 10_000]), dtype=gb.uint8))
            elif act < 0.9:
                live.pop(rng.randrange(len(live)))
            elif act < 0.99:
                with gb.dispose_scope():
                    live[0] + live[0]
            else:
                memory.reset_peak_memory_stats()
            peak = memory.peak()
            assert peak.bytes == memory.max_memory_allocated()
            assert sum(part.bytes for part in peak.by_site) == peak.bytes

    def test_costs_no_memory_that_grows(self):
        for _ in range(20_000):
            gb.ones(3)
            [gb.ones(2) for _ in range(2)]

        assert len(memory.peak().by_site) < 50


class TestPeaksOfScopes:
    def test_nest(self):
        with gb.dispose_scope() as outer:
            mebibytes(1)
            with gb.dispose_scope() as inner:
                x = mebibytes(3)
                del x
                y = mebibytes(2)
            z = mebibytes(2)

        assert (inner.peak_bytes, inner.live_bytes) == ({"cpu": 3 * MIB}, {"cpu": 0})
        assert outer.peak_bytes == {"cpu": 3 * MIB}
        assert y.is_disposed
        assert z.is_disposed

    def test_add_what_the_outer_one_holds(self):
        with gb.dispose_scope() as outer:
            x = mebibytes(2)
            with gb.dispose_scope() as inner:
                mebibytes(3)
            mebibytes(4)

        assert inner.peak_bytes == {"cpu": 3 * MIB}
        assert outer.peak_bytes == {"cpu": 6 * MIB}
        assert x.is_disposed

    def test_do_not_move_once_closed(self):
        with gb.dispose_scope() as outer:
            with gb.dispose_scope() as inner:
                x = inner.detach(mebibytes(1))
            mebibytes(9)

        assert inner.peak_bytes == {"cpu": MIB}
        assert outer.peak_bytes == {"cpu": 10 * MIB}
        x.dispose()

    def test_are_left_alone_by_a_reset(self):
        with gb.dispose_scope() as scope:
            mebibytes(2)
            memory.reset_peak_memory_stats()
            mebibytes(1)

        assert scope.peak_bytes == {"cpu": 2 * MIB}
