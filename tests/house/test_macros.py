"""Macros: GARBOARD_HD and its other form, and GARBOARD_ISA from the build. Another one needs a
design note, as docs/design/0027 is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.house.tree import Tree, planted, project

OURS = {"GARBOARD_HD", "GARBOARD_HD_CALLED"}
# Not macros of ours: they tell Python's headers what to declare, and are read nowhere else.
PYTHONS = {"Py_BUILD_CORE", "PY_SSIZE_T_CLEAN"}


def macros(tree: Tree) -> list[str]:
    """Return every macro that is defined beyond those."""
    found = []
    for file in tree.under("csrc", "kernels", "python"):
        allowed = OURS | PYTHONS if file.startswith("python/bindings/") else OURS
        defined = re.findall(r"^\s*#\s*define\s+(\w+)", tree.text(file), re.MULTILINE)
        found += [f"{file} defines the macro {name}" for name in defined if name not in allowed]
    return found


def test_no_other_macro_is_defined():
    violations = macros(project())

    assert not violations, "\n".join(violations)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("csrc/core/a.h", "#define GARBOARD_CHECK(x) x"),
        ("kernels/cpu/a.cpp", "  # define GARBOARD_ISA v3"),
        ("csrc/tensor/a.cpp", "#define Py_BUILD_CORE"),
    ],
)
def test_a_planted_macro_is_found(file, text, tmp_path: Path):
    violations = macros(planted(tmp_path, {file: f"// A file.\n{text}\n"}))

    assert len(violations) == 1
    assert violations[0].startswith(file)


def test_what_is_allowed_is_not_found(tmp_path: Path):
    tree = planted(
        tmp_path,
        {
            "csrc/core/host_device.h": "#define GARBOARD_HD inline\n",
            "python/bindings/site.cpp": "#define Py_BUILD_CORE 1\n",
            "csrc/core/a.h": "// says #define X in a comment\n#undef X\n",
        },
    )

    assert macros(tree) == []
