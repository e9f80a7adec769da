"""What the bindings may ask of Python, and in which file alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

# Why: what is written, and the files that may.
RULES = {
    "items are borrowed from a list that code behind one of them may change; use Items": (
        r"\bPySequence_Fast\w*|\bPyList_(GET_ITEM|GetItem|GET_SIZE)\b|\bPyDict_Next\b",
        {"python/bindings/items.h"},
    ),
}


def faults(tree: Tree) -> list[str]:
    """Return each place that breaks a rule."""
    found = []
    for file in tree.under("python/bindings"):
        text = re.sub(r"//.*", "", tree.text(file))
        for reason, (pattern, allowed) in RULES.items():
            if file not in allowed and (match := re.search(pattern, text)):
                found.append(f"{file}: {match[0]}: {reason}")
    return found


def test_each_way_has_its_file():
    violations = faults(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    "line", ["  x = PyList_GET_ITEM(list, 0);", "PySequence_Fast_GET_SIZE(x);", "PyDict_Next(d)"]
)
def test_a_planted_way_is_found(line, tmp_path: Path):
    violations = faults(planted(tmp_path, {"python/bindings/a.cpp": f"// A file.\n{line}\n"}))

    assert len(violations) == 1
    assert violations[0].startswith("python/bindings/a.cpp: Py")


def test_a_comment_is_not_found(tmp_path: Path):
    tree = planted(tmp_path, {"python/bindings/a.cpp": "// unlike PyDict_Next\n"})

    assert faults(tree) == []
