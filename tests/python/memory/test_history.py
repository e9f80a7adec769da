"""Recording: every event that happened, in order, with who asked; bounded, and off when off."""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import garboard as gb
import pytest
from garboard import _engine, memory

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.fixture(autouse=True)
def off_again() -> Iterator[None]:
    yield
    memory.record_history(None)


def trace() -> list[dict[str, Any]]:
    snapshot = memory.snapshot("cpu")
    memory.check_snapshot(snapshot)
    return snapshot["device_traces"][-1]


def actions(size: int) -> list[str]:
    """Return what happened to requests of `size` bytes, whose events no other test makes."""
    return [event["action"] for event in trace() if event["size"] == size]


class TestLevels:
    def test_nothing_is_recorded_while_it_is_off(self):
        gb.zeros(1000)

        assert memory.history_level() == "off"
        assert trace() == []

    @pytest.mark.parametrize("level", ["site", "stack"])
    def test_an_event_knows_who_asked(self, level):
        memory.record_history(level)
        line = sys._getframe().f_lineno + 1
        x = gb.zeros(1234)

        allocs = [e for e in trace() if e["action"] == "alloc" and e["size"] == 4936]

        frames = allocs[0]["frames"]
        assert frames[0]["filename"] == __file__
        assert frames[0]["line"] == line
        assert frames[0]["name"] == "TestLevels.test_an_event_knows_who_asked"
        assert len(frames) == 1 if level == "site" else len(frames) > 5
        assert x.nbytes == 4936

    def test_a_stack_names_all_calls_up_to_64(self):
        memory.record_history("stack")

        def deep(calls: int) -> None:
            if calls:
                return deep(calls - 1)
            gb.zeros(777)

        deep(3)
        deep(100)
        shallow, long = [
            e["frames"] for e in trace() if e["size"] == 3108 and "alloc" in e["action"]
        ]

        assert [frame["name"].split(".")[-1] for frame in shallow[:5]] == [
            *["deep"] * 4,
            "test_a_stack_names_all_calls_up_to_64",
        ]
        assert len(long) == 64
        assert {frame["name"].split(".")[-1] for frame in long} == {"deep"}

    @pytest.mark.parametrize(
        ("arguments", "level"),
        [
            ({}, "stack"),
            ({"enabled": "all"}, "stack"),
            ({"enabled": True}, "stack"),
            ({"enabled": "state"}, "stack"),
            ({"enabled": "all", "context": None}, "site"),
            ({"enabled": "all", "context": "all", "stacks": "all", "max_entries": 9}, "stack"),
            ({"enabled": "site", "max_entries": sys.maxsize}, "site"),
            ({"enabled": None}, "off"),
            ({"enabled": False}, "off"),
            ({"enabled": "off"}, "off"),
        ],
    )
    def test_pytorchs_arguments_are_understood(self, arguments, level):
        memory.record_history(**arguments)

        assert memory.history_level() == level

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"enabled": "everything"}, "enabled 'everything'"),
            ({"context": "none"}, "context 'none'"),
            ({"stacks": "c++"}, "stacks 'c\\+\\+'"),
            ({"max_entries": -1}, "max_entries -1"),
        ],
    )
    def test_what_does_not_exist_is_refused(self, arguments, message):
        memory.record_history("site")

        with pytest.raises(memory.HistoryError, match=f"^record_history: {message}"):
            memory.record_history(**arguments)
        assert memory.history_level() == "site"

    def test_a_device_without_memory_has_no_history(self):
        assert memory.history_level("cuda:7") == "off"
        with pytest.raises(gb.DeviceError):
            memory.record_history("site", device="cuda:7")

    def test_state_keeps_calls_of_live_blocks_and_no_events(self):
        memory.record_history("state")
        x = gb.zeros(4321)

        snapshot = memory.snapshot("cpu")

        assert snapshot["device_traces"][-1] == []
        block = next(
            b for s in snapshot["segments"] for b in s["blocks"] if b["requested_size"] == x.nbytes
        )
        assert len(block["frames"]) > 5


