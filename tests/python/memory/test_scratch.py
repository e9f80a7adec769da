"""What kernels take for the time that they run is counted, and kept within the limit."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


@pytest.fixture
def limited() -> Iterator[None]:
    """Give back the limit that was, whatever the test has set."""
    gc.collect()
    before = memory.memory_limit()
    yield
    memory.set_memory_limit(before)


def scratch() -> tuple[int, int]:
    stats = memory.memory_stats()
    return stats["scratch_bytes"], stats["peak_scratch_bytes"]


def solved(side: int, columns: int) -> gb.Tensor:
    """Return the solution of a triangular system, whose kernel negates what it takes off."""
    a = gb.eye(side, dtype=gb.float64)
    b = gb.ones(side, columns, dtype=gb.float64)
    return gb.linalg.solve_triangular(a, b, upper=False)


def test_that_is_taken_shows_as_a_peak_and_is_gone_when_the_op_returns():
    memory.reset_peak_memory_stats()
    assert scratch() == (0, 0)
    solved(256, 64)
    now, peak = scratch()
    assert now == 0
    assert 128 * 64 * 8 <= peak < 256 * 64 * 8


def test_stays_small_however_large_the_operands_are():
    memory.reset_peak_memory_stats()
    solved(512, 4096)
    assert scratch()[1] <= 4 * MIB < 256 * 4096 * 8


def test_counts_nothing_as_live():
    memory.reset_peak_memory_stats()
    before = memory.memory_allocated()
    with gb.dispose_scope():
        solved(256, 64)
    assert memory.max_memory_allocated() - before == (256 * 256 + 2 * 256 * 64) * 8


def test_of_several_threads_adds_up_to_nothing_in_the_end():
    threads = [threading.Thread(target=solved, args=(256, 64)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert scratch()[0] == 0


@pytest.mark.usefixtures("limited")
def test_beyond_the_limit_is_refused_with_what_would_help_and_leaves_nothing():
    a, b = gb.eye(256, dtype=gb.float64), gb.ones(256, 512, dtype=gb.float64)
    out = gb.empty(256, 512, dtype=gb.float64)
    live = memory.memory_allocated()
    memory.set_memory_limit(live + 256 * 512 * 8 + 4096)
    with pytest.raises(gb.OutOfMemoryError, match=r"scratch: .* raise the limit to at least"):
        gb.linalg.solve_triangular(a, b, upper=False, out=out)
    assert memory.memory_allocated() == live
    assert scratch()[0] == 0
    memory.set_memory_limit(None)
    gb.linalg.solve_triangular(a, b, upper=False, out=out)
    assert gb.equal(out, b)


def test_has_a_row_in_the_summary():
    assert "Kernels' scratch" in memory.memory_summary()
