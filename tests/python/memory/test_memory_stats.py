"""PyTorch's statistics for every device, and the table of them."""

from __future__ import annotations

import gc
import re

import garboard as gb
import pytest
from garboard import memory

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.notebook import a_notebook  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20

QUANTITIES = (
    "allocation",
    "segment",
    "active",
    "inactive_split",
    "allocated_bytes",
    "reserved_bytes",
    "active_bytes",
    "inactive_split_bytes",
    "requested_bytes",
)
POOLS = ("all", "small_pool", "large_pool")
METRICS = ("current", "peak", "allocated", "freed")

PYTORCH = {
    *(f"{what}.{pool}.{metric}" for what in QUANTITIES for pool in POOLS for metric in METRICS),
    *(f"oversize_{what}.{metric}" for what in ("allocations", "segments") for metric in METRICS),
    "max_split_size",
    "num_alloc_retries",
    "num_device_alloc",
    "num_device_free",
    "num_oom_rejections",
    "num_ooms",
    "num_sync_all_streams",
}


def mebibytes(count: int) -> gb.Tensor:
    return gb.empty(count * MIB, dtype=gb.uint8)


def change(key: str, act) -> dict[str, int]:
    """How the metrics of `key` differ after `act()`."""
    before = memory.memory_stats()
    kept = act()
    after = memory.memory_stats()
    del kept
    return {metric: after[f"{key}.{metric}"] - before[f"{key}.{metric}"] for metric in METRICS}


