"""Profiles of some steps of a program: which ones a schedule records, and where they go."""

from __future__ import annotations

import json

import garboard as gb
import pytest
from garboard.profiler import (
    ProfilerAction,
    profile,
    record_function,
    schedule,
    tensorboard_trace_handler,
)

from tests.support.live_memory import balanced  # noqa: F401

pytestmark = pytest.mark.usefixtures("balanced")


def letters(plan, count: int) -> str:
    """Return the actions of the first steps: n, w, r and S for what is saved."""
    told = {"NONE": "n", "WARMUP": "w", "RECORD": "r", "RECORD_AND_SAVE": "S"}
    return "".join(told[plan(step).name] for step in range(count))


def run(prof: profile, steps: int) -> None:
    for size in range(steps):
        gb.ones(size)
        prof.step()


class TestEvents:
    def test_are_a_list_that_prints_and_adds_up(self):
        with profile(profile_memory=True) as prof, record_function("both"):
            (gb.ones(1000) * 2) * 2

        events = prof.events()

        assert isinstance(events, list)
        assert [it.name for it in events] == ["both", "ones", "mul", "mul"]
        assert [(it.key, it.count) for it in events.key_averages()] == [
            ("both", 1),
            ("ones", 1),
            ("mul", 2),
        ]
        rows = events.table(sort_by="self_cpu_allocated", row_limit=2, header="Events").split("\n")
        assert rows[0] == "Events"
        assert [row.split()[0] for row in rows[4:6]] == ["ones", "mul"]
        assert str(events).count("\nmul") == 2
        assert events.total_average().count == 4
        assert 0 < events.self_cpu_time_total <= sum(it.time_ns for it in events) / 1000

    def test_are_written_as_a_trace(self, tmp_path):
        with profile() as prof:
            gb.ones(1)

        prof.events().export_chrome_trace(tmp_path / "trace.json")

        written = json.loads((tmp_path / "trace.json").read_text())
        assert "ones" in [it["name"] for it in written["traceEvents"]]


class TestASchedule:
    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            ({"wait": 1, "warmup": 1, "active": 2}, "nwrSnwrSnwrS"),
            ({"wait": 0, "warmup": 0, "active": 1}, "SSSSSSSSSSSS"),
            ({"wait": 1, "warmup": 0, "active": 3, "repeat": 2}, "nrrSnrrSnnnn"),
            ({"wait": 1, "warmup": 1, "active": 1, "skip_first": 4}, "nnnnnwSnwSnw"),
            (
                {"wait": 2, "warmup": 1, "active": 1, "skip_first": 3, "skip_first_wait": 1},
                "nnnwSnnwSnnw",
            ),
        ],
    )
    def test_goes_through_its_cycles(self, options, expected):
        assert letters(schedule(**options), 12) == expected

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"active": 0}, ValueError),
            ({"wait": -1}, ValueError),
            ({"repeat": 1.5}, TypeError),
            ({"skip_first": None}, TypeError),
        ],
    )
    def test_refuses_what_is_no_plan(self, options, error):
        with pytest.raises(error, match="schedule: "):
            schedule(**{"wait": 1, "warmup": 1, "active": 1, **options})


