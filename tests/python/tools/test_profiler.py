"""The profiler: events, their nesting and bytes, the table, and files that other programs open."""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter

import garboard as gb
import numpy as np
import pytest
from garboard import nn, optim
from garboard.profiler import ProfilerActivity, profile, record_function

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def names(prof: profile) -> list[str]:
    return [event.name for event in prof.events()]


def train(prof_name: str = "step") -> None:
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x = gb.ones(4, 8)
    with record_function(prof_name), gb.dispose_scope():
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


class TestEvents:
    def test_are_the_ops_in_their_order(self):
        a, b = gb.ones(2, 2), gb.ones(2, 2)
        with profile() as prof:
            (a + b).exp_()
            gb.cat([a, b])
            a @ b
            gb.neg(a)
            a *= 2
            a.sum().item()

        assert names(prof) == ["add", "exp_", "cat", "matmul", "neg", "mul", "sum", "item"]
        assert all(event.parent is None for event in prof.events())

    def test_end_with_the_block(self):
        a = gb.ones(2)
        with profile() as prof:
            a + a
        a + a

        assert names(prof) == ["add"]

    def test_nest(self):
        with profile() as prof:
            train()

        events = prof.events()
        step = next(event for event in events if event.name == "step")
        backward = next(event for event in events if event.name == "backward")
        inside = [event.name for event in backward.children]
        assert backward.parent is step
        assert "linear (backward)" in inside or "matmul (backward)" in inside
        assert "sum (backward)" in inside
        assert any(event.name == "sgd_step" and event.parent is step for event in events)

    def test_of_an_op_in_a_hook_lie_in_the_backward_node(self):
        x = gb.ones(3, requires_grad=True)
        x.register_hook(lambda slope: slope * 2)
        with profile() as prof:
            (x * x).sum().backward()

        inner = [event for event in prof.events() if event.name == "mul"]
        assert inner[-1].parent.name == "backward"

    def test_have_times_that_add_up(self):
        with profile() as prof:
            train()

        for event in prof.events():
            assert 0 <= event.begin_ns <= event.end_ns
            assert 0 <= event.self_time_ns <= event.time_ns
            for child in event.children:
                assert event.begin_ns <= child.begin_ns <= child.end_ns <= event.end_ns

    def test_of_an_op_that_raises_end_too(self):
        x = gb.ones(2, 3)
        with profile() as prof:
            with pytest.raises(gb.ShapeError):
                x + gb.ones(4)
            x * 2

        assert names(prof) == ["ones", "add", "mul"]
        assert prof.events()[2].parent is None

    def test_have_shapes_where_asked_for(self):
        x, y = gb.ones(2, 3), gb.ones(3, 4)
        with profile(record_shapes=True) as prof:
            x @ y
            x * 2

        assert [event.input_shapes for event in prof.events()] == ["[2, 3], [3, 4]", "[2, 3]"]

    def test_have_stacks_where_asked_for(self):
        def inner():
            return gb.ones(3)

        with profile(with_stack=True) as prof:
            inner()

        stack = prof.events()[0].stack
        assert stack[0].endswith("inner")
        assert __file__ in stack[0]
        assert "test_have_stacks_where_asked_for" in stack[1]

    def test_have_neither_where_not(self):
        with profile() as prof:
            gb.ones(3)

        assert (prof.events()[0].input_shapes, prof.events()[0].stack) == ("", ())

    def test_of_threads_stand_apart(self):
        with profile() as prof, record_function("here"):
            thread = threading.Thread(target=lambda: gb.ones(3) + 1)
            thread.start()
            thread.join()

        here, *there = prof.events()
        assert [event.name for event in there] == ["ones", "add"]
        assert all(event.parent is None and event.thread != here.thread for event in there)

    def test_hold_no_tensors(self):
        before = gb.memory.live()
        with profile(profile_memory=True, record_shapes=True, with_stack=True) as prof:
            train()

        assert gb.memory.live() == before
        assert prof.events()

    def test_change_no_result_and_no_site(self):
        x = gb.ones(3, requires_grad=True)
        with profile(with_stack=True, record_shapes=True):
            y = (x * 2 + 1).sum()
            y.backward()
            site = gb._engine._site(gb._engine._birth(y)[1])

        assert (y.item(), x.grad.tolist()) == (9.0, [2.0] * 3)
        assert site[0] == __file__
        assert site[2].endswith("test_change_no_result_and_no_site")


