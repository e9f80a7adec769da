"""The watcher: when it speaks, what it is told, and what it costs."""

from __future__ import annotations

import gc
import inspect
import warnings
from pathlib import Path

import garboard as gb
import pytest
from garboard import _engine
from garboard.leaks.judging import _exemptions

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.programs import run_program

pytestmark = pytest.mark.usefixtures("balanced")


def leak_graph(watch, steps=40):
    w, total = gb.randn(3, 1).requires_grad_(), 0
    for _ in range(steps):
        loss = (gb.ones(2, 3) @ w).sum()
        loss.backward()
        total += loss
        watch.step()


def leak_list(watch, steps=60):
    kept = []
    for _ in range(steps):
        kept.append(gb.zeros(()))
        watch.step()
    return watch.report()


class TestALeak:
    def test_is_warned_of_at_its_line_once(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with gb.leaks.watch() as watch:
                leak_graph(watch)

        lines, first = inspect.getsourcelines(leak_graph)
        line = first + next(i for i, text in enumerate(lines) if "total += loss" in text)
        assert [it.category for it in caught] == [gb.leaks.MemoryLeakWarning]
        assert (caught[0].filename, caught[0].lineno) == (__file__, line)
        assert "fix: total += loss.item()" in str(caught[0].message)

    def test_is_raised_at_the_step_that_makes_it_certain(self):
        with pytest.raises(gb.leaks.LeakError) as raised, gb.leaks.watch(on_leak="raise") as watch:
            leak_graph(watch)

        error = raised.value
        assert [leak.kind for leak in error.leaks] == ["accumulated-graph"]
        assert error.report.checked.steps == 24
        assert str(error).startswith("1 leak: accumulated-graph, +3 graph nodes per step, ")
        assert isinstance(error, gb.leaks.MemoryLeakError)
        assert isinstance(error, gb.GarboardError)

    def test_is_still_reported_when_its_holder_has_gone(self):
        with gb.leaks.watch(on_leak=lambda leak: None) as watch:
            leak_graph(watch)

        assert [leak.kind for leak in watch.report().leaks] == ["accumulated-graph"]
        assert not watch.report().ok

    def test_growth_that_ended_with_its_function_is_a_note(self):
        def keep(watch, steps):
            rows = []
            for _ in range(steps):
                rows.append(gb.zeros(4))
                watch.step()

        with gb.leaks.watch(on_leak="raise") as watch:
            keep(watch, 80)
        with gb.leaks.watch(on_leak="raise") as other:
            keep(other, 80)
            keep(other, 40)

        (note,) = watch.report().notes
        assert note.startswith("grew until it was let go: tensor-list, +1 tensor, +16 bytes per ")
        assert "list `rows`" in note
        assert watch.report().leaks == other.report().leaks == ()
        assert not other.report().notes

    def test_cycles_that_a_report_has_told_of_stand_in_later_ones(self):
        with gb.leaks.watch(on_leak="raise") as watch:
            for _ in range(3):
                watch.step()
            for _ in range(3):
                knot = [gb.zeros(1 << 18)]
                knot.append(knot)
                watch.step()
            del knot
            first = watch.report()

        assert [leak.verdict for leak in first.leaks] == ["CYCLE"]
        assert watch.report().leaks == first.leaks

    def test_is_one_finding_when_a_function_returns_what_leaked(self):
        found = []
        with gb.leaks.watch(on_leak=found.append) as watch:
            kept = [gb.zeros(()) for _ in range(0)]
            for _ in range(60):
                kept.append(gb.zeros(()))
                watch.step()
            elsewhere = {"kept": kept}
            del kept
        report = watch.report()

        assert len(found) == 1
        assert [leak.kind for leak in report.leaks] == ["tensor-list"]
        elsewhere.clear()

    def test_can_be_ignored_by_its_fingerprint(self):
        found = []
        with gb.leaks.watch(on_leak=found.append) as watch:
            leak_list(watch)
        gb.leaks.ignore(found[0].fingerprint)
        try:
            with gb.leaks.watch(on_leak=found.append) as watch:
                report = leak_list(watch)
        finally:
            _exemptions._ignored.clear()

        assert len(found) == 1
        assert not report.leaks

    def test_can_be_ignored_until_a_day(self):
        gb.leaks.ignore("LIST-000000", until="2000-01-01")
        gb.leaks.ignore("LIST-000001", until="9999-01-01")
        try:
            ignored = [
                _exemptions.is_ignored(name)
                for name in ("LIST-000000", "LIST-000001", "LIST-000002")
            ]
        finally:
            _exemptions._ignored.clear()

        assert ignored == [False, True, False]

    def test_has_the_same_fingerprint_in_every_run(self):
        names = set()
        for _ in range(2):
            with gb.leaks.watch(on_leak=lambda leak: names.add(leak.fingerprint)) as watch:
                leak_list(watch)

        assert len(names) == 1

    def test_is_not_judged_when_the_loop_raises(self):
        def fail(watch):
            kept = []
            for _ in range(40):
                kept.append(gb.zeros(()))
                watch.step()
            raise KeyError

        with pytest.raises(KeyError), gb.leaks.watch(on_leak="raise") as watch:
            fail(watch)


class TestWhatTheWatcherIsTold:
    def test_excluded_modules_and_tensors_are_left_out(self):
        class Memory:
            def __init__(self):
                self.items = []

        memory, kept = Memory(), gb.zeros(300, 1000)
        with gb.leaks.watch(on_leak="raise") as watch:
            watch.exclude(memory, reason="grows on purpose")
            for i in range(60):
                memory.items.append(gb.zeros(()))
                if i == 20:
                    view = kept[0]
                    watch.exclude(view)
                    del kept
                watch.step()
            report = watch.report()

        assert not report.leaks
        assert report.notes == ("`Memory.items` belongs to what was excluded: grows on purpose",)

    def test_what_cannot_be_referred_to_weakly_is_refused(self):
        with gb.leaks.watch() as watch:
            with pytest.raises(TypeError, match=r"exclude: a list, .* expect\(\)"):
                watch.exclude([])
            with pytest.raises(TypeError, match="expect_freed: a list"):
                watch.expect_freed([])

    @pytest.mark.parametrize("name", ["kept", "leak_list", "leak_list()"])
    def test_expected_containers_may_grow_up_to_their_capacity(self, name):
        with gb.leaks.watch(on_leak="raise") as watch:
            watch.expect(name, max_items=60)
            report = leak_list(watch)

        assert not report.leaks

    def test_expected_containers_leak_beyond_their_capacity(self):
        found = []
        with gb.leaks.watch(on_leak=found.append) as watch:
            watch.expect("kept", max_items=50)
            leak_list(watch)

        assert [leak.kind for leak in found] == ["tensor-list"]

    def test_an_expectation_that_nothing_meets_is_told(self):
        with gb.leaks.watch() as watch:
            watch.expect("memory", max_items=10)
            watch.expect("memroy", max_items=10)
            memory = []
            for _ in range(8):
                memory.append(gb.ones(3))
                watch.step()

        told = [note for note in watch.report().notes if note.startswith("expect:")]
        assert told == ["expect: nothing under watch was held by `memroy`, or born there"]
        memory.clear()

    def test_what_was_expected_to_be_freed_is_a_leak_while_somebody_holds_it(self):
        net, history = gb.nn.Linear(4, 2), []
        with gb.leaks.watch(on_leak=lambda leak: None) as watch:
            history.append(net)
            watch.expect_freed(net, "validation is over")
            del net
            report = watch.report()
            history.clear()
            after = watch.report()

        assert [(leak.kind, leak.verdict) for leak in report.leaks] == [("not-freed", "LEAK")]
        assert report.leaks[0].holder.startswith("list `history`")
        assert report.leaks[0].bytes == 4 * (4 * 2 + 2)
        assert report.leaks[0].site.file == __file__
        assert "validation is over" in report.leaks[0].evidence
        assert not after.leaks

    def test_a_phase_begins_with_a_step_of_warm_up(self):
        with gb.leaks.watch() as watch:
            watch.phase("train")
            for _ in range(5):
                watch.step()
            with watch.phase("eval"):
                assert watch._steps.phase == "eval"
                watch.step()
            assert watch._steps.phase == "train"

            assert watch._steps.warm == {1, 6}

    def test_wrong_arguments_are_named(self):
        with pytest.raises(ValueError, match="level 'heap'; 'site' is needed"):
            gb.leaks.watch(level="heap")
        with pytest.raises(ValueError, match="on_leak 'shout'"):
            gb.leaks.watch(on_leak="shout")
        with gb.leaks.watch() as watch, pytest.raises(ValueError, match="max_items -1; 0 or more"):
            watch.expect("memory", max_items=-1)


class TestTheWatcherItself:
    def test_keeps_nothing_alive(self):
        gc.collect()
        gc.disable()
        try:
            with gb.leaks.watch(on_leak=lambda leak: None) as watch:
                before = gb.memory.live()
                leak_list(watch)
                leak_graph(watch)
                after = gb.memory.live()
        finally:
            gc.enable()

        assert after == before

    def test_counts_its_own_steps_beside_another(self):
        with gb.leaks.watch() as outer:
            for _ in range(4):
                with gb.leaks.watch() as inner:
                    for _ in range(3):
                        inner.step()
                outer.step()
            kept = gb.zeros(3)
            _, _, step, _ = _engine._birth(kept)

            assert outer._steps.own(step) == 5
            assert inner.report().checked.steps == 3

    def test_maps_every_birth_to_the_step_it_was_made_in(self):
        with gb.leaks.watch() as watch:
            for number in range(1, 9):
                if number % 3 == 0:  # somebody else moves the process's step on
                    _engine._advance_birth_step()
                    _engine._advance_birth_step()
                kept = gb.zeros(3)
                assert watch._steps.own(_engine._birth(kept)[2]) == number
                watch.step()

    def test_says_that_growth_is_unseen_without_steps(self):
        with gb.leaks.watch() as watch:
            pass

        assert watch.report().notes == ("step() was never called: growth is unseen",)

    def test_says_what_it_looked_at(self):
        with gb.leaks.watch() as watch:
            for _ in range(10):
                gb.zeros(3)
                watch.step()

        assert str(watch.report()) == "too early: 10 of about 56 steps, 10 tensors born, 10 dead"


def test_snapshots_differ_by_what_was_born_between_them():
    with gb.leaks.watch() as watch:
        before = watch.snapshot()
        kept = [gb.zeros(256)]
        kept += [kept[0].clone(), kept[0].clone()]
        grown = before.diff(watch.snapshot())
        kept.clear()
        gone = watch.snapshot().diff(before)

    assert [(it.count, it.bytes) for it in grown] == [(2, 2048), (1, 1024)]
    assert "test_snapshots_differ" in grown[0].key
    assert gone == []


def test_importing_the_package_imports_no_leak_check():
    said = run_program(
        """
        import sys, garboard
        print([name for name in sys.modules if name.startswith("garboard.leaks")])
        garboard.leaks
        print({"numpy", "rich", "pathlib"} & set(sys.modules))
        """
    )

    assert said == "[]\nset()\n"


def test_a_watcher_is_one_line_where_it_is_looked_at():
    with gb.leaks.watch() as watch:
        assert repr(watch) == "<LeakWatcher: in step 1, 0 leaks announced>"
        watch.step()
        assert repr(watch) == "<LeakWatcher: in step 2, 0 leaks announced>"


class TestTooEarly:
    def test_no_leaks_is_not_said_before_enough_steps(self):
        keep = []
        with gb.leaks.watch() as watch:
            for _ in range(12):
                keep.append(gb.zeros(3))
                watch.step()
        report = watch.report()

        assert str(report).startswith("too early: 12 of about 56 steps, ")
        assert repr(report) == "<LeakReport: too early>"
        assert report.checked.is_too_early
        assert report.notes == (
            f"suspect so far: tensors born at {place_of('keep.append(gb.zeros(3))')} "
            "TestTooEarly.test_no_leaks_is_not_said_before_enough_steps(), of 12 of 12 steps",
        )

    def test_nothing_is_suspected_of_a_healthy_loop(self):
        with gb.leaks.watch() as watch:
            for _ in range(12):
                gb.zeros(3)
                watch.step()

        assert watch.report().notes == ()

    def test_it_is_late_enough_after_56_steps(self):
        with gb.leaks.watch() as watch:
            for _ in range(56):
                watch.step()

        assert str(watch.report()) == "no leaks: 56 steps, 0 tensors born, 0 dead"


def test_growth_is_told_once_in_a_line_at_the_end():
    def keep_sixty():
        kept = []
        with gb.leaks.watch() as watch:
            for _ in range(60):
                kept.append(gb.zeros(3))
                watch.step()

    with pytest.warns(gb.leaks.MemoryLeakWarning) as caught:
        keep_sixty()

    assert len(caught) == 1
    assert str(caught[0].message).startswith("tensor-list is growing: +1 tensor, ")
    assert "\n" not in str(caught[0].message)


def place_of(statement: str) -> str:
    """Return the place of the first line of this file that is a statement."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    line = next(i for i, it in enumerate(lines, start=1) if it.strip() == statement)
    return gb.leaks.Site(__file__, line, "").place
