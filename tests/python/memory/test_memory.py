"""Bytes from Python: two books that agree, limits, and what happens before memory runs out."""

from __future__ import annotations

import gc
import linecache
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import garboard as gb
import pytest
from garboard import memory
from garboard._arguments.errors import ArgumentError

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")

MIB = 1 << 20


def mebibytes(count: int) -> gb.Tensor:
    return gb.empty(count * MIB, dtype=gb.uint8)


@pytest.fixture
def limited() -> Iterator[None]:
    """Give the test a limit of 1 GB over what is live, and the old one back after it."""
    gc.collect()
    memory.empty_cache()
    before = memory.set_memory_limit(memory.memory_reserved() + 1_000_000_000)
    yield
    gc.collect()
    memory.set_memory_limit(before)
    memory.empty_cache()


class TestTheBooks:
    @pytest.mark.parametrize("count", [0, 1, 16, 17, 64, 65, 1000, 300_000, 3_000_000])
    def test_count_what_was_asked_for(self, count):
        before = memory.memory_allocated()
        x = gb.empty(count, dtype=gb.uint8)

        assert memory.memory_allocated() - before == count == x.nbytes
        assert memory.memory_allocated() == memory.live().bytes

    def test_agree_through_all_that_shares(self):
        x = gb.ones(100, 100, requires_grad=True)
        y = (x @ x).exp()
        views = [y[:50], y.T, y.view(-1), x.detach()]
        y.sum().backward()
        array = y.detach().numpy()

        assert memory.memory_allocated() == memory.live().bytes
        del x, y, views
        assert memory.memory_allocated() == memory.live().bytes
        assert array.shape == (100, 100)

    def test_keep_memory_that_is_not_ours_apart(self):
        numpy = pytest.importorskip("numpy")
        before = memory.memory_stats()
        x = gb.from_numpy(numpy.zeros(1000))
        after = memory.memory_stats()

        assert after["foreign_bytes"] - before["foreign_bytes"] == 8000 == x.nbytes
        assert after["live_bytes"] == before["live_bytes"]
        assert memory.live().bytes == after["live_bytes"]

    def test_keep_the_most_there_was(self):
        memory.reset_peak_memory_stats()
        start = memory.memory_allocated()
        assert memory.max_memory_allocated() == start

        mebibytes(3)

        assert memory.max_memory_allocated() == start + 3 * MIB
        assert memory.max_memory_reserved() >= memory.max_memory_allocated() - start
        memory.reset_peak_memory_stats()
        assert memory.max_memory_allocated() == start

    def test_reserve_no_less_than_is_live(self):
        held = [mebibytes(n) for n in range(1, 10)]

        assert memory.memory_reserved() >= sum(t.nbytes for t in held)

    def test_give_the_cache_back(self):
        x = mebibytes(64)
        reserved = memory.memory_reserved()
        del x
        assert memory.memory_reserved() == reserved

        returned = memory.empty_cache()

        assert returned >= 64 * MIB
        assert memory.memory_reserved() == reserved - returned

    def test_reuse_what_was_freed(self):
        x = mebibytes(40)
        address, maps = x.data_ptr(), memory.memory_stats()["map_count"]
        del x
        y = mebibytes(40)

        assert y.data_ptr() == address
        assert memory.memory_stats()["map_count"] == maps


class TestLiveCounts:
    def test_can_be_compared_subtracted_and_printed(self):
        before = memory.live()
        x = gb.zeros(4)
        view = x[:2]
        difference = memory.live() - before

        assert difference == memory.LiveCounts(aliases=2, storages=1, nodes=0, bytes=16)
        assert difference != before
        assert hash(difference) == hash(memory.LiveCounts(2, 1, 0, 16))
        assert repr(difference) == "LiveCounts(aliases=2, storages=1, nodes=0, bytes=16)"
        assert difference != 16
        assert view.shape == (2,)

    def test_count_nodes(self):
        x = gb.ones(1, requires_grad=True)
        before = memory.live()
        y = (x * 2).exp()

        assert (memory.live() - before).nodes == 2
        assert y.requires_grad

    def test_of_one_device_have_its_bytes(self):
        x = gb.zeros(4)

        assert memory.live("cpu").bytes == memory.live().bytes >= x.nbytes
        assert memory.live(gb.device("cpu")) == memory.live("cpu")
        assert memory.live("cuda").bytes == 0