class TestMemoryStats:
    def test_has_pytorchs_keys(self):
        stats = memory.memory_stats()

        assert len(PYTORCH) == 108 + 8 + 7
        assert set(stats) >= PYTORCH
        assert all(isinstance(stats[key], int) for key in PYTORCH)
        assert list(stats) == sorted(stats)

    def test_is_the_nested_form_made_flat(self):
        nested = memory.memory_stats_as_nested_dict()

        assert nested["allocated_bytes"]["all"]["current"] == memory.memory_allocated()
        assert set(nested["segment"]) == set(POOLS)
        assert set(nested["segment"]["all"]) == set(METRICS)
        assert nested["live_bytes"] == memory.memory_allocated()

    def test_agrees_with_the_gauges(self):
        kept = mebibytes(3), gb.zeros(4)
        stats = memory.memory_stats()

        for key in ("allocated_bytes", "requested_bytes"):
            assert stats[f"{key}.all.current"] == memory.memory_allocated()
            assert stats[f"{key}.all.peak"] == memory.max_memory_allocated()
        assert stats["reserved_bytes.all.current"] == memory.memory_reserved()
        assert stats["reserved_bytes.all.peak"] == memory.max_memory_reserved()
        assert len(kept) == 2

    def test_adds_up_over_pools(self):
        kept = [gb.zeros(n) for n in (10, 1000, 100_000, 1_000_000)]
        stats = memory.memory_stats()

        for what in QUANTITIES:
            for metric in ("current", "allocated", "freed"):
                parts = sum(stats[f"{what}.{pool}.{metric}"] for pool in POOLS[1:])
                booked = stats["booked_bytes"] if metric != "freed" else 0
                has_booked = what in ("allocated_bytes", "requested_bytes", "active_bytes")
                whole = stats[f"{what}.all.{metric}"]
                assert whole == parts + (booked if has_booked else 0), (what, metric)
        assert len(kept) == 4

    @pytest.mark.parametrize("what", [q for q in QUANTITIES if not q.startswith("inactive")])
    @pytest.mark.parametrize("pool", POOLS)
    def test_is_consistent(self, what, pool):
        brief = [mebibytes(2), gb.zeros(5000)]
        brief.clear()
        stats = memory.memory_stats()
        current, peak, allocated, freed = (stats[f"{what}.{pool}.{m}"] for m in METRICS)

        if pool != "all":
            memory.reset_accumulated_memory_stats()
            assert memory.memory_stats()[f"{what}.{pool}.allocated"] == 0
            assert memory.memory_stats()[f"{what}.{pool}.freed"] == 0
            assert memory.memory_stats()[f"{what}.{pool}.current"] == current
        assert 0 <= current <= peak
        assert min(allocated, freed) >= 0

    def test_tells_small_requests_from_large_ones(self):
        small = change("requested_bytes.small_pool", lambda: gb.zeros(1000))
        large = change("requested_bytes.large_pool", lambda: mebibytes(1))
        nothing = change("requested_bytes.large_pool", lambda: gb.zeros(1000))

        assert (small["current"], small["allocated"], small["freed"]) == (4000, 4000, 0)
        assert (large["current"], large["allocated"]) == (MIB, MIB)
        assert nothing["current"] == nothing["allocated"] == 0

    def test_counts_what_came_and_went(self):
        memory.reset_accumulated_memory_stats()
        for _ in range(5):
            gb.zeros(1000)
        stats = memory.memory_stats()

        assert stats["allocation.small_pool.allocated"] == 5
        assert stats["allocation.small_pool.freed"] == 5
        assert stats["requested_bytes.small_pool.freed"] == 20_000

    def test_tells_hits_from_misses_and_what_served_them(self):
        before = memory.memory_stats()
        kept = [gb.zeros(1000) for _ in range(3)]
        del kept
        again = gb.zeros(1000)
        after = memory.memory_stats()

        grown = {key: after[key] - before[key] for key in after}
        assert grown["cache_hits"] + grown["cache_misses"] == 4
        assert grown["cache_hits"] >= 1
        saved = [value for key, value in grown.items() if key.startswith("step_saved.")]
        assert len(saved) == 8
        assert sum(saved) == grown["cache_misses"]
        assert again.shape == (1000,)

    def test_measures_how_torn_the_free_memory_is(self):
        kept = [mebibytes(8) for _ in range(8)]
        whole = memory.memory_stats()
        kept = kept[::2]
        torn = memory.memory_stats()

        assert 0 <= whole["frag_sq"] <= 1
        assert torn["frag_sq"] > 0
        assert torn["cached_bytes"] >= 32 * MIB
        assert len(kept) == 4

    def test_has_rounding_in_the_active_bytes(self):
        grown = change("active_bytes.small_pool", lambda: gb.zeros(17))

        assert grown["current"] >= 68
        assert grown["current"] % 64 == 0

    def test_keeps_tiny_payloads_apart(self):
        blocks = change("allocation.all", lambda: gb.zeros(4))
        nbytes = change("allocated_bytes.all", lambda: gb.zeros(4))

        assert blocks["current"] == 0
        assert nbytes["current"] == 16

    def test_forgets_peaks_when_told(self):
        brief = mebibytes(30)
        del brief
        memory.reset_peak_memory_stats()
        stats = memory.memory_stats()

        for what in QUANTITIES:
            for pool in POOLS:
                peak, current = (stats[f"{what}.{pool}.{m}"] for m in ("peak", "current"))
                assert peak == current, (what, pool)

    def test_sees_what_cannot_be_returned(self):
        memory.empty_cache()
        first = [mebibytes(1) for _ in range(4)]
        del first[1]
        stats = memory.memory_stats()

        assert stats["inactive_split.large_pool.current"] >= 1
        assert stats["inactive_split_bytes.large_pool.current"] >= MIB
        assert stats["inactive_split_bytes.all.current"] <= stats["cached_bytes"]
        assert len(first) == 3

    def test_counts_segments(self):
        memory.empty_cache()
        before = memory.memory_stats()
        big = mebibytes(100)
        during = memory.memory_stats()
        del big
        returned = memory.empty_cache()
        after = memory.memory_stats()

        assert during["segment.large_pool.current"] == before["segment.large_pool.current"] + 1
        grown = during["reserved_bytes.large_pool.current"]
        assert grown - before["reserved_bytes.large_pool.current"] >= 100 * MIB
        assert after["num_device_free"] > before["num_device_free"]
        assert returned >= 100 * MIB

    def test_counts_refusals(self):
        before = memory.memory_stats()
        with pytest.raises(gb.OutOfMemoryError):
            gb.empty(2**46, dtype=gb.uint8)

        assert memory.memory_stats()["num_ooms"] == before["num_ooms"] + 1

    def test_counts_retries(self):
        gc.collect()
        memory.empty_cache()
        limit = memory.set_memory_limit(memory.memory_reserved() + 200 * MIB)
        try:
            before = memory.memory_stats()["num_alloc_retries"]
            mebibytes(150)  # free again, but no room for small requests
            kept = [gb.empty(200 * 1024, dtype=gb.uint8) for _ in range(900)]
            assert memory.memory_stats()["num_alloc_retries"] > before
            assert len(kept) == 900
            kept.clear()
        finally:
            memory.set_memory_limit(limit)
            memory.empty_cache()

    def test_has_shares_in_their_range(self):
        kept = mebibytes(5)
        stats = memory.memory_stats()

        assert 0 <= stats["fragmentation"] <= 1
        assert 0 < stats["utilisation"] <= 1
        assert kept.nbytes == 5 * MIB

    def test_costs_no_tensor(self):
        before = memory.live()
        memory.memory_stats()
        memory.memory_summary()

        assert memory.live() == before

    @pytest.mark.parametrize(
        "ask",
        [
            memory.memory_stats,
            memory.memory_stats_as_nested_dict,
            memory.memory_summary,
            memory.reset_accumulated_memory_stats,
            memory.get_per_process_memory_fraction,
        ],
    )
    @pytest.mark.parametrize(
        ("device", "error"),
        [
            ("tpu", gb.DeviceError),
            ("cuda:99", gb.DeviceError),
            (3, gb.DeviceError),
            (3.5, TypeError),
        ],
    )
    def test_refuses_devices_that_are_none(self, ask, device, error):
        with pytest.raises(error):
            ask(device)