class TestRecordFunction:
    def test_does_nothing_while_nobody_records(self):
        with record_function("idle"):
            assert not gb._engine._is_profiling()

    def test_decorates(self):
        @record_function("twice")
        def twice(x):
            """Double."""
            return x * 2

        with profile() as prof:
            twice(gb.ones(2))

        @record_function("items")
        def items():
            yield gb.ones(1)

        with profile() as of_a_generator:
            made = items()
            next(made)
        assert [e.name for e in of_a_generator.events()] == ["items", "ones"]
        assert twice.__doc__ == "Double."
        assert [(e.name, e.parent and e.parent.name) for e in prof.events()] == [
            ("ones", None),
            ("twice", None),
            ("mul", "twice"),
        ]

    def test_is_not_left_without_being_entered(self):
        with pytest.raises(gb.GarboardError, match=r"^record_function: left more often than"):
            record_function("part").__exit__(None, None, None)

    def test_takes_a_name_that_is_a_string(self):
        with pytest.raises(TypeError, match=r"^record_function: name is of type list; a string is"):
            record_function([])

    def test_may_be_open_twice(self):
        label = record_function("again")
        with profile() as prof, label, label:
            gb.ones(1)

        assert [event.parent and event.parent.name for event in prof.events()] == [
            None,
            "again",
            "again",
        ]

    def test_that_outlives_the_profile_counts_as_far_as_it_came(self):
        with record_function("outer"):
            prof = profile()
            prof.start()
            with record_function("inner"):
                prof.stop()
                gb.ones(1)

        assert names(prof) == ["inner"]


class TestMemory:
    def test_is_booked_to_the_op_that_ran(self):
        with profile(profile_memory=True) as prof:
            x = gb.empty(1000)
            y = x + 1
            del x
            x = y.sum()
            del x, y

        booked = [(event.name, event.self_cpu_allocated) for event in prof.events()]
        assert booked == [("empty", 4000), ("add", 4000), ("sum", 4)]
        moves = [event.bytes for event in prof.memory_events()]
        assert moves == [4000, 4000, -4000, 4, -4, -4000]

    def test_freed_inside_an_op_is_its_own(self):
        x = gb.ones(1000, requires_grad=True)
        loss = (x.exp() * 2).sum()
        with profile(profile_memory=True) as prof:
            loss.backward()

        backward = prof.events()[0]
        assert backward.name == "backward"
        assert backward.total("cpu_freed") > 0
        assert backward.total("cpu_allocated") >= backward.self_cpu_allocated
        total = sum(event.self_cpu_allocated for event in prof.events())
        assert backward.total("cpu_allocated") == total

    def test_agrees_with_what_lives(self):
        before = gb.memory.memory_allocated()
        with profile(profile_memory=True) as prof:
            kept = [gb.zeros(n) for n in (1, 100, 10_000)]
            train()

        moved = sum(event.bytes for event in prof.memory_events())
        assert moved == gb.memory.memory_allocated() - before == sum(x.nbytes for x in kept)

    def test_events_name_the_line_and_the_storage(self):
        with profile(profile_memory=True) as prof:
            x = gb.zeros(100)
            del x

        born, ended = prof.memory_events()
        assert born.serial == ended.serial
        assert born.site == ended.site
        assert born.site.file == __file__
        assert (born.device, born.at_ns < ended.at_ns) == ("cpu", True)

    def test_is_left_out_unless_asked_for(self):
        with profile() as prof:
            gb.zeros(100)

        assert prof.memory_events() == []
        assert "CPU Mem" not in prof.key_averages().table()

    def test_leaves_the_peak_exact(self):
        gb.memory.reset_peak_memory_stats()
        with profile(profile_memory=True):
            gb.zeros(10_000)
            gb.zeros(20_000)
        peak = gb.memory.peak()

        assert peak.bytes == gb.memory.max_memory_allocated()
        assert sum(part.bytes for part in peak.by_site) == peak.bytes