class TestALimit:
    def test_is_set_in_bytes_or_words_and_returned(self):
        first = memory.memory_limit()
        try:
            assert memory.set_memory_limit("2 GiB") == first
            assert memory.memory_limit() == 2 << 30
            assert memory.set_memory_limit(12345) == 2 << 30
            assert memory.set_memory_limit(None) == 12345
            assert memory.memory_limit() is None
        finally:
            memory.set_memory_limit(first)
        assert memory.memory_limit() == first

    @pytest.mark.parametrize(
        ("limit", "error", "said"),
        [
            (-1, ArgumentError, "limit -1; it must not be negative"),
            (1.5, TypeError, "limit is of type float; an integer is needed"),
            ([], TypeError, "limit is of type list"),
            ("much", gb.GarboardError, "'much' given; an amount such as '2 GiB'"),
            ("-3 MiB", gb.GarboardError, "an amount such as"),
            (2**80, gb.ShapeError, "does not fit into 64 bits"),
        ],
    )
    def test_refuses(self, limit, error, said):
        before = memory.memory_limit()

        with pytest.raises(error, match=re.escape(said)):
            memory.set_memory_limit(limit)

        assert memory.memory_limit() == before

    def test_is_there_from_the_start_and_below_what_the_machine_has(self):
        out = run_program("""
            import garboard as gb
            limit = gb.memory.memory_limit()
            machine = int(open("/proc/meminfo").readline().split()[1]) * 1024
            print(0 < limit <= machine * 0.8)
        """)
        assert out == "True\n"


CYCLES = """
    import gc, sys, warnings
    import garboard as gb
    gb.memory.set_memory_limit("256 MiB")

    def leak():
        cycle = [gb.empty(100 << 20, dtype=gb.uint8)]
        cycle.append(cycle)
"""


class TestGarbage:
    def test_that_cycles_hold_is_named_once_a_line(self):
        out = run_program(
            CYCLES
            + """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(8):
            leak()
    print(len(caught), caught[0].category.__name__)
    print(caught[0].message)
        """
        )

        first, second = out.splitlines()
        assert first == "1 MemoryLeakWarning"
        assert second.endswith(":7 leak(); dispose what is done with, or break the cycle")
        assert " MiB of tensors were held by reference cycles alone, the first born at " in second

    def test_is_named_in_the_report_of_what_failed_nevertheless(self):
        out = run_program(
            CYCLES
            + """
    warnings.simplefilter("ignore")
    try:
        with gb.dispose_scope("eval"):
            kept = gb.empty(120 << 20, dtype=gb.uint8)
            leak()
            gb.empty(200 << 20, dtype=gb.uint8)
    except gb.OutOfMemoryError as error:
        print(error.report)
        """
        )

        assert "cycles: live tensors leave no room" in out
        assert "100.0 MiB of tensors were held by reference cycles alone" in out
        assert '  120.0 MiB born in scope "eval" are live, 1 tensors are in it' in out

    def test_is_left_alone_where_the_program_says_so(self):
        out = run_program(
            CYCLES
            + """
    gc.disable()
    leak()
    leak()
    try:
        leak()
    except gb.OutOfMemoryError:
        print(gb.memory.memory_allocated() >> 20)
        """
        )

        assert out == "200\n"

    def test_that_is_little_is_no_word_worth(self):
        out = run_program(
            CYCLES
            + """
    warnings.simplefilter("error")
    for _ in range(3):
        cycle = [gb.empty(500 << 10, dtype=gb.uint8)]
        cycle.append(cycle)
        del cycle
        try:
            gb.empty(300 << 20, dtype=gb.uint8)
        except gb.OutOfMemoryError:
            print(gb.memory.memory_allocated())
        """
        )

        assert out == "0\n" * 3

    def test_is_collected_without_a_word_where_it_is_enough_to_trim(self):
        out = run_program(
            CYCLES
            + """
    held = [gb.empty(200 << 10, dtype=gb.uint8) for _ in range(600)]
    held.clear()
    big = gb.empty(230 << 20, dtype=gb.uint8)
    stats = gb.memory.memory_stats()
    print(stats["retry_count"] > 0, stats["out_of_memory_count"])
        """
        )

        assert out == "True 0\n"


