"""Watches that run for long: constant memory, a budget, and a file that outlives the process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import garboard as gb
import pytest
from garboard.leaks._memory_notice import MemoryNotice, groups_of_process
from garboard.leaks._turn import Turn
from garboard.leaks.evidence._native import EVIDENCE
from garboard.leaks.evidence._steps import Steps
from garboard.leaks.judging._pace import Pace

from tests.support.live_memory import balanced  # noqa: F401
from tests.support.zoo import ZOO, faults

pytestmark = pytest.mark.usefixtures("balanced")


@pytest.mark.slow
def test_a_million_steps_take_no_more_memory_than_fewer():
    ring = [gb.ones(1) for _ in range(16)]
    with gb.leaks.watch(on_leak="raise") as watch, gb.leaks.watch() as other:
        for step in range(1_000_000):
            ring[step % 16] = gb.ones(1)
            watch.step()
            if step % 2:
                other.step()
            if step % 1000 == 999:
                watch.phase("eval" if step % 2000 == 999 else "train")
            if step == 850_000:
                tracemalloc.start()
            elif step == 900_000:
                at_first = tracemalloc.get_traced_memory()[0]
        at_end = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()

    assert at_end - at_first < 100_000
    assert len(watch.report().seen.timeline) <= 257
    assert watch.report().ok


class TestSteps:
    def test_are_exact_for_long_where_others_step_too(self):
        steps = Steps(EVIDENCE)
        stamps = {}
        for _ in range(10_000):
            EVIDENCE.advance_step()
            stamps[steps.now] = gb._engine._birth_now()[1]
            steps.advance()

        assert all(steps.own(stamps[it]) == it for it in range(9_000, 10_001))
        found = [steps.own(stamps[it]) for it in range(1, 10_001)]
        assert found == sorted(found)
        assert len(steps._starts) <= 2049

    def test_end_any_number_of_epochs(self):
        steps = Steps(EVIDENCE)
        for _ in range(10_000):
            steps.advance()
            steps.end_epoch()

        assert len(steps.epochs) <= 2049
        assert steps.epochs[-1000:] == list(range(9_001, 10_001))


class Clocks:
    """A loop whose steps and looks take what the test says."""

    def __init__(self) -> None:
        self.now = self.worked = 0.0

    def looks(self, pace: Pace, step_s: float, look_s: float, steps: int) -> int:
        found = 0
        for step in range(1, steps + 1):
            self.now += step_s
            if pace.is_due(step):
                found += 1
                with pace:
                    self.now += look_s
                    self.worked += look_s
        return found


class TestThePace:
    @pytest.fixture
    def clocks(self):
        return Clocks()

    @pytest.fixture
    def pace(self, clocks):
        return Pace(0.05, lambda: clocks.now, lambda: clocks.worked)

    def test_is_every_eighth_step_while_looks_are_cheap(self, clocks, pace):
        assert clocks.looks(pace, step_s=0.1, look_s=0.03, steps=8000) == 1000
        assert pace.note == ""

    def test_gets_slower_where_looks_would_take_more_than_their_share(self, clocks, pace):
        clocks.looks(pace, step_s=0.01, look_s=0.1, steps=100_000)

        assert pace.period == 512  # 5 s of steps for 0.1 s; 128 steps would take 1.28 s
        assert clocks.worked < 0.05 * clocks.now + 6
        assert pace.note == ("looked at every 512th step, to take at most 5% of the loop's time")

    def test_gets_faster_again(self, clocks, pace):
        clocks.looks(pace, step_s=0.01, look_s=0.1, steps=100_000)
        clocks.looks(pace, step_s=0.01, look_s=0.0001, steps=100_000)

        assert pace.period == 8

    def test_does_not_change_in_a_short_run(self, clocks, pace):
        assert clocks.looks(pace, step_s=0.0, look_s=0.1, steps=320) == 40

    def test_does_not_change_in_a_short_run_however_busy_the_machine_is(self, clocks, pace):
        assert clocks.looks(pace, step_s=0.0, look_s=10.0, steps=384) == 48

    def test_does_not_change_for_what_others_took_meanwhile(self, clocks, pace):
        for _ in range(10_000):
            clocks.now += 0.08
            with pace:
                clocks.now += 0.1
                clocks.worked += 0.003

        assert pace.period == 8

    def test_asks_for_no_thread_s_time_while_looks_are_cheap(self, clocks):
        pace = Pace(0.05, lambda: clocks.now, lambda: pytest.fail("asked"))

        assert clocks.looks(pace, step_s=0.1, look_s=0.03, steps=8000) == 1000

    @pytest.mark.parametrize(("first", "period"), [(0, 32), (64, 128), (48, 512), (128, 512)])
    @pytest.mark.parametrize(
        "name", ["let_go_in_periods", "memory_bank", "ring_by_cursor", "ring_by_hand", "rollouts"]
    )
    def test_leaves_the_healthy_in_peace_however_slow_it_is(self, monkeypatch, name, first, period):
        def is_due(_pace, step):
            return step % (8 if step <= first else period) == 0

        monkeypatch.setattr(Pace, "is_due", is_due)

        assert faults(ZOO / "controls" / f"{name}.py") == []

    def test_names_leaks_however_slow_it_is(self, monkeypatch):
        monkeypatch.setattr("garboard.leaks.judging._pace._FREE_S", 0.0)
        kept = []
        with gb.leaks.watch(on_leak=lambda leak: None, budget=0) as watch:
            for _ in range(600):
                kept.append(gb.ones(3))
                watch.step()

        assert watch.report().leaks[0].kind == "tensor-list"
        assert "looked at every" in watch.report().notes[0]

    @pytest.mark.parametrize("budget", [-1, 2, "x"])
    def test_refuses_what_is_no_share(self, budget):
        with pytest.raises((ValueError, TypeError), match="watch: budget"):
            gb.leaks.watch(budget=budget)


class TestATurn:
    def test_is_refused_to_a_signal_in_the_middle_of_a_look(self):
        turn = Turn()

        assert turn.is_free()
        turn.release()
        with turn:
            assert not turn.is_free()
            with turn:  # what on_leak calls may ask for a report
                pass
        assert turn.is_free()
        turn.release()

    def test_is_waited_for_by_another_thread(self):
        turn, order = Turn(), []

        def other():
            assert turn.is_free()
            order.append("other")
            turn.release()

        thread = threading.Thread(target=other)
        with turn:
            thread.start()
            order.append("first")
        thread.join()

        assert order == ["first", "other"]


PROGRAM = """
import os, signal, sys
import garboard as gb