class TestAProfileOfSteps:
    def test_records_the_active_steps_of_each_cycle(self):
        seen: list[list[str]] = []
        plan = schedule(wait=1, warmup=1, active=2, repeat=2)
        with profile(
            schedule=plan,
            record_shapes=True,
            on_trace_ready=lambda prof: seen.append([event.name for event in prof.events()]),
        ) as prof:
            run(prof, 10)

        assert seen == [
            ["ProfilerStep#2", "ones", "ProfilerStep#3", "ones"],
            ["ProfilerStep#6", "ones", "ProfilerStep#7", "ones"],
        ]
        assert prof.step_num == 10

    def test_hands_over_what_the_end_of_the_block_cuts(self):
        seen: list[int] = []
        with profile(
            schedule=schedule(wait=0, warmup=0, active=5),
            on_trace_ready=lambda prof: seen.append(len(prof.events())),
        ) as prof:
            run(prof, 2)
            gb.ones(1)

        assert seen == [6]

    def test_is_silent_where_nothing_was_recorded(self):
        seen: list[profile] = []
        with profile(
            schedule=schedule(wait=9, warmup=0, active=1), on_trace_ready=seen.append
        ) as prof:
            run(prof, 3)

        assert not seen
        with pytest.raises(gb.GarboardError, match="nothing is recorded yet"):
            prof.events()

    def test_without_a_schedule_records_all(self):
        with profile() as prof:
            run(prof, 3)

        assert [event.name for event in prof.events()] == ["ones"] * 3
        assert prof.step_num == 3

    def test_takes_a_plan_of_ones_own(self):
        def plan(step: int) -> ProfilerAction:
            return ProfilerAction.RECORD if step == 1 else ProfilerAction.NONE

        seen: list[profile] = []
        with profile(schedule=plan, on_trace_ready=seen.append) as prof:
            run(prof, 3)

        assert not seen
        assert [event.name for event in prof.events()] == ["ProfilerStep#1", "ones"]

    def test_lets_another_profile_record_while_it_waits(self):
        with profile(schedule=schedule(wait=5, warmup=0, active=1)), profile() as other:
            gb.ones(1)

        assert len(other.events()) == 1

    def test_keeps_a_part_with_a_name_in_its_step(self):
        with profile(schedule=schedule(wait=0, warmup=0, active=2)) as prof:
            with record_function("forward"):
                gb.ones(1)
            prof.step()

        assert prof.events()[1].parent.name == "ProfilerStep#0"

    def test_refuses_what_cannot_be(self):
        with pytest.raises(TypeError, match="schedule is of type int; a function of the step's"):
            profile(schedule=3)
        with pytest.raises(TypeError, match="schedule returned one of type int"):
            profile(schedule=lambda step: 3).start()
        with pytest.raises(gb.GarboardError, match="step: the profile does not run"):
            profile().step()
        with (
            profile(schedule=schedule(wait=5, warmup=0, active=1)) as prof,
            pytest.raises(gb.GarboardError, match="start: the profile has begun already"),
        ):
            prof.start()
        with profile(), pytest.raises(gb.GarboardError), profile():
            pass

    def test_survives_a_handler_that_fails(self):
        def fail(prof: profile) -> None:
            raise KeyError("mine")

        with (
            pytest.raises(KeyError, match="mine"),
            profile(schedule=schedule(wait=0, warmup=0, active=1), on_trace_ready=fail) as prof,
        ):
            prof.step()
        with profile() as after:
            gb.ones(1)
        assert len(after.events()) == 1


class TestTheHandlerForTensorBoard:
    @pytest.mark.parametrize(("zips", "end"), [(False, ".json"), (True, ".json.gz")])
    def test_writes_a_file_for_each_cycle(self, tmp_path, zips, end):
        ready = tensorboard_trace_handler(tmp_path / "made" / "here", "me", zips)
        with profile(
            schedule=schedule(wait=0, warmup=0, active=1, repeat=2), on_trace_ready=ready
        ) as prof:
            run(prof, 4)

        files = sorted((tmp_path / "made" / "here").iterdir())
        assert len(files) == 2
        for file in files:
            assert file.name.startswith("me.")
            assert file.name.endswith(f".pt.trace{end}")
        if not zips:
            shown = json.loads(files[0].read_text())["traceEvents"]
            assert "ProfilerStep#0" in {row["name"] for row in shown}

    def test_names_the_machine_and_the_process(self, tmp_path):
        with profile(on_trace_ready=tensorboard_trace_handler(str(tmp_path))):
            gb.ones(1)

        (file,) = tmp_path.iterdir()
        assert file.name.endswith(".pt.trace.json")

    def test_refuses_what_is_no_name(self):
        with pytest.raises(TypeError, match="dir_name is of type int"):
            tensorboard_trace_handler(3)
        with pytest.raises(ValueError, match="worker_name has a slash"):
            tensorboard_trace_handler("traces", "a/b")
        with pytest.raises(ValueError, match="no file can have that name"):
            tensorboard_trace_handler("a\0b")


def test_what_is_watched_depends_on_the_devices():
    found = gb.profiler.supported_activities()

    assert gb.profiler.ProfilerActivity.CPU in found
    assert (gb.profiler.ProfilerActivity.CUDA in found) == gb.cuda.is_available()


def test_a_schedule_is_set_before_the_next_step():
    with profile(schedule=schedule(wait=9, warmup=0, active=1)) as prof:
        gb.ones(1)
        prof.schedule = lambda step: ProfilerAction.RECORD
        prof.step()
        gb.zeros(2)

    assert [event.name for event in prof.events()] == ["ProfilerStep#1", "zeros"]
    assert profile().schedule(3) is ProfilerAction.RECORD
    with pytest.raises(TypeError, match="profile: schedule"):
        prof.schedule = 3


def test_the_profile_that_records_can_be_asked_for_and_ended():
    assert not gb.autograd._profiler_enabled()
    prof = profile(with_flops=True, with_modules=True, use_cuda=False)
    prof.start()
    assert gb.autograd._profiler_enabled()
    gb.ones(1)

    gb.autograd._disable_profiler()
    gb.autograd._disable_profiler()

    assert not gb.autograd._profiler_enabled()
    assert [event.name for event in prof.events()] == ["ones"]