class TestSummary:
    def test_is_a_table_in_bytes(self):
        kept = mebibytes(3)
        text = memory.memory_summary()

        assert "garboard memory summary, cpu: " in text
        assert re.search(r"\| Metric +\| +Current \| +Peak \| +Allocated \| +Freed \|", text)
        live = f"{memory.memory_allocated():,} B"
        assert re.search(rf"\| Allocated memory +\| +{live} \|", text)
        assert text.count("from large pool") == text.count("from small pool") == 9
        assert f"{memory.memory_limit():,} B" in text
        assert max(map(len, text.splitlines())) <= 120
        assert kept.nbytes == 3 * MIB

    def test_can_be_short(self):
        text = memory.memory_summary("cpu", abbreviated=True)

        assert "from large pool" not in text
        assert "Reserved segments" in text

    @pytest.mark.usefixtures("a_notebook")
    def test_is_text_in_a_notebook_too(self):
        assert "Reserved segments" in memory.memory_summary()


class TestFraction:
    @pytest.fixture(autouse=True)
    def put_back(self):
        limit = memory.memory_limit()
        yield
        memory.set_memory_limit(limit)

    def test_is_of_what_the_machine_has(self):
        memory.set_per_process_memory_fraction(0.5)
        half = memory.memory_limit()
        memory.set_per_process_memory_fraction(1.0)

        assert abs(memory.memory_limit() - 2 * half) <= 2
        assert memory.get_per_process_memory_fraction() == 1.0

    def test_is_read_back(self):
        memory.set_per_process_memory_fraction(0.25)

        assert memory.get_per_process_memory_fraction() == pytest.approx(0.25)
        memory.set_memory_limit(None)
        assert memory.get_per_process_memory_fraction() == 1.0

    def test_binds(self):
        memory.set_per_process_memory_fraction(0)
        memory.empty_cache()

        with pytest.raises(gb.OutOfMemoryError):
            mebibytes(500)

    def test_is_four_fifths_at_first(self):
        out = run_program("""
            import garboard as gb
            print(round(gb.memory.get_per_process_memory_fraction(), 3))
        """)

        assert out == "0.8\n"

    @pytest.mark.parametrize(
        ("fraction", "error", "said"),
        [
            (-0.1, ValueError, "fraction -0.1; it must be in [0, 1]"),
            (1.1, ValueError, "fraction 1.1"),
            (float("nan"), ValueError, "fraction nan"),
            ("half", TypeError, "fraction is of type str; a number is needed"),
            (True, TypeError, "of type bool"),
        ],
    )
    def test_refuses(self, fraction, error, said):
        before = memory.memory_limit()

        with pytest.raises(error, match=re.escape(said)):
            memory.set_per_process_memory_fraction(fraction)

        assert memory.memory_limit() == before


class TestCudasNames:
    def test_are_those_of_memory(self):
        names = (
            "memory_stats",
            "memory_stats_as_nested_dict",
            "memory_summary",
            "reset_accumulated_memory_stats",
            "reset_peak_memory_stats",
            "set_per_process_memory_fraction",
            "get_per_process_memory_fraction",
        )

        for name in names:
            assert name in gb.cuda.__all__
            assert name in memory.__all__

    @pytest.mark.skipif(gb.cuda.is_available(), reason="there is a device")
    def test_answer_without_a_device(self):
        assert gb.cuda.memory_stats() == gb.cuda.memory_stats_as_nested_dict() == {}
        assert gb.cuda.memory_summary() == ""
        gb.cuda.reset_accumulated_memory_stats()
        with pytest.raises(gb.DeviceError, match=r"set_per_process_memory_fraction: "):
            gb.cuda.set_per_process_memory_fraction(0.5)
