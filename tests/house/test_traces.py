"""The recorded traces can be played, and their README says what is in them."""

from __future__ import annotations

import lzma
import re
from pathlib import Path

import pytest

from tests.house.tree import HOME

TRACES = HOME / "tests" / "bench" / "traces"
ROW = re.compile(r"^\| (\w+)\.xz \|.*\| ([\d ]+) \| ([\d.]+) MiB \|$", re.MULTILINE)
ROWS = ROW.findall((TRACES / "README.md").read_text(encoding="utf-8"))


def peak_bytes(steps: list[int]) -> int:
    """The most that is live; fails where a release names what is not."""
    sizes: list[int] = []
    live: dict[int, int] = {}
    most = now = 0
    for step in steps:
        if step > 0:
            live[len(sizes)] = step
            sizes.append(step)
            now += step
        else:
            now -= live.pop(len(sizes) + step)
        most = max(most, now)
    return most


@pytest.mark.parametrize(("name", "count", "mib"), ROWS)
def test_a_trace_releases_only_what_is_live_and_is_as_its_readme_says(name, count, mib):
    text = lzma.decompress((TRACES / f"{name}.xz").read_bytes()).decode()
    steps = [int(line) for line in text.splitlines()]

    assert len(steps) == int(count.replace(" ", ""))
    assert f"{peak_bytes(steps) / 2**20:.1f}" == mib


def test_every_trace_has_a_row():
    assert {row[0] for row in ROWS} == {Path(path).stem for path in TRACES.glob("*.xz")}


@pytest.mark.parametrize("steps", [[-1], [8, -1, -1], [8, -2]])
def test_a_release_of_nothing_is_found(steps):
    with pytest.raises(KeyError):
        peak_bytes(steps)
