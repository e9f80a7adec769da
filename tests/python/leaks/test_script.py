"""`garboard run`: a script is run as python runs it, and what it leaks is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import garboard as gb
import pytest

LOOP = """
import sys
import garboard as gb

def main(end=""):
    w = gb.ones(3, requires_grad=True)
    optimizer = gb.optim.SGD([w], lr=0.1)
    kept = []
    for _ in range(60):
        loss = (w * 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        kept.append(loss.LEFT)
    exec(end)

main(*sys.argv[1:])
"""
LEAKY, HEALTHY = LOOP.replace("LEFT", "detach()"), LOOP.replace("LEFT", "item()")


@pytest.fixture
def garboard(tmp_path):
    """Run `python -m garboard` or, without a command, `python`, in the folder of a script."""

    def start(source, *arguments):
        (tmp_path / "train.py").write_text(source, encoding="utf-8")
        home = str(Path(gb.__file__).parents[1])
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": home},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return start


RUN = ("-m", "garboard", "run")


class TestFindings:
    def test_are_printed_written_and_fail_the_run(self, garboard, tmp_path):
        files = ("leaks.json", "leaks.sarif", "leaks.xml", "leaks.html", "leaks.txt")
        options = [it for file in files for it in ("--report", file)]

        done = garboard(LEAKY, *RUN, "--fail-on", "growing", *options, "train.py")

        assert done.returncode == 1, done.stderr
        assert "kept.append(loss.detach())" in done.stderr
        report = gb.leaks.load_report(tmp_path / "leaks.json")
        assert (report.leaks[0].kind, report.leaks[0].site.line) == ("tensor-list", 14)
        assert json.loads((tmp_path / "leaks.sarif").read_text())["runs"][0]["results"]
        assert (tmp_path / "leaks.xml").read_text().startswith("<testsuite")
        assert "kept.append(loss.detach())" in (tmp_path / "leaks.html").read_text("utf-8")
        assert (tmp_path / "leaks.txt").read_text().startswith("::error file=train.py,line=14")

    def test_of_a_script_with_tensors_of_pytorchs_say_how_to_watch_them(self, garboard, tmp_path):
        (tmp_path / "torch.py").write_text("", encoding="utf-8")

        done = garboard("import torch", *RUN, "train.py")

        assert done.returncode == 0, done.stderr
        assert done.stderr.endswith("--provider torch watches those\n")

    def test_fail_nothing_where_nobody_asked(self, garboard):
        assert garboard(LEAKY, *RUN, "train.py").returncode == 0

    def test_of_a_healthy_script_are_none(self, garboard):
        done = garboard(HEALTHY, *RUN, "--fail-on", "cycle", "train.py")

        assert (done.returncode, done.stdout) == (0, "")
        assert done.stderr.startswith("no leaks: 59 steps")

    def test_survive_a_script_that_leaves_at_once(self, garboard):
        end = "import os; os._exit(0)"

        done = garboard(LEAKY, *RUN, "--fail-on", "growing", "train.py", end)

        assert done.returncode == 1
        assert "kept.append(loss.detach())" in done.stderr

    @pytest.mark.parametrize(
        ("end", "status", "why"),
        [
            ("import os; os.kill(os.getpid(), 15)", -15, "at SIGTERM"),
            ("import os; os.execv('/bin/sh', ['sh', '-c', 'exit 3'])", 3, "another program took"),
        ],
    )
    def test_are_written_where_the_script_never_ends(self, garboard, tmp_path, end, status, why):
        done = garboard(LEAKY, *RUN, "--report", "leaks.json", "train.py", end)

        assert done.returncode == status, done.stderr
        report = gb.leaks.load_report(tmp_path / "leaks.json")
        assert report.notes[0].startswith(f"written before the end: {why}")
        assert report.leaks[0].site.line == 14

    def test_are_told_once_where_the_script_forks(self, garboard, tmp_path):
        end = "import os; child = os.fork(); child and os.waitpid(child, 0)"

        done = garboard(LEAKY, *RUN, "--report", "leaks.json", "train.py", end)

        assert done.returncode == 0
        assert done.stderr.count("━━ garboard") == 1
        assert gb.leaks.load_report(tmp_path / "leaks.json").leaks

    def test_of_the_scripts_own_watch_come_first(self, garboard):
        own = """
            import garboard as gb
            kept = []
            with gb.leaks.watch() as watch:
                for _ in range(70):
                    kept.append(gb.ones(2))
                    watch.step()
        """.replace("\n            ", "\n")

        done = garboard(own, *RUN, "--fail-on", "growing", "train.py")

        assert done.returncode == 1
        assert "step 70" in done.stderr

    def test_are_not_judged_after_an_error(self, garboard):
        done = garboard(LEAKY, *RUN, "--fail-on", "growing", "train.py", "1/0")

        assert done.returncode == 1
        assert "ZeroDivisionError" in done.stderr
        assert "_script.py" not in done.stderr
        assert "the script raised, so what it keeps was not judged" in done.stderr


PLAIN = """
import sys, os
sys.path.insert(0, sys.path[0])
print(__name__, __file__, sys.argv, os.path.basename(sys.path[0]) == os.path.basename(os.getcwd()))
print(sys.modules["__main__"].__dict__ is globals(), __builtins__.__name__)
{end}
"""


@pytest.mark.parametrize(
    "end",
    [
        "",
        "sys.exit()",
        "sys.exit(7)",
        "sys.exit(257)",
        "sys.exit('a text')",
        "raise ValueError('mine')",
        "os._exit(5)",
        "def f(:",
        "import atexit; atexit.register(print, 'at the end')",
        "sys.stderr.close()",
    ],
)
def test_a_script_cannot_tell_who_runs_it(end, garboard):
    source = PLAIN.format(end=end)

    plain = garboard(source, "train.py", "--fail-on", "x")
    ours = garboard(source, *RUN, "train.py", "--fail-on", "x")

    assert (ours.returncode, ours.stdout) == (plain.returncode, plain.stdout), ours.stderr
    assert plain.stderr in ours.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.py"], "No such file"),
        (["--report", "a.png", "train.py"], "ends with .html, .json, .sarif"),
        (["--report", "nowhere/a.json", "train.py"], "its folder does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_before_the_script_runs(arguments, message, garboard):
    done = garboard("print('ran')", *RUN, *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_show_prints_a_report_again(garboard, tmp_path):
    report = gb.leaks.LeakReport()
    (tmp_path / "good.json").write_text(report.to_json(), encoding="utf-8")
    (tmp_path / "bad.json").write_text("{}", encoding="utf-8")

    good = garboard("", "-m", "garboard", "show", "good.json")
    bad = garboard("", "-m", "garboard", "show", "bad.json")

    assert (good.returncode, good.stdout) == (0, f"{report}\n")
    assert bad.returncode == 2
    assert "garboard show: load_report: bad.json: the report" in bad.stderr


def test_a_reader_that_leaves_early_gets_no_traceback(garboard, tmp_path):
    garboard(LEAKY, *RUN, "--report", "leaks.json", "train.py")
    lines = f"{sys.executable} -m garboard show leaks.json | true"

    done = garboard("", "-c", f"import subprocess; subprocess.run({lines!r}, shell=True)")

    assert done.stderr == ""