class TestKeyAverages:
    def test_add_up_by_name(self):
        a = gb.ones(10)
        with profile(profile_memory=True) as prof:
            for _ in range(3):
                a + a
            a * a
        by_name = {it.key: it for it in prof.key_averages()}

        assert (by_name["add"].count, by_name["mul"].count) == (3, 1)
        assert by_name["add"].self_cpu_allocated == by_name["add"].cpu_allocated == 120
        assert by_name["[memory]"].cpu_freed == 160
        assert by_name["add"].cpu_memory_usage == 120
        assert by_name["add"].cpu_time == pytest.approx(by_name["add"].cpu_time_total / 3)

    def test_give_totals_with_what_ran_inside(self):
        with profile(profile_memory=True) as prof, record_function("outer"):
            with record_function("inner"):
                x = gb.zeros(100)
            y = x + 1
            del x, y
        by_name = {it.key: it for it in prof.key_averages()}

        outer = by_name["outer"]
        assert (outer.self_cpu_allocated, outer.cpu_allocated) == (0, 800)
        assert (outer.self_cpu_freed, outer.cpu_freed) == (800, 800)
        assert by_name["inner"].cpu_memory_usage == 400
        assert outer.cpu_time_total >= by_name["inner"].cpu_time_total

    def test_count_one_in_another_of_its_name_once(self):
        same = record_function("same")
        with profile(profile_memory=True) as prof, same, same:
            x = gb.zeros(100)
        average = next(it for it in prof.key_averages() if it.key == "same")

        assert (average.count, average.cpu_allocated, x.nbytes) == (2, 400, 400)
        assert average.cpu_time_total == pytest.approx(prof.events()[0].time_ns / 1000)

    def test_balance(self):
        with profile(profile_memory=True) as prof:
            train()
        total = prof.key_averages().total_average()

        assert total.self_cpu_memory_usage == 0
        assert total.self_cpu_allocated == sum(
            move.bytes for move in prof.memory_events() if move.bytes > 0
        )
        assert prof.key_averages().self_cpu_time_total == pytest.approx(
            sum(event.self_time_ns for event in prof.events()) / 1000
        )

    def test_can_be_told_apart_by_shape_and_line(self):
        with profile(record_shapes=True, with_stack=True) as prof:
            for n in (2, 2, 3):
                gb.ones(n) + 1
        shapes = [
            (it.input_shapes, it.count)
            for it in prof.key_averages(group_by_input_shape=True)
            if it.key == "add"
        ]
        lines = prof.key_averages(group_by_stack_n=1)

        assert shapes == [("[2]", 2), ("[3]", 1)]
        assert all(__file__ in it.stack[0] for it in lines)
        assert "Source Location" in lines.table()
        assert "Input Shapes" in prof.key_averages(group_by_input_shape=True).table()


