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
        {"python/bindings/interpreter/items.h"},
    ),
    "without the GIL counts are plain only for who is counted as outside; use WithoutGil": (
        r"\bgil_scoped_release\b|\bPyEval_(Save|Restore|Acquire|Release)Thread\b"
        r"|\bPy_(BEGIN|END)_ALLOW_THREADS\b|\bPy_(UN)?BLOCK_THREADS\b",
        {"python/bindings/interpreter/gil.cpp"},
    ),
    "an exception keeps the GIL, and an interpreter that has ended is not asked; use WithGil": (
        r"\bgil_scoped_acquire\b|\bPyGILState_(Ensure|Release)\b",
        {"python/bindings/interpreter/gil.cpp"},
    ),
    "a thread that waits for such a static has the GIL, which Python code behind it needs; "
    "set a plain pointer": (
        r"\bstatic\s+Py\w+\s*\*\s*const\s+\w+\s*=",
        set[str](),
    ),
    "a str may have half of a surrogate pair; use to_text or text_or_mark": (
        r"\bPyUnicode_AsUTF8\w*",
        {"python/bindings/interpreter/unicode.cpp"},
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
    "line",
    [
        "  x = PyList_GET_ITEM(list, 0);",
        "PySequence_Fast_GET_SIZE(x);",
        "PyDict_Next(d)",
        "  const py::gil_scoped_release unlocked;",
        "py::call_guard<py::gil_scoped_release>()",
        "Py_BEGIN_ALLOW_THREADS",
        "PyGILState_Ensure();",
        "static PyObject* const format = PyImport_ImportModule(name);",
        "PyUnicode_AsUTF8(x);",
    ],
)
def test_a_planted_way_is_found(line, tmp_path: Path):
    violations = faults(planted(tmp_path, {"python/bindings/a.cpp": f"// A file.\n{line}\n"}))

    assert len(violations) == 1
    assert violations[0].startswith("python/bindings/a.cpp: ")


def test_a_comment_is_not_found(tmp_path: Path):
    tree = planted(tmp_path, {"python/bindings/a.cpp": "// unlike PyDict_Next\n"})

    assert faults(tree) == []