def wait_for_more():
    print("ready", flush=True)
    while True:
        step()

def step():
    kept.append(gb.ones(3))
    watch.step()

def main(part):
    global kept, watch
    kept = []
    with gb.leaks.watch(on_leak=lambda leak: None, report="leaks.json") as watch:
        for _ in range(120):
            step()
        part()
"""


@pytest.fixture
def run(tmp_path):
    """Start a program that keeps tensors under a watch that keeps a file."""

    def start(source):
        (tmp_path / "train.py").write_text(PROGRAM + source)
        paths = [str(Path(gb.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        return subprocess.Popen(
            [sys.executable, "train.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdout=subprocess.PIPE,
            text=True,
        )

    return start


def wait_until_ready(program):
    while program.stdout.readline() != "ready\n":
        assert program.poll() is None


class TestTheFile:
    def test_is_written_at_sigterm_which_ends_the_process_as_ever(self, run, tmp_path):
        with run("main(wait_for_more)") as program:
            wait_until_ready(program)
            program.terminate()
            assert program.wait(60) == -signal.SIGTERM

        report = gb.leaks.load_report(tmp_path / "leaks.json")
        assert report.notes[0].endswith(": at SIGTERM")
        assert report.notes[0].startswith("written in step ")
        assert report.leaks[0].site.source == "kept.append(gb.ones(3))"
        assert [it.name for it in tmp_path.glob("*leaks*")] == ["leaks.json"]

    def test_is_written_when_a_signal_asks_and_the_loop_goes_on(self, run, tmp_path):
        with run("main(wait_for_more)") as program:
            wait_until_ready(program)
            program.send_signal(signal.SIGUSR1)
            pause = threading.Event()
            while not (tmp_path / "leaks.json").exists():
                pause.wait(0.01)
            assert program.poll() is None
            program.kill()

        report = gb.leaks.load_report(tmp_path / "leaks.json")
        assert report.notes[0].endswith(": at SIGUSR1")
        assert report.leaks

    def test_comes_before_the_handlers_of_the_program(self, run, tmp_path):
        source = (
            "def leave(*_):\n"
            "    print(os.path.exists('leaks.json'))\n"
            "    sys.exit(7)\n"
            "signal.signal(signal.SIGTERM, leave)\n"
            "main(wait_for_more)\n"
        )
        with run(source) as program:
            wait_until_ready(program)
            program.terminate()
            assert program.stdout.read() == "True\n"
            assert program.wait(60) == 7

        assert "the loop raised" in gb.leaks.load_report(tmp_path / "leaks.json").notes[0]

    def test_is_written_before_another_program_takes_the_place(self, run, tmp_path):
        after = "import os; print(os.path.exists('leaks.json'))"
        source = f"main(lambda: os.execv(sys.executable, [sys.executable, '-c', {after!r}]))"

        with run(source) as program:
            assert program.communicate()[0] == "True\n"

        report = gb.leaks.load_report(tmp_path / "leaks.json")
        assert report.notes[0].endswith(": another program took the place of this one")
        assert report.leaks

    def test_is_the_parents_alone_after_a_fork(self, run, tmp_path):
        source = (
            "def part():\n"
            "    child = os.fork()\n"
            "    if not child:\n"
            "        step()\n"
            "        os.kill(os.getpid(), signal.SIGTERM)\n"
            "    print(os.waitpid(child, 0)[1] == signal.SIGTERM, os.path.exists('leaks.json'))\n"
            "    child = os.fork()\n"
            "    if not child:\n"
            "        return\n"
            "    print(os.waitpid(child, 0)[1] == 0, os.path.exists('leaks.json'))\n"
            "main(part)\n"
        )
        with run(source) as program:
            assert program.communicate()[0] == "True False\nTrue False\n"

        report = gb.leaks.load_report(tmp_path / "leaks.json")
        assert report.checked.steps == 120
        assert report.leaks

    def test_is_written_when_the_control_group_runs_out_of_memory(self, run, tmp_path):
        for name, text in (("limit", "1000"), ("used", "999"), ("stat", "inactive_file 1")):
            (tmp_path / name).write_text(text)
        source = (
            "from pathlib import Path\n"
            "from garboard.leaks import _memory_notice\n"
            "files = [Path(it).absolute() for it in ('limit', 'used', 'stat')]\n"
            "group = _memory_notice.Group(*files, 'inactive_file')\n"
            "_memory_notice.groups_of_process = lambda: [group]\n"
            "def part():\n"
            "    while not os.path.exists('leaks.json'):\n"
            "        step()\n"
            "    os._exit(3)\n"
            "main(part)\n"
        )
        with run(source) as program:
            assert program.wait(60) == 3

        notes = gb.leaks.load_report(tmp_path / "leaks.json").notes
        assert notes[0].endswith(": its control group ran out of memory")

    def test_is_the_whole_report_when_the_block_ends_and_gives_signals_back(self, tmp_path):
        before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGUSR1)
        with gb.leaks.watch(report=tmp_path / "x.html") as watch:
            assert signal.getsignal(signal.SIGTERM) is not before[0]
            watch.step()

        assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGUSR1)) == before
        assert "too early" in (tmp_path / "x.html").read_text(encoding="utf-8")

    def test_may_be_of_a_watch_on_another_thread(self, tmp_path):
        def loop():
            with gb.leaks.watch(report=tmp_path / "x.json") as watch:
                watch.step()

        thread = threading.Thread(target=loop)
        thread.start()
        thread.join()

        assert gb.leaks.load_report(tmp_path / "x.json").checked.steps == 1

    @pytest.mark.parametrize(
        ("name", "error", "message"),
        [
            ("x.png", ValueError, r"watch: report 'x\.png'; a name that ends with"),
            ("no/x.json", ValueError, r"watch: report 'x\.json'; its folder does not exist"),
            (7, TypeError, "watch: report"),
        ],
    )
    def test_that_cannot_be_is_refused_at_once(self, name, error, message, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

        with pytest.raises(error, match=message):
            gb.leaks.watch(report=name)

    def test_that_cannot_be_written_any_more_is_told_and_ends_nothing(self, tmp_path, capsys):
        folder = tmp_path / "gone"
        folder.mkdir()

        with gb.leaks.watch(report=folder / "x.json") as watch:
            watch.step()
            folder.rmdir()

        assert "garboard: no report: " in capsys.readouterr().err


class TestTheMemoryNotice:
    def second(self, folder: Path, limit: str, used: int, droppable: int = 0) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "memory.max").write_text(limit)
        (folder / "memory.current").write_text(str(used))
        (folder / "memory.stat").write_text(f"anon 5\ninactive_file {droppable}\n")

    def test_comes_once_each_time_that_memory_gets_scarce(self, tmp_path):
        (tmp_path / "self").write_text("0::/a/b\n")
        self.second(tmp_path / "a" / "b", "max\n", 0)
        self.second(tmp_path / "a", "1000\n", 940)
        groups, calls = groups_of_process(tmp_path, tmp_path / "self"), []
        notice = MemoryNotice(lambda: calls.append(1), groups)

        told = []
        for used, droppable in ((940, 0), (960, 0), (970, 0), (960, 100), (990, 0)):
            self.second(tmp_path / "a", "1000\n", used, droppable)
            notice.look()
            told.append(len(calls))

        assert told == [0, 1, 1, 1, 2]

    def test_knows_the_first_version_too(self, tmp_path):
        (tmp_path / "self").write_text("5:cpu:/x\n4:memory:/job\n0::/\n")
        folder = tmp_path / "memory"
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text("1000")
        (folder / "memory.usage_in_bytes").write_text("800")
        (folder / "memory.stat").write_text("total_inactive_file 300\n")

        (group,) = groups_of_process(tmp_path, tmp_path / "self")

        assert group.share == 0.5

    def test_of_no_control_group_never_comes(self, tmp_path):
        assert groups_of_process(tmp_path, tmp_path / "none") == []