class TestTable:
    @pytest.fixture
    def averages(self):
        with profile(profile_memory=True) as prof:
            gb.zeros(10)
            gb.ones(1000)
            for _ in range(3):
                gb.full((100,), 1.0)
        return prof.key_averages()

    def test_has_pytorchs_columns(self, averages):
        lines = averages.table().splitlines()

        assert lines[1].split("  ")[0].strip() == "Name"
        for title in ("Self CPU %", "CPU total", "CPU time avg", "CPU Mem", "Self CPU Mem"):
            assert title in lines[1]
        assert "CUDA" not in lines[1]
        assert lines[-1].startswith("Self CPU time total: ")
        assert str(averages) == averages.table()

    @pytest.mark.parametrize(
        ("key", "first"),
        [
            ("self_cpu_memory_usage", "ones"),
            ("cpu_allocated", "ones"),
            ("count", "full"),
            ("self_cpu_freed", "[memory]"),
        ],
    )
    def test_is_sorted(self, averages, key, first):
        assert averages.table(sort_by=key).splitlines()[3].split()[0] == first

    def test_takes_every_name_of_pytorchs(self, averages):
        for key in (
            "cpu_time",
            "cpu_time_total",
            "self_cpu_time_total",
            "cpu_memory_usage",
            "cuda_memory_usage",
            "self_cuda_memory_usage",
            "device_memory_usage",
            "self_device_memory_usage",
            *("cuda_time", "cuda_time_total", "self_cuda_time_total"),
            *("device_time", "device_time_total", "self_device_time_total"),
        ):
            assert averages.table(sort_by=key)
        assert averages[0].device_time_total == averages[0].self_device_time_total == 0

    def test_is_cut(self, averages):
        rows = len(averages)

        assert len(averages.table(row_limit=2).splitlines()) == 2 + 5
        assert len(averages.table(row_limit=-1).splitlines()) == rows + 5
        assert averages.table(header="first step").splitlines()[0] == "first step"
        assert "emp" not in averages.table(max_name_column_width=2).splitlines()[3]

    def test_refuses_other_keys(self, averages):
        with pytest.raises(ValueError, match=r"sort_by 'beauty'; one of count, cpu_time, .* is"):
            averages.table(sort_by="beauty")

    def test_is_a_sequence(self, averages):
        assert len(averages) == len(list(averages)) == 4
        assert averages[0].key == "zeros"
        assert [it.key for it in averages[:2]] == ["zeros", "ones"]


class TestChromeTrace:
    @pytest.fixture
    def trace(self, tmp_path):
        with profile(profile_memory=True, record_shapes=True, with_stack=True) as prof:
            train("step one")
        prof.export_chrome_trace(tmp_path / "trace.json")
        return prof, json.loads((tmp_path / "trace.json").read_text())

    def test_has_an_event_for_each(self, trace):
        prof, content = trace
        rows = [row for row in content["traceEvents"] if row["ph"] == "X"]

        assert Counter(row["name"] for row in rows) == Counter(names(prof))
        for row, event in zip(rows, prof.events(), strict=True):
            assert row["dur"] * 1000 == pytest.approx(event.time_ns)
            assert row["ts"] * 1000 == pytest.approx(event.begin_ns)
            assert row["tid"] == event.thread

    def test_is_what_perfetto_reads(self, trace):
        _, content = trace

        for row in content["traceEvents"]:
            assert {"ph", "name", "pid", "tid"} <= set(row)
            assert row["ph"] in "XMC"
            if row["ph"] != "M":
                assert row["ts"] >= 0
        shapes = [row["args"].get("Input Dims") for row in content["traceEvents"]]
        assert "[4, 8], [16, 8], [16]" in shapes

    def test_has_the_live_bytes(self, trace):
        prof, content = trace
        curve = [row["args"]["bytes"] for row in content["traceEvents"] if row["ph"] == "C"]

        assert len(curve) == len(prof.memory_events())
        assert curve[-1] == gb.memory.memory_allocated()
        assert min(curve) >= 0

    def test_has_what_the_program_says_of_it(self, tmp_path):
        with profile() as prof:
            prof.add_metadata("batch", "16")
            prof.add_metadata_json("sizes", "[16, 3]")
            gb.ones(1)
        prof.export_chrome_trace(tmp_path / "trace.json")
        content = json.loads((tmp_path / "trace.json").read_text())

        assert (content["batch"], content["sizes"]) == ("16", [16, 3])
        assert content["traceEvents"]
        with pytest.raises(ValueError, match="a text of JSON is needed"):
            prof.add_metadata_json("sizes", "[16")
        with pytest.raises(TypeError, match="add_metadata: value"):
            prof.add_metadata("batch", 16)

    def test_can_be_zipped(self, tmp_path):
        with profile() as prof:
            gb.ones(1)
        prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))

        content = json.loads(gzip.decompress((tmp_path / "trace.json.gz").read_bytes()))
        assert content["traceEvents"][-1]["name"] == "ones"