@pytest.mark.usefixtures("limited")
@pytest.mark.filterwarnings("ignore:.* held by reference cycles")
class TestOutOfMemory:
    def test_comes_after_the_garbage_collector(self):
        for _ in range(25):
            cycle = [mebibytes(400)]
            cycle.append(cycle)

    def test_comes_after_the_garbage_collector_in_a_scope_too(self):
        with gb.dispose_scope():
            for _ in range(25):
                cycle = [mebibytes(400)]
                cycle.append(cycle)

    def test_comes_after_the_garbage_collector_in_an_ops_result(self):
        x = mebibytes(300)
        for _ in range(4):
            cycle = [x.clone()]
            cycle.append(cycle)
        assert x.shape == (300 * MIB,)

    def test_comes_after_the_cache_was_returned(self):
        held = [mebibytes(50) for _ in range(15)]
        held.clear()

        assert mebibytes(900).nbytes == 900 * MIB

    def test_comes_at_once_where_collecting_is_disabled(self):
        def leak():
            for _ in range(25):
                cycle = [mebibytes(400)]
                cycle.append(cycle)

        gc.disable()
        try:
            with pytest.raises(
                gb.OutOfMemoryError, match=r"^allocate: 400\.0 MiB asked on cpu"
            ) as caught:
                leak()
        finally:
            gc.enable()
        del caught

    def test_says_who_holds_the_memory_and_what_helps(self):
        held = [mebibytes(300) for _ in range(2)]

        with pytest.raises(gb.OutOfMemoryError) as caught:
            mebibytes(500)

        message, report = str(caught.value), caught.value.report
        assert message.startswith("allocate: 500.0 MiB asked on cpu, 600.0 MiB of the limit of")
        assert "release at least" in message
        lines = report.splitlines()
        assert lines[0] == message
        assert lines[1] == "taken: live tensors leave no room"
        assert "  requested             500.0 MiB (524288000 bytes)" in lines
        assert "  live                  600.0 MiB (629145600 bytes)" in lines
        assert any(line.startswith("  garbage generation 2  freed") for line in lines)
        assert "who holds it:" in lines
        assert f"{__file__}:" in report
        assert len(held) == 2

    def test_names_the_scope_that_is_to_be_disposed(self):
        kept = mebibytes(200)
        with gb.dispose_scope("eval") as scope:
            results = [mebibytes(200) for _ in range(2)]

            with pytest.raises(gb.OutOfMemoryError) as caught:
                mebibytes(500)
            assert ': dispose scope "eval" (400.0 MiB)' in str(caught.value)
            scope.dispose_everything()

            assert mebibytes(500).nbytes == 500 * MIB
        assert all(it.is_disposed for it in results)
        assert not kept.is_disposed

    def test_names_the_line_whose_tensors_are_to_be_disposed(self):
        little = mebibytes(100)
        held = [gb.empty(600 * MIB, dtype=gb.uint8)]

        with pytest.raises(gb.OutOfMemoryError) as caught:
            mebibytes(500)
        named = re.search(
            r": dispose what was born at (\S+):(\d+) .*\(600\.0 MiB\)", str(caught.value)
        )
        assert named
        assert linecache.getline(named[1], int(named[2])).strip().startswith("held = [gb.empty")
        held.pop().dispose()

        assert mebibytes(500).nbytes == 500 * MIB
        assert not little.is_disposed

    def test_that_is_too_big_says_so(self):
        with pytest.raises(gb.OutOfMemoryError, match="ask for less at once") as caught:
            mebibytes(2000)

        assert "too big: it would not fit if nothing else were live" in caught.value.report

    def test_is_an_error_of_three_families(self):
        with pytest.raises(MemoryError) as caught:
            mebibytes(2000)

        assert isinstance(caught.value, RuntimeError)
        assert isinstance(caught.value, gb.GarboardError)
        assert not isinstance(caught.value, gb.ScopeLimitError)

    def test_changes_nothing_and_leaks_nothing(self):
        x = mebibytes(600)
        before = memory.live(), memory.memory_allocated()

        for op in (x.clone, lambda: x + 1, lambda: gb.cat([x, x]), lambda: x == x):
            with pytest.raises(gb.OutOfMemoryError):
                op()

        assert (memory.live(), memory.memory_allocated()) == before
        assert memory.memory_allocated() == memory.live().bytes

    def test_leaves_the_program_working(self):
        with pytest.raises(gb.OutOfMemoryError):
            mebibytes(2000)

        assert mebibytes(500).nbytes == 500 * MIB

    def test_is_counted(self):
        before = memory.memory_stats()
        with pytest.raises(gb.OutOfMemoryError):
            mebibytes(2000)
        after = memory.memory_stats()

        assert after["out_of_memory_count"] == before["out_of_memory_count"] + 1
        assert after["gc_runs"] >= before["gc_runs"] + 3

    def test_survives_finalizers_that_ask_for_memory(self):
        class Late:
            def __init__(self):
                self.tensor, self.self = mebibytes(300), self

            def __del__(self):
                sums.append(mebibytes(1).nbytes)

        sums: list[int] = []
        for _ in range(8):
            Late()

        gc.collect()
        assert sums == [MIB] * 8

    def test_survives_finalizers_that_raise(self, monkeypatch):
        class Late:
            def __init__(self):
                self.tensor, self.self = mebibytes(300), self

            def __del__(self):
                raise KeyError("late")

        said = []
        monkeypatch.setattr(sys, "unraisablehook", lambda event: said.append(event.exc_type))
        for _ in range(8):
            Late()

        gc.collect()
        assert said == [KeyError] * 8

    def test_lets_a_finalizer_dispose_the_ops_own_operands(self):
        class Late:
            def __init__(self, victim):
                self.tensor, self.self, self.victim = mebibytes(400), self, victim

            def __del__(self):
                self.victim.dispose()

        x = gb.ones(300 * MIB, dtype=gb.uint8)
        Late(x)

        y = x + x

        assert x.is_disposed
        assert y[0].item() == y[-1].item() == 2


