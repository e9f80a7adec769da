"""What was measured on machines stands in one place, not where it is used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

HOMES = ("csrc/core/machine.h", "kernels/cpu/tuning.h")
# Costs, thresholds of costs, caches, how far ahead memory is asked for, how many parts.
FIGURE = re.compile(
    r"\b(\w*_ns|\w*ahead|\w*parts|\w*cache_bytes|\w*streaming_bytes|most_looks)"
    r"\s*=\s*(?:std::int64_t\{)?\d"
)


def stray_figures(tree: Tree) -> list[str]:
    """Return each figure that a kernel or the worker threads keep to themselves."""
    return [
        f"{file}:{number} sets {match[1]}; its place is {HOMES[1]}"
        for file in (*tree.under("kernels/cpu"), *tree.under("csrc/core"))
        if file not in HOMES
        for number, line in enumerate(tree.text(file).splitlines(), 1)
        if "constexpr" in line and (match := FIGURE.search(line.partition("//")[0]))
    ]


def test_figures_stand_in_one_place():
    violations = stray_figures(project())

    assert not violations, "\n".join(violations)


def test_the_figures_are_found():
    texts = [project().text(home) for home in HOMES]

    assert all(len(FIGURE.findall(text)) >= 4 for text in texts)


@pytest.mark.parametrize(
    "line",
    [
        "constexpr double element_ns = 0.5;",
        "constexpr std::int64_t block = 64, ahead = 128;",
        "inline constexpr std::int64_t second_cache_bytes = std::int64_t{2} << 20;",
        "  static constexpr int most_parts = 32;",
    ],
)
@pytest.mark.parametrize("file", ["kernels/cpu/loop/a.cpp", "csrc/core/a.cpp"])
def test_a_planted_figure_is_found(line, file, tmp_path: Path):
    violations = stray_figures(planted(tmp_path, {file: line, HOMES[1]: line}))

    assert len(violations) == 1
    assert violations[0].startswith(f"{file}:1 sets ")


def test_a_figure_from_its_place_is_none(tmp_path: Path):
    line = "constexpr std::int64_t ahead = tuning::stored_ahead;  // was ahead = 3\n"

    assert stray_figures(planted(tmp_path, {"kernels/cpu/a.cpp": line})) == []