class TestSpeedscope:
    def test_has_the_live_bytes_by_line_over_time(self, tmp_path):
        older = gb.zeros(50)
        with profile(profile_memory=True) as prof:
            big = gb.zeros(10_000)
            del big, older
            small = gb.zeros(100)
        prof.export_memory_speedscope(tmp_path / "live.json", moments=4)
        content = json.loads((tmp_path / "live.json").read_text())

        frames, profiles = content["shared"]["frames"], content["profiles"]
        peak, *_, last = profiles
        assert content["$schema"].startswith("https://www.speedscope.app/")
        assert len(profiles) == 1 + 4
        assert peak["name"].startswith("peak, at ")
        for it in profiles:
            assert it["type"] == "sampled"
            assert len(it["samples"]) == len(it["weights"])
            assert sum(it["weights"]) == it["endValue"]
            assert all(0 <= frame < len(frames) for stack in it["samples"] for frame in stack)
        largest = frames[peak["samples"][0][0]]
        assert (largest["file"], peak["weights"][0]) == (__file__, 40_000)
        assert last["endValue"] == gb.memory.memory_allocated()
        assert small.nbytes == 400

    def test_wants_memory(self, tmp_path):
        with profile() as prof:
            gb.ones(1)

        with pytest.raises(gb.GarboardError, match="give profile_memory=True"):
            prof.export_memory_speedscope(tmp_path / "live.json")

    def test_refuses_a_device_that_is_none(self, tmp_path):
        with profile(profile_memory=True) as prof:
            gb.ones(1)

        with pytest.raises(gb.DeviceError):
            prof.export_memory_speedscope(tmp_path / "live.json", device="tpu")


class TestProfile:
    def test_is_one_at_a_time(self):
        with profile() as outer:
            with pytest.raises(gb.GarboardError, match="another profile is running"):
                profile().start()
            gb.ones(1)

        assert names(outer) == ["ones"]

    def test_ends_with_an_error(self):
        with pytest.raises(KeyError), profile() as prof:
            raise KeyError

        assert prof.events() == []
        assert not gb._engine._is_profiling()

    def test_wants_its_block_to_have_ended(self):
        prof = profile()
        for ask in (prof.events, prof.memory_events, prof.key_averages):
            with pytest.raises(gb.GarboardError, match="nothing is recorded yet"):
                ask()

    def test_calls_back(self):
        seen = []
        with profile(
            activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
            on_trace_ready=lambda prof: seen.append(names(prof)),
        ):
            gb.ones(1)

        assert seen == [["ones"]]

    def test_refuses_other_activities(self):
        with pytest.raises(
            TypeError,
            match="profile: item 0 of activities is of type str; a list of ProfilerActivity",
        ):
            profile(activities=["cpu"])

    @pytest.mark.parametrize(
        "name", ["record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules"]
    )
    def test_wants_flags(self, name):
        with pytest.raises(TypeError, match=rf"^profile: {name} is of type ndarray; True or False"):
            profile(**{name: np.ones(2)})

    def test_wants_a_function_to_call_back(self):
        with pytest.raises(TypeError, match=r"^profile: on_trace_ready is of type int; a function"):
            profile(on_trace_ready=5)

    def test_records_again(self):
        prof = profile()
        with prof:
            gb.ones(1)
        with prof:
            gb.zeros(1)
        prof.stop()

        assert names(prof) == ["zeros"]


def test_the_older_profile_takes_its_arguments_and_prints_as_its_table():
    with gb.autograd.profiler.profile(use_cpu=True, use_device=None, profile_memory=True) as prof:
        gb.ones(3)
    with gb.autograd.profiler.profile(enabled=False) as idle:
        gb.ones(3)

    assert isinstance(prof, gb.profiler.profile)
    assert str(prof) == prof.key_averages().table()
    assert str(idle) == repr(idle)
    with pytest.raises(gb.GarboardError, match="nothing is recorded yet"):
        idle.events()
