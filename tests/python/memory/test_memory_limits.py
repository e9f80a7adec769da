"""A limit holds from the call that sets it: for what is cached, for hits and for what is live."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


@pytest.fixture(params=["cpu", "simulated"])
def device(request) -> Iterator[gb.device]:
    """Give the test a device with an empty cache, and its limit back after it."""
    gc.collect()
    if request.param == "simulated":
        with memory.SimulatedDevice("1 GiB") as device:
            yield device
            gc.collect()  # what a caught exception's traceback holds
        return
    device = gb.device("cpu")
    memory.empty_cache()
    before = memory.memory_limit()
    yield device
    memory.set_memory_limit(before)


def mebibytes(count: float, device: gb.device) -> gb.Tensor:
    return gb.empty(int(count * MIB), dtype=gb.uint8, device=device)


def taken(device: gb.device) -> int:
    """Return what counts against a limit: the bytes reserved, and those in small tensors."""
    return memory.memory_reserved(device) + memory.memory_stats(device)["booked_bytes"]


class TestALimit:
    def test_below_what_is_cached_returns_it_at_once(self, device):
        before = taken(device)
        mebibytes(80, device).dispose()

        memory.set_memory_limit(before + 4 * MIB, device)

        assert taken(device) <= before + 4 * MIB
        with pytest.raises(gb.OutOfMemoryError, match=r"20\.0 MiB asked"):
            mebibytes(20, device)
        mebibytes(1, device).dispose()

    def test_above_what_is_cached_returns_nothing(self, device):
        mebibytes(80, device).dispose()
        reserved = memory.memory_reserved(device)

        memory.set_memory_limit(taken(device), device)

        assert memory.memory_reserved(device) == reserved

    def test_below_what_is_live_refuses_the_next_allocation(self, device):
        x = mebibytes(40, device)
        cached = mebibytes(20, device)
        memory.set_memory_limit(memory.memory_allocated(device) - 30 * MIB, device)

        cached.dispose()
        for count in (20, 0.5):
            with pytest.raises(gb.OutOfMemoryError, match="are live"):
                mebibytes(count, device)

        assert x.nbytes == 40 * MIB
        x.dispose()
        mebibytes(20, device).dispose()

    def test_below_what_is_live_takes_back_what_is_released(self, device):
        x = mebibytes(40, device)
        limit = taken(device) - 30 * MIB
        memory.set_memory_limit(limit, device)

        x.dispose()

        assert taken(device) <= limit

    def test_is_not_passed_by_a_hit(self, device):
        x = mebibytes(40, device)
        mebibytes(20, device).dispose()
        reserved = memory.memory_reserved(device)
        memory.set_memory_limit(memory.memory_allocated(device) + 10 * MIB, device)

        with pytest.raises(gb.OutOfMemoryError):
            mebibytes(20, device)

        assert memory.memory_reserved(device) < reserved
        mebibytes(10, device).dispose()
        x.dispose()

    def test_that_is_taken_off_allows_all_again(self, device):
        memory.set_memory_limit(0, device)
        with pytest.raises(gb.OutOfMemoryError):
            mebibytes(20, device)

        memory.set_memory_limit(None, device)

        mebibytes(20, device).dispose()

    def test_of_a_fraction_holds_likewise(self, device):
        before = memory.memory_reserved(device)
        mebibytes(80, device).dispose()

        memory.set_per_process_memory_fraction(0, device)

        assert memory.memory_reserved(device) <= before
        with pytest.raises(gb.OutOfMemoryError):
            mebibytes(20, device)
        memory.set_per_process_memory_fraction(1.0, device)
        mebibytes(20, device).dispose()

    @pytest.mark.filterwarnings("ignore::garboard.leaks.MemoryLeakWarning")
    def test_finds_garbage_before_it_refuses_a_hit(self, device):
        mebibytes(20, device).dispose()
        cycle = [mebibytes(20, device)]
        cycle.append(cycle)
        memory.set_memory_limit(memory.memory_allocated(device) + 10 * MIB, device)
        del cycle

        mebibytes(20, device).dispose()