class TestEvents:
    def test_are_all_there_in_order(self):
        memory.record_history("site")
        x = gb.zeros(4321)
        assert actions(17284) == ["alloc"]
        x.dispose()

        assert actions(17284) == ["alloc", "free_requested", "free_completed"]

    def test_of_payloads_inside_storages_are_there_too(self):
        memory.record_history("site")
        x = gb.zeros(13, dtype=gb.uint8)
        live = memory.snapshot("cpu")
        x.dispose()

        assert actions(13) == ["alloc", "free_requested", "free_completed"]
        payloads = next(s for s in live["segments"] if s["address"] == 1 << 52)
        assert 13 in [block["requested_size"] for block in payloads["blocks"]]

    def test_have_the_names_of_scopes_as_categories(self):
        memory.record_history("site")
        with gb.dispose_scope("outer"):
            gb.zeros(101)
            with gb.dispose_scope():
                gb.zeros(102)
            with gb.dispose_scope("inner"):
                gb.zeros(103)
        gb.zeros(104)

        found = {e["size"]: e["category"] for e in trace() if e["action"] == "alloc"}

        assert {size: found[size] for size in (404, 408, 412, 416)} == {
            404: "outer",
            408: "outer",
            412: "inner",
            416: "unknown",
        }

    def test_without_named_scopes_have_no_categories(self):
        memory.record_history("site")
        gb.zeros(101)

        assert [event for event in trace() if "category" in event] == []

    def test_tell_of_segments_and_of_a_refusal(self):
        gc.collect()
        memory.empty_cache()
        memory.record_history("site")
        gb.empty(50 << 20, dtype=gb.uint8)
        memory.empty_cache()
        before = memory.set_memory_limit(memory.memory_reserved() + (8 << 20))
        try:
            with pytest.raises(gb.OutOfMemoryError):
                gb.empty(60 << 20, dtype=gb.uint8)
        finally:
            memory.set_memory_limit(before)

        events = [e for e in trace() if e["size"] >= 50 << 20]

        named = [e["action"] for e in events if e["action"] != "snapshot"]
        assert named[0] in ("segment_alloc", "segment_map")
        assert named[1:4] == ["alloc", "free_requested", "free_completed"]
        assert named[4] in ("segment_free", "segment_unmap")
        assert named[5:] == ["oom"]
        assert events[-1]["device_free"] <= 8 << 20
        assert "addr" not in events[-1]

    def test_are_the_latest_where_there_is_no_room_for_all(self):
        memory.record_history("site", max_entries=10)
        for size in range(100, 200):
            gb.zeros(size)

        events = trace()

        assert len([e for e in events if e["action"] != "free_completed"]) == 10
        assert {e["size"] for e in events if e["action"] == "alloc"} <= {*range(760, 800, 4)}
        assert memory.snapshot()["allocator_settings"]["lost_entries"] > 180

    def test_have_times_that_are_now(self):
        import time

        memory.record_history("site")
        before = time.time() * 1e6
        gb.zeros(4321)
        after = time.time() * 1e6

        (event,) = (e for e in trace() if e["size"] == 17284 and e["action"] == "alloc")

        assert before - 2000 <= event["time_us"] <= after + 2000

    def test_of_other_threads_are_there(self):
        memory.record_history("stack")

        def work() -> None:
            gb.zeros(4321)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

        (event,) = (e for e in trace() if e["size"] == 17284 and e["action"] == "alloc")
        assert event["frames"][0]["name"].endswith("work")
        assert event["frames"][-1]["name"].endswith("_bootstrap")


class TestForgetting:
    def test_lets_go_of_the_code_that_was_recorded(self):
        namespace: dict[str, Any] = {"gb": gb}
        exec(compile("def f():\n    gb.zeros(4321)", "elsewhere.py", "exec"), namespace)
        memory.record_history("stack")
        namespace["f"]()
        assert _engine._call_stack_count() > 0

        memory.record_history(None)

        assert _engine._call_stack_count() == 0
        assert trace() == []

    def test_leaves_live_blocks_the_line_of_their_birth(self):
        memory.record_history("stack")
        x = gb.zeros(4321)
        memory.record_history(None)

        snapshot = memory.snapshot("cpu")

        frames = next(
            b["frames"]
            for s in snapshot["segments"]
            for b in s["blocks"]
            if b["requested_size"] == x.nbytes
        )
        assert [frame["filename"] for frame in frames] == [__file__]

    def test_equal_stacks_are_kept_once(self):
        memory.record_history("stack")
        for _ in range(100):
            gb.zeros(4321)

        assert _engine._call_stack_count() < 20


def test_a_finalizer_in_the_middle_of_recording_is_recorded_too():
    memory.record_history("stack", max_entries=50)

    class Cycle:
        def __init__(self) -> None:
            self.me, self.x = self, gb.zeros(4321)

        def __del__(self) -> None:
            gb.zeros(999)

    for _ in range(20):
        Cycle()
    gc.collect()

    assert "alloc" in actions(3996)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_begins_an_empty_history():
    program = """
        import os, garboard as gb
        gb.memory.record_history("stack")
        x = gb.zeros(4321)
        child = os.fork()
        if child == 0:
            y = gb.zeros(1000)
            snapshot = gb.memory.snapshot()
            gb.memory.check_snapshot(snapshot)
            sizes = [e["size"] for e in snapshot["device_traces"][0]]
            os._exit(0 if 4000 in sizes and 17284 not in sizes else 1)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    assert run_program(program).strip() == "0"


def test_recording_at_exit_is_silent():
    program = """
        import garboard as gb
        gb.memory.record_history("stack")
        x = gb.zeros(4321)
        """
    assert run_program(program) == ""


class TestTheNames:
    def test_are_pytorchs_too(self):
        assert memory._record_memory_history is memory.record_history
        assert memory._snapshot is memory.snapshot
        assert memory._dump_snapshot is memory.dump_snapshot
        assert gb.cuda.memory._snapshot is memory.snapshot

    def test_of_cuda_take_no_device_for_all(self, tmp_path):
        gb.cuda.record_history("site", max_entries=100)
        gb.zeros(54321).dispose()

        gb.cuda.dump_snapshot(tmp_path / "all.json")

        assert memory.history_level("cpu") == "site"
        traces = memory.load_snapshot(tmp_path / "all.json")["device_traces"]
        assert [event["action"] for event in traces[-1]][:2] == ["alloc", "free_requested"]
        assert len(gb.cuda.snapshot()["device_traces"]) == len(traces)

    @pytest.mark.parametrize("ask", ["record_history", "snapshot", "dump_snapshot"])
    def test_of_cuda_refuse_a_device_that_is_none(self, ask):
        with pytest.raises(gb.DeviceError):
            getattr(gb.cuda, ask)(device=63)
        with pytest.raises(gb.DeviceError):
            getattr(gb.cuda, ask)(device="cpu")