class TestOversizedRequests:
    @pytest.mark.parametrize(
        ("sizes", "error"),
        [
            ((2**62,), gb.ShapeError),
            ((2**33, 2**33), gb.ShapeError),
            ((2**70,), gb.ShapeError),
            ((2**46,), gb.OutOfMemoryError),
            ((2**40,), gb.OutOfMemoryError),
            ((-1,), gb.ShapeError),
            ((3, -2), gb.ShapeError),
            ((float("nan"),), TypeError),
        ],
    )
    def test_are_refused_and_leak_nothing(self, sizes, error):
        memory.empty_cache()  # a refusal does so too
        before = memory.live(), memory.memory_allocated(), memory.memory_reserved()

        for make in (gb.zeros, gb.empty, gb.rand, gb.ones):
            with pytest.raises(error):
                make(*sizes)

        assert (memory.live(), memory.memory_allocated(), memory.memory_reserved()) == before

    @pytest.mark.parametrize("kind", ["cpu", "simulated"])
    @pytest.mark.parametrize("has_run_out", [False, True])
    def test_are_refused_whatever_they_are(self, kind, has_run_out, limited):
        with ExitStack() as open_until_then:
            device = gb.device("cpu")
            if kind == "simulated":
                device = open_until_then.enter_context(memory.SimulatedDevice("1 GiB"))
            if has_run_out:
                memory.set_memory_limit("64 MiB", device)
                gb.zeros(2**23, device=device).dispose()
                with pytest.raises(gb.OutOfMemoryError):
                    gb.zeros(2**25, device=device)
            before = memory.live(device)

            for log2 in range(40, 64):
                for eighths in range(8):
                    with pytest.raises((gb.OutOfMemoryError, gb.ShapeError)):
                        gb.zeros((1 << log2) + (eighths << (log2 - 3)), device=device)

            assert memory.live(device) == before
            assert memory.memory_allocated(device) == before.bytes
            gb.zeros(2**20, device=device).dispose()
            gc.collect()

    def test_by_expanding_are_refused_where_they_are_computed(self):
        x = gb.ones(1).expand(2**45)

        with pytest.raises(gb.OutOfMemoryError):
            x + 1

        assert x.shape == (2**45,)


class TestWords:
    @pytest.mark.parametrize(
        ("count", "text"),
        [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (1_572_864, "1.5 MiB")],
    )
    def test_for_bytes_are_read_and_written(self, count, text):
        assert memory.human_bytes(count) == text

    @pytest.mark.parametrize(
        ("text", "count"),
        [("4096", 4096), ("2 GiB", 2 << 30), ("1.5MiB", 1_572_864), ("1 GB", 10**9)],
    )
    def test_for_bytes_are_understood(self, text, count):
        assert memory.parse_bytes(text) == count

    @pytest.mark.parametrize("text", ["", "x", "1 XB", "MiB", "1e400 GiB", "-1"])
    def test_that_name_no_bytes_are_refused(self, text):
        with pytest.raises(gb.ShapeError, match=r"parse_bytes: .*an amount such as"):
            memory.parse_bytes(text)
        with pytest.raises(gb.ShapeError, match=r"dispose_scope: limit .*an amount such as"):
            gb.dispose_scope(limit=text)
        with pytest.raises(gb.ShapeError, match=r"set_memory_limit: limit .*an amount such as"):
            memory.set_memory_limit(text)

    @pytest.mark.parametrize(
        ("device", "error"),
        [
            ("tpu", gb.DeviceError),
            ("cuda:99", gb.DeviceError),
            (3, gb.DeviceError),
            (3.5, TypeError),
        ],
    )
    def test_for_devices_that_are_none_are_refused(self, device, error):
        for ask in (memory.memory_allocated, memory.memory_stats, memory.empty_cache):
            with pytest.raises(error):
                ask(device)
