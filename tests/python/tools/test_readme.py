"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
# With machine and load; how often garbage is collected under pressure depends on the time.
CHANGING = re.compile(r"in \d+\.\d+ ms|^  device .*$|^  garbage .*\n", re.MULTILINE)

CATCH = """
import runpy, garboard
try:
    runpy.run_path("train.py")
except garboard.OutOfMemoryError as error:
    print(error.report)
"""


def blocks(heading: str) -> list[str]:
    """The fenced blocks of a section."""
    section = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"```(?:python)?\n(.*?)```", section, re.DOTALL)


def test_the_batch_that_fits_is_the_one_the_readme_says(tmp_path):
    program, printed = blocks("Does it fit a GPU one does not have?")
    (tmp_path / "fit.py").write_text(program)

    done = subprocess.run(
        [sys.executable, "fit.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert done.stdout == printed


@pytest.mark.slow
def test_the_program_that_runs_out_of_memory_is_told_what_the_readme_says(tmp_path):
    program, report = blocks("When memory runs out")
    (tmp_path / "train.py").write_text(program)

    done = subprocess.run(
        [sys.executable, "-c", CATCH], cwd=tmp_path, capture_output=True, text=True, check=True
    )

    assert CHANGING.sub("", done.stdout.strip()) == CHANGING.sub("", report.strip())


@pytest.mark.slow
def test_the_demo_plants_the_leak_that_the_readme_shows(tmp_path):
    leak, disposed = (
        re.sub(r"[^\s()]*/(?=\w+\.py)|#\d+", "", it) for it in blocks("What a leak looks like")
    )

    done = subprocess.run(
        [sys.executable, "-m", "garboard", "demo", "--plain"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    printed = re.sub(r"[^\s()]*/(?=\w+\.py)|#\d+", "", done.stdout)
    assert set(re.sub(r" +", " ", leak).splitlines()) <= set(
        re.sub(r" +", " ", printed).splitlines()
    )
    assert " ".join(disposed.removeprefix("DisposedError: ").split()) in printed
